import type { ResumeSummary } from '../../shared/session';
import { NO_ID } from '../scan/idTable';
import { RowFlag } from '../scan/rowFlags';
import type { TranscriptFacts } from '../scan/transcriptFacts';
import { applyCompaction } from './applyCompaction';
import { chooseLeaf } from './chooseLeaf';
import { clientRules, SIMULATED_CLIENT } from './clientRules';
import { recoverParallelCalls } from './recoverParallelCalls';
import { requestRows } from './requestRows';
import { RowGraph } from './rowGraph';
import { walkChain, type Walk } from './walkChain';

/** What the client would load, with the steps that later rooms look at. */
export interface Resume {
  readonly summary: ResumeSummary;
  readonly graph: RowGraph;
  readonly walk: Walk;
  /** Rows from the leaf to the root or the break, through parent links alone. */
  readonly chainDepth: number;
}

/** Computes what `version` of the client puts into its next request when it resumes the transcript. */
export function simulateResume(facts: TranscriptFacts, version: string = SIMULATED_CLIENT): Resume {
  const graph = new RowGraph(facts);
  applyCompaction(graph);
  const leaf = chooseLeaf(graph);
  const walk = walkChain(graph, leaf, clientRules(version));
  const loaded = requestRows(graph, recoverParallelCalls(graph, walk.chain));
  const missingLines: number[] = [];
  let of = 0;
  let loads = 0;
  for (let row = 0; row < facts.rows.count; row++) {
    if ((facts.rows.flags(row) & (RowFlag.counted | RowFlag.sidechain)) !== RowFlag.counted) continue;
    of++;
    if (loaded.has(row)) loads++;
    else missingLines.push(facts.rows.line(row));
  }
  const leafUuid = leaf === NO_ID ? null : facts.ids.text(facts.rows.uuid(leaf));
  return { summary: { loads, of, leafUuid, missingLines }, graph, walk, chainDepth: depthOf(walk) };
}

function depthOf(walk: Walk): number {
  const newestBreak = walk.healed[0];
  if (newestBreak === undefined) return walk.chain.length;
  return walk.chain.length - walk.chain.indexOf(newestBreak);
}

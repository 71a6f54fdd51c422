import type { ResumeSummary } from '../../protocol/session';
import { NO_ID } from '../transcript/idTable';
import { RowFlag } from '../transcript/rowTable';
import type { TranscriptFacts } from '../transcript/transcriptIndex';
import { applyCompaction } from './applyCompaction';
import { chooseLeaf } from './chooseLeaf';
import { clientRules, SIMULATED_CLIENT } from './clientRules';
import { recoverParallelCalls } from './recoverParallelCalls';
import { type Request, requestRows } from './requestRows';
import { RowGraph } from './rowGraph';
import { type Walk, walkChain } from './walkChain';

/** What the client would load, with the steps that later rooms look at. */
export interface Resume {
  readonly summary: ResumeSummary;
  readonly graph: RowGraph;
  /** The row that the walk starts from, or `NO_ID`. */
  readonly leaf: number;
  readonly walk: Walk;
  /** The chain with what parallel calls have beside it, oldest first. */
  readonly history: Int32Array;
  readonly request: Request;
  /** Rows from the leaf to the root or the break, through parent links alone. */
  readonly chainDepth: number;
}

/** Computes what `version` of the client puts into its next request when it resumes the transcript. */
export function simulateResume(facts: TranscriptFacts, version: string = SIMULATED_CLIENT): Resume {
  const graph = new RowGraph(facts);
  const hasKeptRows = applyCompaction(graph);
  const leaf = chooseLeaf(graph, { last: graph.lastRead, hasKeptRows });
  const walk = walkChain(graph, leaf, clientRules(version));
  const history = recoverParallelCalls(graph, walk.chain);
  const request = requestRows(facts, history);
  const missingLines: number[] = [];
  let of = 0;
  let loads = 0;
  for (let row = 0; row < facts.rows.count; row++) {
    if ((facts.rows.flags(row) & (RowFlag.counted | RowFlag.sidechain)) !== RowFlag.counted) continue;
    of++;
    if (request.kept.has(row)) loads++;
    else missingLines.push(facts.rows.line(row));
  }
  const leafUuid = leaf === NO_ID ? null : facts.ids.text(facts.rows.uuid(leaf));
  const summary = { loads, of, leafUuid, missingLines };
  return { summary, graph, leaf, walk, history, request, chainDepth: depthOf(walk) };
}

function depthOf(walk: Walk): number {
  const newestBreak = walk.healed[0];
  if (newestBreak === undefined) return walk.chain.length;
  return walk.chain.length - walk.chain.indexOf(newestBreak);
}

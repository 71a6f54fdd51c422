import type { ForkRequest } from '../../shared/fork';
import { applyCompaction } from '../resume/applyCompaction';
import { clientRules, SIMULATED_CLIENT } from '../resume/clientRules';
import { recoverParallelCalls } from '../resume/recoverParallelCalls';
import { requestRows } from '../resume/requestRows';
import { RowGraph } from '../resume/rowGraph';
import { simulateResume } from '../resume/simulateResume';
import { walkChain, type Walk } from '../resume/walkChain';
import { NO_ID } from '../scan/idTable';
import { ParentForm, RowFlag } from '../scan/rowFlags';
import type { TranscriptFacts } from '../scan/transcriptFacts';
import { BitSet } from '../util/bitSet';
import { forkRefusal, type ForkRefusal } from './forkRefusal';
import { findCutRow } from './findCutRow';
import { writtenOrder } from './writtenOrder';

/** What Claude would load with one row as the leaf. */
export interface CutHistory {
  readonly kind: 'cut';
  readonly facts: TranscriptFacts;
  /** From the root, or the break, to the cut row, by links alone. */
  readonly chain: Int32Array;
  /** The chain with what parallel calls have beside it, oldest first. */
  readonly history: Int32Array;
  /** The same rows in the order in which they are written. */
  readonly ordered: Int32Array;
  /** The chain begins at a row whose parent is lost: what was above is not part of the history. */
  readonly isBroken: boolean;
}

/**
 * The history that ends with the row that a request names, on whatever branch it is: what Claude would have loaded had
 * that row been the leaf, before any compaction that came later.
 */
export function cutHistory(
  facts: TranscriptFacts,
  request: Pick<ForkRequest, 'at' | 'isBefore'>,
): CutHistory | ForkRefusal {
  const now = simulateResume(facts);
  const { at, isBefore } = request;
  if (at === null && now.leaf === NO_ID) {
    return forkRefusal('empty', 'Claude would load nothing of this session, so there is nothing to fork.');
  }
  if (at === null || at === now.summary.leafUuid) return cutAt(now.graph, now.leaf, isBefore);
  const graph = new RowGraph(facts);
  const found = findCutRow(graph, at);
  if (typeof found !== 'number') return found;
  forgetLaterCompactions(graph, found);
  applyCompaction(graph);
  return cutAt(graph, found, isBefore);
}

/** The rows that the loader has from the first compaction after the row on: the history ended before them. */
function forgetLaterCompactions(graph: RowGraph, cut: number): void {
  const place = graph.placeOf(cut);
  let end = Infinity;
  for (const { row } of graph.facts.boundaries) {
    if (graph.isHeld(row) && graph.placeOf(row) > place) end = Math.min(end, graph.placeOf(row));
  }
  if (end === Infinity) return;
  for (let row = 0; row < graph.size; row++) if (graph.placeOf(row) >= end) graph.remove(row);
}

function cutAt(graph: RowGraph, leaf: number, isBefore: boolean): CutHistory | ForkRefusal {
  const cut = historyOf(graph, leaf);
  const found = isBefore ? historyAbove(graph, cut) : cut;
  if (found?.history.some((row) => graph.isMessage(row)) !== true) {
    const place = isBefore ? 'above this row' : 'up to this row';
    return forkRefusal('empty', `There is no message ${place} that Claude could load, so there is nothing to fork.`);
  }
  return endingLast(graph, found);
}

/** A cut in the middle of parallel calls ends with what was written last of them, as the session itself went on. */
function endingLast(graph: RowGraph, cut: CutHistory): CutHistory {
  const leaf = cut.chain.at(-1) ?? NO_ID;
  let last = leaf;
  const onChain = new BitSet(graph.size);
  for (const row of cut.chain) onChain.add(row);
  for (const row of cut.history) {
    if (!onChain.has(row) && !graph.isSidechain(row) && graph.placeOf(row) > graph.placeOf(last)) last = row;
  }
  if (last === leaf) return cut;
  const other = historyOf(graph, last);
  return isSameRequest(cut, other) ? other : cut;
}

/** The two hold the same rows, and the client would send the same of them. */
function isSameRequest({ facts, history }: CutHistory, other: CutHistory): boolean {
  if (other.history.length !== history.length) return false;
  const rows = new BitSet(facts.rows.count);
  for (const row of history) rows.add(row);
  const [one, two] = [requestRows(facts, history).kept, requestRows(facts, other.history).kept];
  return other.history.every((row) => rows.has(row) && one.has(row) === two.has(row));
}

function historyOf(graph: RowGraph, leaf: number): CutHistory {
  const walk = walkChain(graph, leaf, clientRules(SIMULATED_CLIENT));
  const history = onceEach(graph, recoverParallelCalls(graph, walk.chain));
  return {
    kind: 'cut',
    facts: graph.facts,
    chain: walk.chain,
    history,
    ordered: writtenOrder(graph, walk.chain, history),
    isBroken: isBroken(graph, walk),
  };
}

/** A row with results of two calls is found for each. */
function onceEach(graph: RowGraph, rows: Int32Array): Int32Array {
  const seen = new BitSet(graph.size);
  return rows.filter((row) => {
    const isFirst = !seen.has(row);
    seen.add(row);
    return isFirst;
  });
}

/** A boundary ends the history on purpose, whatever parent it names; a row is broken off only where its link is lost. */
function isBroken({ facts }: RowGraph, { chain, brokenAt }: Walk): boolean {
  const first = chain[0] ?? 0;
  const { rows } = facts;
  const namesParent = rows.parentForm(first) === ParentForm.text || rows.parentForm(first) === ParentForm.other;
  return brokenAt !== null && namesParent && !rows.has(first, RowFlag.compactBoundary);
}

/**
 * The history that ends above the last row of another one. A row of the same message, or the call that the row answers,
 * would bring it back: then the cut is made above that. Null when nothing is above.
 */
function historyAbove(graph: RowGraph, { chain }: CutHistory): CutHistory | null {
  const last = chain.at(-1) ?? NO_ID;
  for (let length = chain.length - 1; length > 0; length--) {
    const above = historyOf(graph, chain[length - 1] ?? NO_ID);
    if (!above.history.includes(last)) return above;
  }
  return null;
}

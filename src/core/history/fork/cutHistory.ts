import type { ForkFailureReason, ForkOutcome, ForkRequest } from '../../../protocol/history';
import { ChainView } from '../../providers/claude/loader/chainView';
import { RowGraph } from '../../providers/claude/loader/graph';
import {
  type History,
  historyFrom,
  simulateResume,
  sinceCompaction,
} from '../../providers/claude/loader/loadTranscript';
import { requestRows } from '../../providers/claude/loader/request';
import type { LoaderRules } from '../../providers/claude/loader/rules';
import { applyCompaction, forgetCompactionsAfter } from '../../providers/claude/loader/walk';
import { NO_ID } from '../../transcript/idTable';
import { RowFlag, RowKind } from '../../transcript/rowFlags';
import type { TranscriptIndex } from '../../transcript/transcriptIndex';
import { BitSet } from '../../util/columns';

/** The rows that Claude would load with a given row as the leaf. */
export interface CutHistory {
  readonly kind: 'cut';
  readonly index: TranscriptIndex;
  /** The rows from the root, or from the break, to the cut row. Follows only `parentUuid`. */
  readonly chain: Int32Array;
  /** The chain with the rows of parallel calls, oldest first. */
  readonly history: Int32Array;
  /** The same rows in the order in which they are written. */
  readonly ordered: Int32Array;
  /** The chain begins at a row whose parent is missing, so that rows above it are not part of the history. */
  readonly isBroken: boolean;
}

/**
 * The history that ends with the row in the request, on whatever branch it is. These are the rows that Claude would
 * have loaded if that row were the leaf, so later compactions do not count.
 */
export function cutHistory(
  index: TranscriptIndex,
  request: Pick<ForkRequest, 'at' | 'isBefore'>,
  rules: LoaderRules,
): CutHistory | ForkRefusal {
  const now = simulateResume(index, rules);
  const { at, isBefore } = request;
  if (at === null && !now.history.some((row) => now.graph.isMessage(row))) {
    return forkRefusal('empty', 'Claude would load nothing of this session, so there is nothing to fork.');
  }
  if (at === null || at === now.summary.leafUuid) return cutAt(now.graph, now.leaf, isBefore);
  const graph = new RowGraph(index, rules, { withBranches: true });
  const found = findCutRow(graph, at);
  if (typeof found !== 'number') return found;
  forgetCompactionsAfter(graph, found);
  applyCompaction(graph);
  return cutAt(graph, found, isBefore);
}

function cutAt(graph: RowGraph, leaf: number, isBefore: boolean): CutHistory | ForkRefusal {
  const cut = historyOf(graph, leaf);
  const found = isBefore ? historyAbove(graph, cut) : cut;
  if (found?.history.some((row) => graph.isMessage(row)) !== true) {
    const place = isBefore ? 'above this one' : 'up to here';
    return forkRefusal('empty', `There is no message ${place} that Claude could load, so there is nothing to fork.`);
  }
  return endAtLastWritten(graph, found);
}

/**
 * If the cut is in the middle of parallel calls, ends the history with the row of theirs that was written last, because
 * the session itself continued from that row. Keeps the cut if Claude would then send another request.
 */
function endAtLastWritten(graph: RowGraph, cut: CutHistory): CutHistory {
  const leaf = cut.chain.at(-1) ?? NO_ID;
  let last = leaf;
  const onChain = new BitSet(graph.size);
  for (const row of cut.chain) onChain.add(row);
  for (const row of cut.history) {
    if (!onChain.has(row) && !graph.isSidechain(row) && graph.placeOf(row) > graph.placeOf(last)) last = row;
  }
  if (last === leaf) return cut;
  const other = historyOf(graph, last);
  return isSameRequest(cut, other, graph.rules) ? other : cut;
}

/** Whether both histories contain the same rows, and the client would send the same ones of them. */
function isSameRequest({ index, history }: CutHistory, other: CutHistory, rules: LoaderRules): boolean {
  if (other.history.length !== history.length) return false;
  const rows = new BitSet(index.rows.count);
  for (const row of history) rows.add(row);
  const [one, two] = [requestRows(index, history, rules).kept, requestRows(index, other.history, rules).kept];
  return other.history.every((row) => rows.has(row) && one.has(row) === two.has(row));
}

function historyOf(graph: RowGraph, leaf: number): CutHistory {
  const { walk, history: found } = withoutLostSummary(graph, sinceCompaction(graph.index, historyFrom(graph, leaf)));
  const history = withoutDuplicates(graph, found);
  return {
    kind: 'cut',
    index: graph.index,
    chain: walk.chain,
    history,
    ordered: writtenOrder(graph, walk.chain, history),
    isBroken: walk.brokenAt !== null && new ChainView(graph).losesHistoryAbove(walk.brokenAt),
  };
}

/**
 * A compaction whose summary is lost, because the link below it leads nowhere and the walk went on by time, stands for nothing. A fork
 * that began with it would seem to have a summary.
 */
function withoutLostSummary({ index: { rows } }: RowGraph, found: History): History {
  const { chain, healed } = found.walk;
  const [first, second] = chain;
  if (first === undefined || second === undefined) return found;
  if (!rows.has(first, RowFlag.compactBoundary) || !healed.includes(second)) return found;
  let isLost = false;
  for (let row = first + 1; row < second; row++) {
    isLost ||= rows.parent(row) === rows.uuid(first) && !found.history.includes(row);
  }
  if (!isLost) return found;
  const walk = { chain: chain.subarray(1), healed: healed.filter((row) => row !== second), brokenAt: second };
  return { walk, history: found.history.filter((row) => row !== first) };
}

/** Removes duplicates: a row with the results of two calls is found once for each call. */
function withoutDuplicates(graph: RowGraph, rows: Int32Array): Int32Array {
  const seen = new BitSet(graph.size);
  return rows.filter((row) => {
    const isFirst = !seen.has(row);
    seen.add(row);
    return isFirst;
  });
}

/**
 * The history that ends above the last row of the given one. The walk would find that row again if the history ended
 * with a row of the same message, or with the call that the row answers, so the cut is then made further up. Null if
 * there is no row above.
 */
function historyAbove(graph: RowGraph, { chain }: CutHistory): CutHistory | null {
  const last = chain.at(-1) ?? NO_ID;
  for (let length = chain.length - 1; length > 0; length--) {
    const above = historyOf(graph, chain[length - 1] ?? NO_ID);
    if (!above.history.includes(last)) return above;
  }
  return null;
}

const UNKNOWN = forkRefusal('unknown-row', 'No message of this conversation has this id.');

/**
 * The row that the client finds for a uuid. A row that the client skips on loading, such as a `progress` row, resolves
 * to its parent.
 */
function findCutRow(graph: RowGraph, uuid: string): number | ForkRefusal {
  const { ids, rows } = graph.index;
  if (uuid === '' || !ids.has(uuid)) return UNKNOWN;
  // The uuid has an id already, so this call does not add one.
  const id = ids.intern(uuid);
  const held = graph.rowOf(id);
  const row = held === NO_ID ? lastRowWith(graph, id) : held;
  if (row === NO_ID) return UNKNOWN;
  if (graph.isSidechain(row)) {
    return forkRefusal('not-forkable', 'This message belongs to a subagent; only the main conversation can be forked.');
  }
  if (held !== NO_ID) return held;
  if (rows.has(row, RowFlag.hidden) || rows.has(row, RowFlag.nulPrefixed)) {
    return forkRefusal(
      'not-forkable',
      'Claude does not see this message, because its line is damaged. Repair the session first.',
    );
  }
  const above = graph.rowOf(graph.parentId(row));
  if (above !== NO_ID && !graph.isSidechain(above)) return above;
  return forkRefusal('not-forkable', 'Claude does not load this message, and no message that it loads is above it.');
}

/** The last chain row in the file with the uuid, even if the client does not see it. */
function lastRowWith({ index: { rows } }: RowGraph, id: number): number {
  for (let row = rows.count - 1; row >= 0; row--) {
    if (rows.uuid(row) === id && rows.kind(row) !== RowKind.other) return row;
  }
  return NO_ID;
}

/**
 * The rows of a history in the order in which they are written. Rows of parallel calls that are not on the chain keep
 * their place in the source among the rows of the chain, so that the client finds results in their original order.
 * After the last row of the chain, only rows of its message are placed.
 */
function writtenOrder(graph: RowGraph, chain: Int32Array, history: Int32Array): Int32Array {
  if (history.length === chain.length) return history;
  const { rows, keyCount } = graph.index;
  const firstOfMessage = new Int32Array(keyCount).fill(NO_ID);
  const callAt = new Int32Array(keyCount).fill(NO_ID);
  const placeInChain = new Int32Array(graph.size).fill(NO_ID);
  for (const [at, row] of chain.entries()) {
    placeInChain[row] = at;
    const message = rows.message(row);
    if (message !== NO_ID && firstOfMessage[message] === NO_ID) firstOfMessage[message] = at;
    for (const call of rows.toolUses(row)) callAt[call] = at;
  }
  const beside = new Map<number, number[]>();
  let before = 0;
  for (const row of history) {
    const onChain = placeInChain[row] ?? NO_ID;
    if (onChain !== NO_ID) {
      before = onChain;
      continue;
    }
    const message = rows.message(row);
    const owner = message === NO_ID ? NO_ID : (firstOfMessage[message] ?? NO_ID);
    const [call] = rows.toolResults(row);
    const answered = call === undefined ? NO_ID : (callAt[call] ?? NO_ID);
    const at = placeAfter(graph, chain, row, owner !== NO_ID ? owner : answered !== NO_ID ? answered : before);
    for (const each of rows.toolUses(row)) if (callAt[each] === NO_ID) callAt[each] = at;
    beside.set(at, [...(beside.get(at) ?? []), row]);
  }
  const ordered = new Int32Array(history.length);
  let length = 0;
  for (const [at, row] of chain.entries()) {
    ordered[length++] = row;
    const extras = beside.get(at)?.sort((a, b) => graph.placeOf(a) - graph.placeOf(b)) ?? [];
    for (const extra of extras) ordered[length++] = extra;
  }
  return ordered;
}

/**
 * Position in the chain after which the row is placed: the last one, at or after `from`, whose rows up to there precede
 * the row in the source. It is never the leaf's position, unless `from` is.
 */
function placeAfter(graph: RowGraph, chain: Int32Array, row: number, from: number): number {
  let at = from;
  while (at + 2 < chain.length && graph.placeOf(chain[at + 1] ?? 0) < graph.placeOf(row)) at++;
  return at;
}

/** Why the fork was refused. Nothing was written. */
type ForkRefusal = ForkOutcome & { readonly kind: 'refused' };

/** @param problem one sentence for people */
export function forkRefusal(reason: ForkFailureReason, problem: string): ForkRefusal {
  return { kind: 'refused', reason, problem };
}

import { NO_ID } from '../../../transcript/idTable';
import { RowKind } from '../../../transcript/rowFlags';
import { RowLists } from '../../../util/columns';
import type { RowGraph } from './graph';
import { type AddedRow, continuesMessage, rowsBeside } from './rowsBeside';

/**
 * Adds the rows beside a chain that exist because calls ran in parallel: the other rows of its assistant messages, and the
 * results of their calls. (docs/format.md, "Parallel calls")
 */
export function recoverParallelCalls(graph: RowGraph, chain: Int32Array): Int32Array {
  if (!graph.rules.recoversParallelCalls) return chain;
  const { added, behindNotes } = rowsBeside(graph, chain);
  if (added.length + behindNotes.size === 0) return chain;
  if (!graph.rules.recoversInFileOrder) return insertBehind(graph, chain, added);
  const longer = insertInFileOrder(graph, chain, added);
  if (behindNotes.size === 0) return longer;
  return Int32Array.from([...longer].flatMap((row) => [row, ...(behindNotes.get(row) ?? [])]));
}

/** Up to 2.1.260: after the last row of their message in the chain, in the order of their times, results last. */
function insertBehind(graph: RowGraph, chain: Int32Array, added: readonly AddedRow[]): Int32Array {
  const { rows, keyCount } = graph.index;
  const lastOfMessage = new Int32Array(keyCount).fill(NO_ID);
  for (const row of chain) {
    const message = rows.message(row);
    if (message !== NO_ID) lastOfMessage[message] = row;
  }
  const isResult = ({ row }: AddedRow): number => (rows.kind(row) === RowKind.user ? 1 : 0);
  const sorted = added.toSorted(
    (a, b) => isResult(a) - isResult(b) || rows.timestamp(a.row) - rows.timestamp(b.row) || a.place - b.place,
  );
  const ofMessage = new RowLists(keyCount);
  for (const { row, message } of sorted) ofMessage.add(message, row);
  const longer = new Int32Array(chain.length + added.length);
  let length = 0;
  for (const row of chain) {
    longer[length++] = row;
    const message = rows.message(row);
    if (message === NO_ID || lastOfMessage[message] !== row) continue;
    for (const behind of ofMessage.take(message)) longer[length++] = behind;
  }
  return longer;
}

/** A part of a chain, from the place `start` up to but without `end`, and what is added to it. */
interface Region {
  start: number;
  end: number;
  readonly added: AddedRow[];
}

/**
 * In the loader's order, among the rows of the chain from the first row of their message to the last one, and the results and notes
 * that follow it.
 */
function insertInFileOrder(graph: RowGraph, chain: Int32Array, added: readonly AddedRow[]): Int32Array {
  const longer = new Int32Array(chain.length + added.length);
  let length = 0;
  let from = 0;
  const copy = (to: number): void => {
    longer.set(chain.subarray(from, to), length);
    length += to - from;
    from = to;
  };
  for (const region of regionsOf(graph, chain, added)) {
    copy(region.start + 1);
    const sorted = region.added.sort((a, b) => a.place - b.place || graph.placeOf(a.row) - graph.placeOf(b.row));
    let next = 0;
    while (from < region.end) {
      const place = graph.placeOf(chain[from] ?? 0);
      for (; next < sorted.length && (sorted[next]?.place ?? 0) < place; next++)
        longer[length++] = sorted[next]?.row ?? 0;
      copy(from + 1);
    }
    for (; next < sorted.length; next++) longer[length++] = sorted[next]?.row ?? 0;
  }
  copy(chain.length);
  return longer;
}

function regionsOf(graph: RowGraph, chain: Int32Array, added: readonly AddedRow[]): Region[] {
  const { rows } = graph.index;
  const ofMessage = new Map<number, Region>();
  for (const { message } of added) ofMessage.set(message, { start: NO_ID, end: NO_ID, added: [] });
  chain.forEach((row, at) => {
    const region = ofMessage.get(rows.message(row));
    if (region === undefined) return;
    if (region.start === NO_ID) region.start = at;
    region.end = at + 1;
  });
  for (const row of added) ofMessage.get(row.message)?.added.push(row);
  const merged: Region[] = [];
  for (const [message, region] of [...ofMessage].sort(([, a], [, b]) => a.start - b.start)) {
    while (region.end < chain.length && continuesMessage(rows, chain[region.end] ?? 0, message)) region.end++;
    const before = merged.at(-1);
    if (before === undefined || region.start >= before.end) merged.push(region);
    else {
      before.end = Math.max(before.end, region.end);
      for (const row of region.added) before.added.push(row);
    }
  }
  return merged;
}

import type { RowGraph } from '../resume/rowGraph';
import { NO_ID } from '../scan/idTable';

/**
 * The rows of a history in the order in which they are written: the chain, and what parallel calls have beside it where it
 * stood in the source, so that the client finds results in the order in which they came. Nothing is put behind the last row
 * of the chain but what belongs to its message.
 */
export function writtenOrder(graph: RowGraph, chain: Int32Array, history: Int32Array): Int32Array {
  if (history.length === chain.length) return history;
  const { rows, keyCount } = graph.facts;
  const firstOfMessage = new Int32Array(keyCount).fill(NO_ID);
  const callAt = new Int32Array(keyCount).fill(NO_ID);
  const placeInChain = new Map<number, number>();
  for (const [at, row] of chain.entries()) {
    placeInChain.set(row, at);
    const message = rows.message(row);
    if (message !== NO_ID && firstOfMessage[message] === NO_ID) firstOfMessage[message] = at;
    for (const call of rows.toolUses(row)) callAt[call] = at;
  }
  const beside = new Map<number, number[]>();
  let before = 0;
  for (const row of history) {
    const onChain = placeInChain.get(row);
    if (onChain !== undefined) {
      before = onChain;
      continue;
    }
    const message = rows.message(row);
    const owner = message === NO_ID ? NO_ID : (firstOfMessage[message] ?? NO_ID);
    const [call] = rows.toolResults(row);
    const answered = call === undefined ? NO_ID : (callAt[call] ?? NO_ID);
    const at = behind(graph, chain, row, owner !== NO_ID ? owner : answered !== NO_ID ? answered : before);
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

/** The last row of the chain, from a place in it on, that stands before the row in the source; never the leaf, unless it is that place. */
function behind(graph: RowGraph, chain: Int32Array, row: number, from: number): number {
  let at = from;
  while (at + 2 < chain.length && graph.placeOf(chain[at + 1] ?? 0) < graph.placeOf(row)) at++;
  return at;
}

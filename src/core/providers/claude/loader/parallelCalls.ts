import { NO_ID } from '../../../transcript/idTable';
import { RowKind } from '../../../transcript/rowFlags';
import { BitSet, RowLists } from '../../../util/columns';
import type { RowGraph } from './graph';

/**
 * Adds the rows beside a chain that exist because calls ran in parallel: the other rows of its assistant messages, and the
 * results of calls that have none in the chain. The rows of a message are inserted after
 * its last row in the chain, and the results after them. (docs/format.md, "Parallel calls")
 */
export function recoverParallelCalls(graph: RowGraph, chain: Int32Array): Int32Array {
  if (!graph.rules.recoversParallelCalls) return chain;
  const withSiblings = addSiblings(graph, chain);
  const results = missingResults(graph, withSiblings);
  if (results === null || results.size === 0) return withSiblings;
  const { rows } = graph.index;
  return insert(withSiblings, results.size, (row, add) => {
    for (const call of rows.toolUses(row)) results.take(call).forEach(add);
  });
}

function addSiblings(graph: RowGraph, chain: Int32Array): Int32Array {
  const { rows, keyCount } = graph.index;
  const inChain = new BitSet(graph.size);
  const lastOfMessage = new Int32Array(keyCount).fill(NO_ID);
  for (const row of chain) {
    inChain.add(row);
    const message = rows.message(row);
    if (message !== NO_ID) lastOfMessage[message] = row;
  }
  let siblings: RowLists | null = null;
  for (let row = 0; row < graph.size; row++) {
    const message = rows.message(row);
    if (message === NO_ID || lastOfMessage[message] === NO_ID) continue;
    if (!graph.isHeld(row) || inChain.has(row)) continue;
    siblings ??= new RowLists(keyCount);
    siblings.add(message, row);
  }
  if (siblings === null) return chain;
  const found = siblings;
  return insert(chain, found.size, (row, add) => {
    const message = rows.message(row);
    if (message !== NO_ID && lastOfMessage[message] === row) found.take(message).forEach(add);
  });
}

/** Call → rows with its result, for the calls of a history that has no result for them; null if no result is missing. */
function missingResults(graph: RowGraph, history: Int32Array): RowLists | null {
  const { rows, keyCount } = graph.index;
  const inHistory = new BitSet(graph.size);
  const open = new BitSet(keyCount);
  const answered = new BitSet(keyCount);
  const messages = new BitSet(keyCount);
  // The client finds no result by the id of a call whose row has no `message.id`.
  const [named, namedInSidechain] = [new BitSet(keyCount), new BitSet(keyCount)];
  for (const row of history) {
    inHistory.add(row);
    rows.addToolUses(row, open);
    rows.addToolResults(row, answered);
    const message = rows.message(row);
    if (message === NO_ID) continue;
    messages.add(message);
    rows.addToolUses(row, graph.isSidechain(row) ? namedInSidechain : named);
  }
  open.deleteAll(answered);
  if (open.isEmpty) return null;
  const found = new RowLists(keyCount);
  for (let row = 0; row < graph.size; row++) {
    if (!graph.isHeld(row) || inHistory.has(row) || rows.kind(row) !== RowKind.user) continue;
    if (!rows.someToolResult(row, open)) continue;
    const isBelow = isBelowMessage(graph, row, messages);
    const calls = graph.isSidechain(row) ? namedInSidechain : named;
    for (const call of rows.toolResults(row)) {
      if (!open.has(call)) continue;
      if (isBelow || (graph.rules.findsResultsByCallId && calls.has(call))) found.add(call, row);
    }
  }
  return found;
}

function isBelowMessage(graph: RowGraph, row: number, messages: BitSet): boolean {
  const parent = graph.parent(row);
  const message = parent < 0 ? NO_ID : graph.index.rows.message(parent);
  return message !== NO_ID && messages.has(message);
}

/** The history with the rows that `addBehind` adds after each of its rows, at most `extra` rows in all. */
function insert(
  history: Int32Array,
  extra: number,
  addBehind: (row: number, add: (row: number) => void) => void,
): Int32Array {
  const longer = new Int32Array(history.length + extra);
  let length = 0;
  const add = (row: number): void => {
    longer[length++] = row;
  };
  for (const row of history) {
    add(row);
    addBehind(row, add);
  }
  return longer.subarray(0, length);
}

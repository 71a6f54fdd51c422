import { NO_ID } from '../scan/idTable';
import { RowFlag, RowKind } from '../scan/rowFlags';
import { BitSet } from '../util/bitSet';
import { Column } from '../util/column';
import type { RowGraph } from './rowGraph';

/** Rows by the row or call that they are put behind. */
type RowsBehind = Map<number, number[]>;

/**
 * Adds to a chain what hangs beside it because calls ran in parallel: the other rows of its assistant messages, and the
 * results of calls that have none in the chain, wherever in the file they are. A message's rows are put behind its last
 * row in the chain, the results behind them. (docs/format.md, "Parallel calls")
 */
export function recoverParallelCalls(graph: RowGraph, chain: Int32Array): Int32Array {
  const siblings = missingSiblings(graph, chain);
  const withSiblings = siblings.size === 0 ? chain : insert(chain, (row) => siblings.get(row) ?? []);
  const results = missingResults(graph, withSiblings);
  if (results.size === 0) return withSiblings;
  return insert(withSiblings, (row) => callsOf(graph, row).flatMap((call) => take(results, call)));
}

/** Last row of a message in the chain → the message's other rows. */
function missingSiblings(graph: RowGraph, chain: Int32Array): RowsBehind {
  const { rows, keyCount } = graph.facts;
  const inChain = new BitSet(graph.size);
  const lastOfMessage = new Int32Array(keyCount).fill(NO_ID);
  for (const row of chain) {
    inChain.add(row);
    if (rows.message(row) !== NO_ID) lastOfMessage[rows.message(row)] = row;
  }
  const siblings: RowsBehind = new Map();
  for (let row = 0; row < graph.size; row++) {
    const message = rows.message(row);
    if (message === NO_ID || !graph.isHeld(row) || inChain.has(row)) continue;
    const anchor = lastOfMessage[message] ?? NO_ID;
    if (anchor !== NO_ID) push(siblings, anchor, row);
  }
  return siblings;
}

/** Call → rows with its result, for the calls of a history that has no result for them. */
function missingResults(graph: RowGraph, history: Int32Array): RowsBehind {
  const { rows, keyCount } = graph.facts;
  const inHistory = new BitSet(graph.size);
  const open = new BitSet(keyCount);
  for (const row of history) {
    inHistory.add(row);
    for (const call of callsOf(graph, row)) open.add(call);
  }
  for (const row of history) for (const call of resultsOf(graph, row)) open.delete(call);
  const found: RowsBehind = new Map();
  for (let row = 0; row < graph.size; row++) {
    if (!graph.isHeld(row) || inHistory.has(row) || rows.kind(row) !== RowKind.user) continue;
    for (const call of resultsOf(graph, row)) {
      // A subagent's row is taken only where it hangs from the call itself.
      const isOwn = !graph.isSidechain(row) || callsOf(graph, Math.max(graph.parent(row), 0)).includes(call);
      if (open.has(call) && isOwn) push(found, call, row);
    }
  }
  return found;
}

function callsOf({ facts: { rows } }: RowGraph, row: number): readonly number[] {
  return rows.has(row, RowFlag.hasToolUse) ? rows.toolUses(row) : [];
}

function resultsOf({ facts: { rows } }: RowGraph, row: number): readonly number[] {
  return rows.has(row, RowFlag.hasToolResult) ? rows.toolResults(row) : [];
}

function insert(history: Int32Array, behind: (row: number) => readonly number[]): Int32Array {
  const longer = Column.int32();
  for (const row of history) {
    longer.push(row);
    for (const added of behind(row)) longer.push(added);
  }
  return Int32Array.from({ length: longer.length }, (_, at) => longer.get(at));
}

/** A result is put behind one call only, also when calls share an id. */
function take(map: RowsBehind, key: number): readonly number[] {
  const rows = map.get(key) ?? [];
  map.delete(key);
  return rows;
}

function push(map: RowsBehind, key: number, value: number): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

import { NO_ID } from '../scan/idTable';
import { RowKind } from '../scan/rowFlags';
import type { RowGraph } from './rowGraph';

/**
 * Adds to a chain what hangs beside it because calls ran in parallel: the other rows of its assistant messages, and the
 * results of calls that have none in the chain, wherever in the file they are. A message's rows are put behind its last
 * row in the chain, the results behind them. (docs/format.md, "Parallel calls")
 */
export function recoverParallelCalls(graph: RowGraph, chain: readonly number[]): number[] {
  const { rows } = graph.facts;
  const inChain = new Set(chain);
  const lastOfMessage = new Map<number, number>();
  for (const row of chain) {
    const message = rows.message(row);
    if (rows.kind(row) === RowKind.assistant && message !== NO_ID) lastOfMessage.set(message, row);
  }
  const beside = new Map<number, number[]>();
  for (let row = 0; row < graph.size; row++) {
    if (!graph.isHeld(row) || inChain.has(row) || rows.kind(row) !== RowKind.assistant) continue;
    const anchor = lastOfMessage.get(rows.message(row));
    if (anchor !== undefined) push(beside, anchor, row);
  }
  const withSiblings = chain.flatMap((row) => [row, ...(beside.get(row) ?? [])]);
  const results = missingResults(graph, withSiblings);
  return withSiblings.flatMap((row) => [row, ...rows.toolUses(row).flatMap((call) => take(results, call))]);
}

/** A result is put behind one call only, also when calls share an id. */
function take(map: Map<number, number[]>, key: number): readonly number[] {
  const rows = map.get(key) ?? [];
  map.delete(key);
  return rows;
}

/** Call → row with its result, for the calls of a history that has no result for them. */
function missingResults(graph: RowGraph, history: readonly number[]): Map<number, number[]> {
  const { rows } = graph.facts;
  const open = new Set(history.flatMap((row) => rows.toolUses(row)));
  for (const row of history) for (const call of rows.toolResults(row)) open.delete(call);
  const found = new Map<number, number[]>();
  if (open.size === 0) return found;
  const inHistory = new Set(history);
  for (let row = 0; row < graph.size; row++) {
    if (!graph.isHeld(row) || inHistory.has(row) || rows.kind(row) !== RowKind.user) continue;
    for (const call of rows.toolResults(row)) {
      // A subagent's row is taken only where it hangs from the call itself.
      const isOwn = !graph.isSidechain(row) || rows.toolUses(Math.max(graph.parent(row), 0)).includes(call);
      if (open.has(call) && isOwn) push(found, call, row);
    }
  }
  return found;
}

function push(map: Map<number, number[]>, key: number, value: number): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

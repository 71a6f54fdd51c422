import { NO_ID } from '../scan/idTable';
import { RowKind } from '../scan/rowFlags';
import type { RowGraph } from './rowGraph';

/**
 * Adds to a chain what hangs beside it because calls ran in parallel: rows of the same assistant message and the results
 * of its calls, put behind the message's last row in the chain. (docs/format.md, "Parallel calls")
 */
export function recoverParallelCalls(graph: RowGraph, chain: readonly number[]): number[] {
  const { rows } = graph.facts;
  const inChain = new Set(chain);
  const lastOfMessage = new Map<number, number>();
  for (const row of chain) {
    const message = rows.message(row);
    if (rows.kind(row) === RowKind.assistant && message !== NO_ID) lastOfMessage.set(message, row);
  }
  const members = new Map<number, number[]>();
  const results = new Map<number, number[]>();
  for (let row = 0; row < graph.size; row++) {
    if (!graph.isHeld(row)) continue;
    const message = rows.message(row);
    if (rows.kind(row) === RowKind.assistant && lastOfMessage.has(message)) push(members, message, row);
    if (rows.kind(row) === RowKind.user && rows.toolResults(row).length > 0) {
      const parent = graph.parent(row);
      if (parent >= 0) push(results, parent, row);
    }
  }
  const inserts = new Map<number, number[]>();
  for (const [message, anchor] of lastOfMessage) {
    const group = members.get(message) ?? [];
    const siblings = group.filter((row) => !inChain.has(row));
    const found = group.flatMap((row) => results.get(row) ?? []).filter((row) => !inChain.has(row));
    const byTime = (a: number, b: number): number => rows.timestamp(a) - rows.timestamp(b) || 0;
    const recovered = [...siblings.sort(byTime), ...found.sort(byTime)];
    if (recovered.length > 0) inserts.set(anchor, recovered);
  }
  return chain.flatMap((row) => [row, ...(inserts.get(row) ?? [])]);
}

function push(map: Map<number, number[]>, key: number, value: number): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

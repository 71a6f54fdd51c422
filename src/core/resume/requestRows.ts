import { RowFlag } from '../scan/rowFlags';
import type { RowGraph } from './rowGraph';

/**
 * The rows of a history whose content reaches the request: API errors, calls without a result and results without a
 * call are left out. A call at the very end is kept: the client answers it itself. (docs/format.md, "Request")
 */
export function requestRows(graph: RowGraph, history: readonly number[]): number[] {
  const { rows } = graph.facts;
  const messages = history.filter((row) => graph.isMessage(row) && !rows.has(row, RowFlag.apiError));
  const called = new Set(messages.flatMap((row) => rows.toolUses(row)));
  const answered = new Set(messages.flatMap((row) => rows.toolResults(row)));
  const tail = messages.at(-1);
  return messages.filter((row) => {
    if (rows.has(row, RowFlag.hasToolUse) && row !== tail) {
      return rows.has(row, RowFlag.hasText) || rows.toolUses(row).some((call) => answered.has(call));
    }
    if (rows.has(row, RowFlag.hasToolResult)) {
      return rows.has(row, RowFlag.hasText) || rows.toolResults(row).some((call) => called.has(call));
    }
    return true;
  });
}

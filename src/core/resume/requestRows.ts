import { RowFlag, RowKind } from '../scan/rowFlags';
import type { RowGraph } from './rowGraph';

/**
 * The rows whose content reaches the request of a history: API errors, calls without a result and results without a call
 * are left out. Calls at the very end are kept: the client answers them itself. (docs/format.md, "Request")
 */
export function requestRows(graph: RowGraph, history: readonly number[]): Set<number> {
  const { rows } = graph.facts;
  const messages = history.filter((row) => graph.isMessage(row) && !rows.has(row, RowFlag.apiError));
  const called = new Set(messages.flatMap((row) => rows.toolUses(row)));
  const answered = new Set(messages.flatMap((row) => rows.toolResults(row)));
  const open = openCalls(graph, messages, answered);
  const kept = messages.filter((row) => {
    if (rows.has(row, RowFlag.hasToolUse)) {
      return rows.has(row, RowFlag.hasText) || rows.toolUses(row).some((call) => answered.has(call) || open.has(call));
    }
    if (rows.has(row, RowFlag.hasToolResult)) {
      return rows.has(row, RowFlag.hasText) || rows.toolResults(row).some((call) => called.has(call));
    }
    return true;
  });
  const tail = messages.at(-1);
  const endsOnPrompt = tail !== undefined && rows.kind(tail) === RowKind.user;
  return new Set([...kept, ...(endsOnPrompt || open.size > 0 ? ownReplies(graph) : [])]);
}

/** Calls that the session was interrupted in: those of the last message when nothing but results comes after it. */
function openCalls(graph: RowGraph, messages: readonly number[], answered: ReadonlySet<number>): Set<number> {
  const { rows } = graph.facts;
  const open = new Set<number>();
  for (const row of [...messages].reverse()) {
    if (rows.kind(row) === RowKind.user) {
      if (open.size > 0 || !rows.has(row, RowFlag.hasToolResult)) break;
      continue;
    }
    if (!rows.has(row, RowFlag.hasToolUse)) break;
    for (const call of rows.toolUses(row)) if (!answered.has(call)) open.add(call);
  }
  return open;
}

/**
 * A history that ends on a prompt or in open calls gets a fixed reply from the client. Earlier rows with that very reply
 * reach the request by it, wherever they are.
 */
function ownReplies(graph: RowGraph): number[] {
  const replies: number[] = [];
  for (let row = 0; row < graph.size; row++) {
    if (graph.facts.rows.has(row, RowFlag.noResponse)) replies.push(row);
  }
  return replies;
}

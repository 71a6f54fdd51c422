import { NO_ID } from '../scan/idTable';
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

/**
 * Calls that the session was interrupted in, which the client answers itself: where the last turn has no reply,
 * its calls without a result, when a result of another call follows them or when they are of the last message.
 */
function openCalls(graph: RowGraph, messages: readonly number[], answered: ReadonlySet<number>): Set<number> {
  const { rows } = graph.facts;
  const open = new Set<number>();
  const lastMessage = messages.findLast((row) => rows.kind(row) === RowKind.assistant);
  const tail = messages.at(-1);
  if (tail === undefined || isReply(graph, tail)) return open;
  let isFollowed = false;
  for (const row of [...messages].reverse()) {
    if (rows.kind(row) === RowKind.user) {
      if (!rows.has(row, RowFlag.hasToolResult)) break;
      isFollowed = true;
    } else if (isFollowed || row === lastMessage || isSameMessage(graph, row, lastMessage)) {
      for (const call of rows.toolUses(row)) if (!answered.has(call)) open.add(call);
    }
  }
  return open;
}

/** An assistant row without a call: the turn came to its end. */
function isReply(graph: RowGraph, row: number): boolean {
  const { rows } = graph.facts;
  return rows.kind(row) === RowKind.assistant && !rows.has(row, RowFlag.hasToolUse);
}

function isSameMessage(graph: RowGraph, row: number, other: number | undefined): boolean {
  const message = graph.facts.rows.message(row);
  return other !== undefined && message !== NO_ID && message === graph.facts.rows.message(other);
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

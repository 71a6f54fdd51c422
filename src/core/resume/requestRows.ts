import { NO_ID } from '../scan/idTable';
import { RowFlag, RowKind } from '../scan/rowFlags';
import { BitSet } from '../util/bitSet';
import type { RowGraph } from './rowGraph';

/**
 * The rows whose content reaches the request of a history: API errors, calls without a result and results without a call
 * are left out. Calls at the very end are kept: the client answers them itself. (docs/format.md, "Request")
 */
export function requestRows(graph: RowGraph, history: Int32Array): BitSet {
  const { rows, keyCount } = graph.facts;
  const messages = history.filter((row) => graph.isMessage(row) && !rows.has(row, RowFlag.apiError));
  const called = new BitSet(keyCount);
  const answered = new BitSet(keyCount);
  for (const row of messages) {
    if (rows.has(row, RowFlag.hasToolUse)) for (const call of rows.toolUses(row)) called.add(call);
    if (rows.has(row, RowFlag.hasToolResult)) for (const call of rows.toolResults(row)) answered.add(call);
  }
  const open = openCalls(graph, messages, answered);
  const kept = new BitSet(graph.size);
  for (const row of messages) {
    const isCall = rows.has(row, RowFlag.hasToolUse);
    const isPaired =
      rows.has(row, RowFlag.hasText) ||
      (isCall
        ? rows.toolUses(row).some((call) => answered.has(call) || open.has(call))
        : !rows.has(row, RowFlag.hasToolResult) || rows.toolResults(row).some((call) => called.has(call)));
    if (isPaired) kept.add(row);
  }
  const tail = messages.at(-1);
  const endsOnPrompt = tail !== undefined && rows.kind(tail) === RowKind.user;
  if (endsOnPrompt || open.size > 0) addOwnReplies(graph, kept);
  return kept;
}

/**
 * Calls that the session was interrupted in, which the client answers itself: where the last turn has no reply,
 * its calls without a result, when a result of another call follows them or when they are of the last message.
 */
function openCalls(graph: RowGraph, messages: Int32Array, answered: BitSet): Set<number> {
  const { rows } = graph.facts;
  const open = new Set<number>();
  const lastMessage = messages.findLast((row) => rows.kind(row) === RowKind.assistant);
  const tail = messages.at(-1);
  if (tail === undefined || isReply(graph, tail)) return open;
  let isFollowed = false;
  for (let at = messages.length - 1; at >= 0; at--) {
    const row = messages[at] ?? 0;
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
function addOwnReplies(graph: RowGraph, kept: BitSet): void {
  for (let row = 0; row < graph.size; row++) {
    if (graph.facts.rows.has(row, RowFlag.noResponse)) kept.add(row);
  }
}

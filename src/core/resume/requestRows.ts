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
  const called = new BitSet(keyCount);
  const answered = new BitSet(keyCount);
  for (const row of history) {
    if (!isMessage(graph, row)) continue;
    rows.addToolUses(row, called);
    rows.addToolResults(row, answered);
  }
  const open = openCalls(graph, history, answered);
  for (const call of open) answered.add(call);
  const kept = new BitSet(graph.size);
  let tail = NO_ID;
  for (const row of history) {
    if (!isMessage(graph, row)) continue;
    tail = row;
    const isCall = rows.has(row, RowFlag.hasToolUse);
    const isPaired =
      rows.has(row, RowFlag.hasText) ||
      (isCall
        ? rows.someToolUse(row, answered)
        : !rows.has(row, RowFlag.hasToolResult) || rows.someToolResult(row, called));
    if (isPaired) kept.add(row);
  }
  const endsOnPrompt = tail !== NO_ID && rows.kind(tail) === RowKind.user;
  if (endsOnPrompt || open.size > 0) addOwnReplies(graph, kept);
  return kept;
}

/** Rows that are sent unless they lack their other half: messages that report no API error. */
function isMessage(graph: RowGraph, row: number): boolean {
  return graph.isMessage(row) && !graph.facts.rows.has(row, RowFlag.apiError);
}

/**
 * Calls that the session was interrupted in, which the client answers itself: where the last turn has no reply,
 * its calls without a result, when a result of another call follows them or when they are of the last message.
 */
function openCalls(graph: RowGraph, history: Int32Array, answered: BitSet): Set<number> {
  const { rows } = graph.facts;
  const open = new Set<number>();
  let isTail = true;
  let isFollowed = false;
  let lastReply: number | undefined;
  for (let at = history.length - 1; at >= 0; at--) {
    const row = history[at] ?? 0;
    if (!isMessage(graph, row)) continue;
    if (isTail && isReply(graph, row)) return open;
    isTail = false;
    if (rows.kind(row) === RowKind.user) {
      if (!rows.has(row, RowFlag.hasToolResult)) break;
      isFollowed = true;
      continue;
    }
    lastReply ??= row;
    if (!isFollowed && row !== lastReply && !isSameMessage(graph, row, lastReply)) continue;
    for (const call of rows.toolUses(row)) if (!answered.has(call)) open.add(call);
  }
  return open;
}

/** An assistant row without a call: the turn came to its end. */
function isReply(graph: RowGraph, row: number): boolean {
  const { rows } = graph.facts;
  return rows.kind(row) === RowKind.assistant && !rows.has(row, RowFlag.hasToolUse);
}

function isSameMessage(graph: RowGraph, row: number, other: number): boolean {
  const message = graph.facts.rows.message(row);
  return message !== NO_ID && message === graph.facts.rows.message(other);
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

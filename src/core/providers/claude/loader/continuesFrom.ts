import { NO_ID } from '../../../transcript/idTable';
import { RowFlag, RowKind } from '../../../transcript/rowFlags';
import { BitSet } from '../../../util/columns';
import { readableTime, type RowGraph } from './graph';

interface ContinuationRules {
  /** Accept `from` as an ancestor of the row. */
  readonly above: boolean;
  /** If `from` is a call or the result of one, accept another call of its message, or the result of one, among the ancestors. */
  readonly beside: boolean;
}

/** Whether a row, and so all its descendants, continues from another row. (docs/format.md, "Leaf") */
export function continuesFrom(graph: RowGraph, row: number, from: number, ways: ContinuationRules): boolean {
  const calls = ways.beside && graph.rules.continuesBesideCalls ? parallelCalls(graph, from) : null;
  const seen = new BitSet(graph.size);
  let below = NO_ID;
  /** The rows below belong to the same message, with no row of another in between. */
  let isOfMessage = false;
  for (let at = row; at >= 0 && !seen.has(at); at = graph.parent(at)) {
    if (ways.above && at === from) return true;
    seen.add(at);
    if (calls !== null) {
      if (at === calls.row) {
        if (isOfMessage || answersAnother(graph, below, calls)) return true;
      } else if (isCallOf(graph, at, calls.message)) {
        if (calls.above.has(at)) return true;
        isOfMessage = true;
      } else if (!isBetween(graph, at, calls.message)) isOfMessage = false;
    }
    below = at;
  }
  return false;
}

interface ParallelCalls {
  /** The row of the call that the named row is or answers. */
  readonly row: number;
  readonly calls: readonly number[];
  /** Id of its message; `NO_ID` if it has none. */
  readonly message: number;
  /** Calls that the named row answers; empty if it is the call itself. */
  readonly answered: readonly number[];
  /** Ancestors of the call that belong to its message, or are between such rows. */
  readonly above: BitSet;
}

function parallelCalls(graph: RowGraph, named: number): ParallelCalls | null {
  const { rows } = graph.index;
  const seen = new BitSet(graph.size);
  let at = named;
  while (at >= 0 && isQuiet(graph, at) && !seen.has(at)) {
    seen.add(at);
    at = graph.parent(at);
  }
  if (at < 0) return null;
  const isResult = rows.kind(at) === RowKind.user && rows.has(at, RowFlag.hasToolResult);
  // Other children of a call say by other means which call they are about.
  if (!isResult && at !== named) return null;
  const row = isResult ? graph.parent(at) : at;
  if (row < 0 || rows.kind(row) !== RowKind.assistant || !rows.has(row, RowFlag.hasToolUse)) return null;
  const message = rows.message(row);
  return {
    row,
    calls: rows.toolUses(row),
    message,
    answered: isResult ? rows.toolResults(at) : [],
    above: message === NO_ID ? new BitSet(0) : rowsAbove(graph, row, message),
  };
}

function rowsAbove(graph: RowGraph, row: number, message: number): BitSet {
  const above = new BitSet(graph.size);
  for (let at = graph.parent(row); at >= 0 && at !== row && !above.has(at); at = graph.parent(at)) {
    if (!isBetween(graph, at, message)) break;
    above.add(at);
  }
  return above;
}

/** Whether the row is a result of another call of the same row. */
function answersAnother(graph: RowGraph, row: number, { calls, answered }: ParallelCalls): boolean {
  if (row === NO_ID || !answered.some((call) => calls.includes(call))) return false;
  const { rows } = graph.index;
  if (rows.kind(row) !== RowKind.user) return false;
  return rows.toolResults(row).some((call) => calls.includes(call) && !answered.includes(call));
}

function isCallOf(graph: RowGraph, row: number, message: number): boolean {
  const { rows } = graph.index;
  if (message === NO_ID || rows.message(row) !== message) return false;
  return rows.kind(row) === RowKind.assistant && rows.has(row, RowFlag.hasToolUse);
}

/** Whether a client writes such a row between the rows of one message. */
function isBetween(graph: RowGraph, row: number, message: number): boolean {
  const { rows } = graph.index;
  switch (rows.kind(row)) {
    case RowKind.assistant:
      return message !== NO_ID && rows.message(row) === message;
    case RowKind.user:
      return rows.has(row, RowFlag.hasToolResult);
    default:
      return isQuiet(graph, row);
  }
}

function isQuiet(graph: RowGraph, row: number): boolean {
  const { rows } = graph.index;
  const kind = rows.kind(row);
  if (kind === RowKind.attachment) return true;
  return kind === RowKind.system && !rows.has(row, RowFlag.compactBoundary);
}

/**
 * Whether the row continues from the end of a reply that was written in parts, although it descends from a row between the
 * parts. Neither has children, and the branch is newer than the end. (docs/format.md, "Leaf")
 */
export function continuesSplitReply(graph: RowGraph, row: number, end: number): boolean {
  if (!graph.rules.continuesBesideSplitReplies) return false;
  const above = partAbove(graph, end);
  if (above === NO_ID || hasChildren(graph, end) || hasChildren(graph, row)) return false;
  let hasMessage = false;
  let first = row;
  for (let steps = 0; first >= 0 && graph.parent(first) !== above && steps <= graph.size; steps++) {
    hasMessage ||= isSpoken(graph, first);
    first = graph.parent(first);
  }
  if (first < 0 || graph.parent(first) !== above) return false;
  return (hasMessage || isSpoken(graph, first)) && readableTime(graph, first) > readableTime(graph, end);
}

/**
 * The parent of the last part of a reply without calls, if only attachments and system rows are between that part and the
 * part above it; else `NO_ID`.
 */
function partAbove(graph: RowGraph, end: number): number {
  const { rows } = graph.index;
  const message = rows.message(end);
  if (message === NO_ID || rows.kind(end) !== RowKind.assistant) return NO_ID;
  for (let row = 0; row < graph.size; row++) {
    if (graph.isHeld(row) && rows.message(row) === message && rows.has(row, RowFlag.hasToolUse)) return NO_ID;
  }
  const above = graph.parent(end);
  let at = above;
  for (let steps = 0; at >= 0 && isQuiet(graph, at) && steps <= graph.size; steps++) at = graph.parent(at);
  return at >= 0 && at !== above && rows.message(at) === message ? above : NO_ID;
}

/** A reply, or a prompt that a person wrote. */
function isSpoken(graph: RowGraph, row: number): boolean {
  const { rows } = graph.index;
  if (rows.kind(row) === RowKind.assistant) return true;
  return rows.kind(row) === RowKind.user && rows.holdsContent(row) && !rows.has(row, RowFlag.hasToolResult);
}

function hasChildren(graph: RowGraph, parent: number): boolean {
  for (let row = 0; row < graph.size; row++) if (graph.isHeld(row) && graph.parent(row) === parent) return true;
  return false;
}

import { NO_ID } from '../../../transcript/idTable';
import { BitSet } from '../../../util/columns';
import { continuesFrom } from './continuesFrom';
import { nearestMessage, type RowGraph } from './graph';
import { latestDescendant } from './latestDescendant';

export interface LoadedRows {
  /** The last non-sidechain row that the loader read, even if a compaction removed it; `NO_ID` if there is none. */
  readonly last: number;
  /** The last compaction kept rows from before it. */
  readonly hasKeptRows: boolean;
}

/** What the newest `last-prompt` states, if it is still valid. */
interface Pointer {
  /** The row that it names; `NO_ID` if it names none, or one that the loader does not have. */
  readonly row: number;
  /** It was written on purpose, for example by a rewind. */
  readonly wasOnPurpose: boolean;
  /** It was written on purpose, and no row came after it. */
  readonly isOnPurpose: boolean;
  /** It states that the conversation is empty. */
  readonly isEmpty: boolean;
}

const NOWHERE: Pointer = { row: NO_ID, wasOnPurpose: false, isOnPurpose: false, isEmpty: false };

/**
 * The row that a resume starts from, or `NO_ID`. This is the row that the newest `last-prompt` names, or the last row of
 * the file if that continues from it. Without a valid `last-prompt`, it is the last row of the file. (docs/format.md, "Leaf")
 */
export function chooseLeaf(graph: RowGraph, { last, hasKeptRows }: LoadedRows): number {
  const pointer = pointerOf(graph, last);
  if (pointer.isEmpty) return NO_ID;
  const end = last !== NO_ID && graph.isHeld(last) ? last : NO_ID;
  const isNamed = pointer.row !== NO_ID;
  // After a compaction that kept rows, the client considers all tips, unless a rewind decides.
  if (!hasKeptRows || (isNamed && pointer.isOnPurpose && !graph.isSidechain(pointer.row))) {
    const start = isNamed ? startFrom(graph, pointer, end) : hasKeptRows ? NO_ID : startFromEnd(graph, end);
    if (nearestMessage(graph, start) !== NO_ID) return unlessSidechain(graph, start);
  }
  return unlessSidechain(
    graph,
    chooseTip(graph, end, (tips) => startAmong(graph, tips, pointer, end)),
  );
}

/** A `last-prompt` from before a compaction is ignored. */
function pointerOf(graph: RowGraph, last: number): Pointer {
  const { lastPrompt, boundaries } = graph.index;
  if (lastPrompt === null) return NOWHERE;
  const { rowsBefore, isExplicit: wasOnPurpose } = lastPrompt;
  if (boundaries.some(({ row }) => row >= rowsBefore && graph.wasRead(row))) return NOWHERE;
  const isOnPurpose = wasOnPurpose && last < rowsBefore;
  if (lastPrompt.leaf === NO_ID) return { ...NOWHERE, wasOnPurpose, isOnPurpose, isEmpty: isOnPurpose };
  return { row: graph.rowOf(lastPrompt.leaf), wasOnPurpose, isOnPurpose, isEmpty: false };
}

function startFrom(graph: RowGraph, { row, isOnPurpose, wasOnPurpose }: Pointer, end: number): number {
  if (isOnPurpose || end === NO_ID || end === row) return row;
  return continuesFrom(graph, end, row, { above: true, beside: !wasOnPurpose }) ? end : row;
}

/** If no `last-prompt` ever named a row, the client continues to the last row's descendant that is newest in time. */
function startFromEnd(graph: RowGraph, end: number): number {
  return end === NO_ID || graph.index.lastPrompt !== null ? end : latestDescendant(graph, end);
}

/** The named row if it is a tip and the last row does not continue from its calls; else the last row. `NO_ID`: neither. */
function startAmong(graph: RowGraph, tips: BitSet, pointer: Pointer, end: number): number {
  const { row, isOnPurpose, wasOnPurpose } = pointer;
  const isTip = row !== NO_ID && tips.has(row);
  const isLeft =
    !isOnPurpose && end !== NO_ID && continuesFrom(graph, end, row, { above: false, beside: !wasOnPurpose });
  const start = isTip && !isLeft ? row : end;
  return nearestMessage(graph, start) === NO_ID ? NO_ID : start;
}

/** The client reports "No conversation found" instead of resuming a subagent's message. */
function unlessSidechain(graph: RowGraph, start: number): number {
  const message = nearestMessage(graph, start);
  return message === NO_ID || graph.isSidechain(message) ? NO_ID : start;
}

/**
 * Where a resume starts if neither the named row nor the last row qualifies: among the tips. A tip is a message without
 * child messages that is the nearest message above a row without children. Of several tips, the one that `choose` returns,
 * else the newest in time; without tips, the newest non-sidechain row. `end` replaces the tip that it leads to.
 * (docs/format.md, "Leaf")
 */
function chooseTip(graph: RowGraph, end: number, choose: (tips: BitSet) => number): number {
  const tips = findTips(graph);
  const rows = rowsInOrder(graph, (row) => tips.has(row));
  if (rows.length === 0)
    return newestOf(
      graph,
      rowsInOrder(graph, (row) => !graph.isSidechain(row)),
    );
  const chosen = rows.length > 1 ? choose(tips) : NO_ID;
  if (chosen !== NO_ID) return chosen;
  const newest = newestOf(graph, rows);
  return nearestMessage(graph, end) === newest ? end : newest;
}

function findTips(graph: RowGraph): BitSet {
  const isParent = new BitSet(graph.size);
  const isParentOfMessage = new BitSet(graph.size);
  for (let row = 0; row < graph.size; row++) {
    const parent = graph.isHeld(row) ? graph.parent(row) : NO_ID;
    if (parent < 0) continue;
    isParent.add(parent);
    if (graph.isMessage(row)) isParentOfMessage.add(parent);
  }
  const tips = new BitSet(graph.size);
  // Rows without a message above them, or on the path to another tip.
  const isDone = new BitSet(graph.size);
  for (let row = 0; row < graph.size; row++) {
    if (!graph.isHeld(row) || isParent.has(row)) continue;
    let at = row;
    while (at >= 0 && !graph.isMessage(at) && !isDone.has(at)) {
      isDone.add(at);
      at = graph.parent(at);
    }
    if (at >= 0 && graph.isMessage(at) && !isParentOfMessage.has(at)) tips.add(at);
  }
  return tips;
}

/** Wanted held rows in the loader's order. They are filtered before sorting because they are few. */
function rowsInOrder(graph: RowGraph, isWanted: (row: number) => boolean): number[] {
  const wanted: number[] = [];
  for (let row = 0; row < graph.size; row++) if (graph.isHeld(row) && isWanted(row)) wanted.push(row);
  return wanted.sort((x, y) => graph.placeOf(x) - graph.placeOf(y));
}

/** The first of the newest rows; if no row has a time, the last row. `NO_ID` if there are none. */
function newestOf(graph: RowGraph, rows: readonly number[]): number {
  let newest = NO_ID;
  let newestMs = -Infinity;
  for (const row of rows) {
    const time = graph.index.rows.timestamp(row);
    const ms = Number.isNaN(time) ? -Infinity : time;
    if (ms <= newestMs && newestMs !== -Infinity) continue;
    newest = row;
    newestMs = ms;
  }
  return newest;
}

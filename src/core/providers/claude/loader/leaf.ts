import { NO_ID } from '../../../transcript/idTable';
import { BitSet } from '../../../util/columns';
import { continuesFrom } from './continuesFrom';
import { nearestMessage, type RowGraph } from './graph';
import { latestDescendant } from './latestDescendant';

export interface LoadedRows {
  /** The last main-lane row that the loader read, also one that a compaction dropped; `NO_ID` for none. */
  readonly last: number;
  /** The last compaction kept rows from before it. */
  readonly hasKeptRows: boolean;
}

/** What the newest `last-prompt` says that is still in force. */
interface Pointer {
  /** The row that it names; `NO_ID` for one that the loader does not have, and for none. */
  readonly row: number;
  /** It was written on purpose, as by a rewind. */
  readonly wasOnPurpose: boolean;
  /** And nothing came after it. */
  readonly isOnPurpose: boolean;
  /** It says that the conversation is empty. */
  readonly isEmpty: boolean;
}

const NOWHERE: Pointer = { row: NO_ID, wasOnPurpose: false, isOnPurpose: false, isEmpty: false };

/**
 * The row that a resume starts from, or `NO_ID`: the row that the newest `last-prompt` names, or the last row of the
 * file when that goes on from it; without a `last-prompt` that counts, the last row of the file. (docs/format.md, "Leaf")
 */
export function chooseLeaf(graph: RowGraph, { last, hasKeptRows }: LoadedRows): number {
  const pointer = pointerOf(graph, last);
  if (pointer.isEmpty) return NO_ID;
  const end = last !== NO_ID && graph.isHeld(last) ? last : NO_ID;
  const isNamed = pointer.row !== NO_ID;
  // Behind a compaction that kept rows the client looks at all tips, unless a rewind has the word.
  if (!hasKeptRows || (isNamed && pointer.isOnPurpose && !graph.isSidechain(pointer.row))) {
    const start = isNamed ? startFrom(graph, pointer, end) : hasKeptRows ? NO_ID : startFromEnd(graph, end);
    if (nearestMessage(graph, start) !== NO_ID) return unlessSidechain(graph, start);
  }
  return unlessSidechain(
    graph,
    chooseTip(graph, end, (tips) => startAmong(graph, tips, pointer, end)),
  );
}

/** What was named before a compaction is forgotten with it. */
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

/** Where no `last-prompt` ever named a row, the client goes on to the newest row in time that hangs from the last one. */
function startFromEnd(graph: RowGraph, end: number): number {
  return end === NO_ID || graph.index.lastPrompt !== null ? end : latestDescendant(graph, end);
}

/** The named row where it is a tip and the last row is none of its calls' next; else the last row. `NO_ID`: neither. */
function startAmong(graph: RowGraph, tips: BitSet, pointer: Pointer, end: number): number {
  const { row, isOnPurpose, wasOnPurpose } = pointer;
  const isTip = row !== NO_ID && tips.has(row);
  const isLeft =
    !isOnPurpose && end !== NO_ID && continuesFrom(graph, end, row, { above: false, beside: !wasOnPurpose });
  const start = isTip && !isLeft ? row : end;
  return nearestMessage(graph, start) === NO_ID ? NO_ID : start;
}

/** The client says "No conversation found" rather than resume a subagent's message. */
function unlessSidechain(graph: RowGraph, start: number): number {
  const message = nearestMessage(graph, start);
  return message === NO_ID || graph.isSidechain(message) ? NO_ID : start;
}

/**
 * Where a resume starts when neither the row that is named nor the last row does: among the tips, messages without a
 * message below them to which a row leads that nothing hangs from. Of several the one that `choose` takes, else the
 * newest in time; without any the newest main-lane row. `end` stands for the tip that it leads to. (docs/format.md, "Leaf")
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
  // A row above which no message is, or that another tip leads through.
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

/** Held rows in the loader's order. The few that are wanted are chosen before they are sorted. */
function rowsInOrder(graph: RowGraph, isWanted: (row: number) => boolean): number[] {
  const wanted: number[] = [];
  for (let row = 0; row < graph.size; row++) if (graph.isHeld(row) && isWanted(row)) wanted.push(row);
  return wanted.sort((x, y) => graph.placeOf(x) - graph.placeOf(y));
}

/** The first of the newest; where none has a time, the last. `NO_ID` when there are none. */
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

import { NO_ID } from '../../../transcript/idTable';
import { RowFlag } from '../../../transcript/rowFlags';
import { BitSet } from '../../../util/columns';
import { continuesFrom, continuesSplitReply } from './continuesFrom';
import { nearestMessage, readableTime, type RowGraph } from './graph';

/** The end of the file. */
interface FileEnd {
  /**
   * The last non-sidechain row that the loader read, even if a compaction removed it, without those that it passes over;
   * `NO_ID` if there is none.
   */
  readonly last: number;
  /** No row that it passes over follows. */
  readonly isLast: boolean;
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

/** The row that a resume starts from. */
export interface ChosenLeaf {
  /** `NO_ID` if the client resumes nothing. */
  readonly row: number;
  /** The client resumes nothing because the row that it chose belongs to a subagent. */
  readonly isOfSubagent: boolean;
}

/**
 * The row that a resume starts from: the row that the newest `last-prompt` names, or the last row of the file if that continues
 * from it. Without a valid `last-prompt`, it is the last row of the file. The client reports "No conversation found" instead of
 * resuming a subagent's message, and old ones also instead of resuming one without a readable time. If the links of all messages
 * form rings, it may be a row that leads to no message, and the client then resumes what healing finds. (docs/format.md, "Leaf")
 *
 * @param hasKeptRows the last compaction kept rows from before it
 */
export function chooseLeaf(graph: RowGraph, hasKeptRows: boolean): ChosenLeaf {
  const start = chooseStart(graph, hasKeptRows);
  const message = nearestMessage(graph, start);
  if (message === NO_ID) return { row: start, isOfSubagent: false };
  const isOfSubagent = graph.isSidechain(message);
  return { row: !isOfSubagent && isChoosable(graph, message) ? start : NO_ID, isOfSubagent };
}

function chooseStart(graph: RowGraph, hasKeptRows: boolean): number {
  const { last, isLast } = findFileEnd(graph);
  const pointer = pointerOf(graph, last);
  if (pointer.isEmpty || !hasChoice(graph)) return NO_ID;
  const isNamed = pointer.row !== NO_ID;
  const end = last !== NO_ID && graph.isHeld(last) && (isLast || isNamed) ? last : NO_ID;
  // After a compaction that kept rows, the client considers all tips, unless a rewind decides.
  if (!hasKeptRows || (isNamed && pointer.isOnPurpose && !graph.isSidechain(pointer.row))) {
    const start = isNamed ? startFrom(graph, pointer, end) : hasKeptRows ? NO_ID : startFromEnd(graph, end);
    if (nearestMessage(graph, start) !== NO_ID) return start;
  }
  return chooseTip(graph, end, (tips) => startAmong(graph, tips, pointer, end));
}

function findFileEnd(graph: RowGraph): FileEnd {
  let isLast = true;
  for (let row = graph.size - 1; row >= 0; row--) {
    if (graph.isSidechain(row) || !graph.wasRead(row)) continue;
    if (!graph.isPassedOver(row)) return { last: row, isLast };
    isLast = false;
  }
  return { last: NO_ID, isLast };
}

/** A `last-prompt` from before a compaction is ignored. */
function pointerOf(graph: RowGraph, last: number): Pointer {
  const { lastPrompt } = graph;
  const { boundaries } = graph.index;
  if (lastPrompt === null) return NOWHERE;
  const { rowsBefore, isExplicit: wasOnPurpose } = lastPrompt;
  if (boundaries.some(({ row }) => row >= rowsBefore && graph.wasRead(row))) return NOWHERE;
  const isOnPurpose = wasOnPurpose && last < rowsBefore;
  if (lastPrompt.leaf === NO_ID) return { ...NOWHERE, wasOnPurpose, isOnPurpose, isEmpty: isOnPurpose };
  return { row: graph.rowOf(lastPrompt.leaf), wasOnPurpose, isOnPurpose, isEmpty: false };
}

function startFrom(graph: RowGraph, { row, isOnPurpose, wasOnPurpose }: Pointer, end: number): number {
  if (isOnPurpose || end === NO_ID || end === row) return row;
  if (continuesFrom(graph, end, row, { above: true, beside: !wasOnPurpose })) return end;
  return continuesSplitReply(graph, end, row) ? end : row;
}

/** If no `last-prompt` ever named a row, the client continues to the last row's descendant that is newest in time. */
function startFromEnd(graph: RowGraph, end: number): number {
  const isFixed = end === NO_ID || graph.lastPrompt !== null || !graph.rules.continuesToDescendants;
  return isFixed ? end : latestDescendant(graph, end);
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

/**
 * Where a resume starts if neither the named row nor the last row qualifies: among the tips. A tip is a message without
 * child messages that is the nearest message above a row without children. Of several tips, the one that `choose` returns,
 * else the newest in time that is not of a subagent, if any is not; without tips, the newest non-sidechain row. `end` replaces the
 * tip that it leads to.
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
  const ofConversation = rows.filter((row) => !graph.isSidechain(row));
  const newest = newestOf(graph, ofConversation.length === 0 ? rows : ofConversation);
  if (newest === NO_ID) return NO_ID;
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
    if (!isChoosable(graph, row)) continue;
    const time = choiceTime(graph, row);
    const ms = Number.isNaN(time) ? -Infinity : time;
    if (ms <= newestMs && newestMs !== -Infinity) continue;
    newest = row;
    newestMs = ms;
  }
  return newest;
}

/** Whether any row of the conversation may be chosen. */
function hasChoice(graph: RowGraph): boolean {
  // From the end, where such a row usually is.
  for (let row = graph.size - 1; row >= 0; row--) {
    if (graph.isHeld(row) && !graph.isSidechain(row) && isChoosable(graph, row)) return true;
  }
  return false;
}

/** Whether the client may resume from the message. Old ones compare the times even if there is only one, and then find none. */
export function isChoosable(graph: RowGraph, row: number): boolean {
  return graph.rules.choosesTipsWithoutTime || !Number.isNaN(choiceTime(graph, row));
}

/** Old clients parse a number as if it were a text, so that small ones are years or months. */
function choiceTime(graph: RowGraph, row: number): number {
  const { rows } = graph.index;
  const isParsed = !graph.rules.choosesTipsWithoutTime && rows.has(row, RowFlag.numericTime);
  return isParsed ? Date.parse(String(rows.timestamp(row))) : readableTime(graph, row);
}

/**
 * Of all non-sidechain descendants of the row that lead to a message, the newest in time. The row itself if it has no
 * such descendants, or if no row of the file is newer than it. (docs/format.md, "Leaf")
 */
function latestDescendant(graph: RowGraph, from: number): number {
  if (!isParent(graph, from) || isNewest(graph, from)) return from;
  const { first, next } = childrenRead(graph);
  const seen = new BitSet(graph.size);
  seen.add(from);
  const open = [from];
  let newest = NO_ID;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const isTimed = at !== from && !Number.isNaN(readableTime(graph, at));
    if (isTimed && isAfter(graph, at, newest) && nearestMessage(graph, at) !== NO_ID) newest = at;
    for (let link = first[at] ?? NO_ID; link !== NO_ID; link = next[link] ?? NO_ID) {
      const child = graph.rowNamedLike(link);
      if (seen.has(child)) continue;
      seen.add(child);
      open.push(child);
    }
  }
  return newest === NO_ID ? from : newest;
}

/** Later in time, or, at the same time, later in the loader's order. */
function isAfter(graph: RowGraph, row: number, other: number): boolean {
  if (other === NO_ID) return true;
  const later = readableTime(graph, row) - readableTime(graph, other);
  return later > 0 || (later === 0 && graph.placeOf(row) > graph.placeOf(other));
}

/** No row is as new. Those without a readable time do not count. */
function isNewest(graph: RowGraph, row: number): boolean {
  const time = readableTime(graph, row);
  for (let at = 0; at < graph.size; at++) {
    if (at === row || !graph.wasRead(at) || graph.isSidechain(at) || graph.isPassedOver(at)) continue;
    const other = readableTime(graph, at);
    if (!Number.isNaN(other) && !(other < time)) return false;
  }
  return true;
}

/** Whether any link, as it was read, names the row. */
function isParent(graph: RowGraph, row: number): boolean {
  const uuid = graph.index.rows.uuid(row);
  if (uuid === NO_ID) return false;
  for (let at = 0; at < graph.size; at++) if (graph.parentId(at) === uuid) return true;
  return false;
}

/**
 * Non-sidechain children by the links as they were read, including the links of rows that another with the same uuid
 * replaced. They are linked lists; each link is identified by the row that was read.
 */
interface ChildrenRead {
  readonly first: Int32Array;
  readonly next: Int32Array;
}

function childrenRead(graph: RowGraph): ChildrenRead {
  const first = new Int32Array(graph.size).fill(NO_ID);
  const next = new Int32Array(graph.size).fill(NO_ID);
  for (let link = graph.size - 1; link >= 0; link--) {
    if (!graph.wasRead(link)) continue;
    const parent = graph.parentRead(link);
    const child = graph.rowNamedLike(link);
    if (parent === NO_ID || child === NO_ID || graph.isSidechain(child)) continue;
    next[link] = first[parent] ?? NO_ID;
    first[parent] = link;
  }
  return { first, next };
}

import { NO_ID } from '../transcript/idTable';
import type { BitSet } from '../util/columns';
import { chooseTip } from './chooseTip';
import { goesOnFrom } from './goesOnFrom';
import { nearestMessage } from './nearestMessage';
import { newestBelow } from './newestBelow';
import type { RowGraph } from './rowGraph';

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
  const { lastPrompt, boundaries } = graph.facts;
  if (lastPrompt === null) return NOWHERE;
  const { rowsBefore, isExplicit: wasOnPurpose } = lastPrompt;
  if (boundaries.some(({ row }) => row >= rowsBefore && graph.wasRead(row))) return NOWHERE;
  const isOnPurpose = wasOnPurpose && last < rowsBefore;
  if (lastPrompt.leaf === NO_ID) return { ...NOWHERE, wasOnPurpose, isOnPurpose, isEmpty: isOnPurpose };
  return { row: graph.rowOf(lastPrompt.leaf), wasOnPurpose, isOnPurpose, isEmpty: false };
}

function startFrom(graph: RowGraph, { row, isOnPurpose, wasOnPurpose }: Pointer, end: number): number {
  if (isOnPurpose || end === NO_ID || end === row) return row;
  return goesOnFrom(graph, end, row, { above: true, beside: !wasOnPurpose }) ? end : row;
}

/** Where no `last-prompt` ever named a row, the client goes on to the newest row in time that hangs from the last one. */
function startFromEnd(graph: RowGraph, end: number): number {
  return end === NO_ID || graph.facts.lastPrompt !== null ? end : newestBelow(graph, end);
}

/** The named row where it is a tip and the last row is none of its calls' next; else the last row. `NO_ID`: neither. */
function startAmong(graph: RowGraph, tips: BitSet, pointer: Pointer, end: number): number {
  const { row, isOnPurpose, wasOnPurpose } = pointer;
  const isTip = row !== NO_ID && tips.has(row);
  const isLeft = !isOnPurpose && end !== NO_ID && goesOnFrom(graph, end, row, { above: false, beside: !wasOnPurpose });
  const start = isTip && !isLeft ? row : end;
  return nearestMessage(graph, start) === NO_ID ? NO_ID : start;
}

/** The client says "No conversation found" rather than resume a subagent's message. */
function unlessSidechain(graph: RowGraph, start: number): number {
  const message = nearestMessage(graph, start);
  return message === NO_ID || graph.isSidechain(message) ? NO_ID : start;
}

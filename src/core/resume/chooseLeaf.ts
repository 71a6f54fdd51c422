import { NO_ID } from '../scan/idTable';
import { RowFlag } from '../scan/rowFlags';
import type { LastPrompt } from '../scan/lastPrompt';
import { BitSet } from '../util/bitSet';
import type { RowGraph } from './rowGraph';

/**
 * The row that a resume starts from, or `NO_ID`: the row that the newest `last-prompt` names, or the last row of the
 * file when that descends from it; without a `last-prompt` that counts, the last row of the file. A
 * `last-prompt` that was written on purpose (`explicit`) counts until rows come after it. (docs/format.md, "Leaf")
 */
export function chooseLeaf(graph: RowGraph): number {
  const { lastPrompt } = graph.facts;
  const rewind = lastPrompt?.isExplicit === true ? lastPrompt : null;
  if (lastPrompt === null) return lastTip(graph, null);
  const last = lastRow(graph);
  const isNewer = rewind === null || last >= rewind.rowsBefore;
  // An empty conversation.
  if (lastPrompt.leaf === NO_ID) return isNewer ? lastTip(graph, rewind) : NO_ID;
  const leaf = graph.rowOf(lastPrompt.leaf);
  if (nearestMessage(graph, leaf) === NO_ID) return lastTip(graph, rewind);
  const start = last !== NO_ID && isNewer && descendsFrom(graph, last, leaf, rewind === null) ? last : leaf;
  // The client says "No conversation found" rather than resume a subagent's message.
  return graph.isSidechain(nearestMessage(graph, start)) ? NO_ID : start;
}

/** Main-lane rows from the last to the first. */
function* mainRowsBackwards(graph: RowGraph): Generator<number> {
  for (let row = graph.size - 1; row >= 0; row--) {
    if (graph.isHeld(row) && !graph.isSidechain(row)) yield row;
  }
}

/** The last main-lane row that stands at `from` or later in the loader's order. */
function lastRow(graph: RowGraph, from = 0): number {
  for (const row of mainRowsBackwards(graph)) if (graph.placeOf(row) >= from) return row;
  return NO_ID;
}

/**
 * The last row since a recorded rewind; without one the last main-lane row, moved on to the newest row in time that hangs
 * from it. Where that leads to no message: the last row that does and that nothing hangs from, else the last message.
 */
function lastTip(graph: RowGraph, rewind: LastPrompt | null): number {
  if (rewind !== null) {
    const since = lastRow(graph, rewind.rowsBefore);
    if (since !== NO_ID && nearestMessage(graph, since) !== NO_ID) return since;
  }
  const last = lastRow(graph);
  if (last === NO_ID) return NO_ID;
  if (!isParent(graph, last) && nearestMessage(graph, last) !== NO_ID) return last;
  const children = childrenRead(graph);
  const newest = newestBelow(graph, last, children);
  if (newest !== NO_ID) return newest;
  for (const row of mainRowsBackwards(graph)) {
    if (children.first[row] === NO_ID && nearestMessage(graph, row) !== NO_ID) return row;
  }
  for (const row of mainRowsBackwards(graph)) if (graph.isMessage(row)) return row;
  return NO_ID;
}

/** Some link, as it was read, names the row. */
function isParent(graph: RowGraph, row: number): boolean {
  const uuid = graph.facts.rows.uuid(row);
  if (uuid === NO_ID) return false;
  for (let at = 0; at < graph.size; at++) if (graph.parentId(at) === uuid) return true;
  return false;
}

/**
 * Main-lane children by the links as they were read, also by that of a row which another of the same uuid replaced: lists
 * of links, each named by the row that was read.
 */
interface ChildrenRead {
  readonly first: Int32Array;
  readonly next: Int32Array;
}

function childrenRead(graph: RowGraph): ChildrenRead {
  const first = new Int32Array(graph.size).fill(NO_ID);
  const next = new Int32Array(graph.size).fill(NO_ID);
  for (let link = graph.size - 1; link >= 0; link--) {
    const parent = graph.parentRead(link);
    const child = graph.rowNamedLike(link);
    if (parent === NO_ID || child === NO_ID || graph.isSidechain(child)) continue;
    next[link] = first[parent] ?? NO_ID;
    first[parent] = link;
  }
  return { first, next };
}

/** The newest row in time, of the row and all below it, that leads to a message; `NO_ID` when none does. */
function newestBelow(graph: RowGraph, from: number, { first, next }: ChildrenRead): number {
  const { rows } = graph.facts;
  const seen = new BitSet(graph.size);
  const open = [from];
  seen.add(from);
  let newest = nearestMessage(graph, from) === NO_ID ? NO_ID : from;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const isNewer = newest === NO_ID || rows.timestamp(at) >= rows.timestamp(newest);
    if (isNewer && nearestMessage(graph, at) !== NO_ID) newest = at;
    for (let link = first[at] ?? NO_ID; link !== NO_ID; link = next[link] ?? NO_ID) {
      const child = graph.rowNamedLike(link);
      if (seen.has(child)) continue;
      seen.add(child);
      open.push(child);
    }
  }
  return newest;
}

/** The row, or the nearest one above it, that is a user or assistant row; `NO_ID` when there is none. */
function nearestMessage(graph: RowGraph, from: number): number {
  let at = from;
  for (let steps = 0; at >= 0 && steps <= graph.size; steps++) {
    if (graph.isMessage(at)) return at;
    at = graph.parent(at);
  }
  return NO_ID;
}

/** The leaf is on the way from the row to its root, or, where that counts, is a result of parallel calls beside it. */
function descendsFrom(graph: RowGraph, row: number, leaf: number, isBesideEnough: boolean): boolean {
  const ancestors = new BitSet(graph.size);
  for (let at = row; at >= 0 && !ancestors.has(at); at = graph.parent(at)) ancestors.add(at);
  if (ancestors.has(leaf)) return true;
  if (!isBesideEnough) return false;
  const parent = graph.parent(leaf);
  return graph.facts.rows.has(leaf, RowFlag.hasToolResult) && parent >= 0 && ancestors.has(parent);
}

import { NO_ID } from '../scan/idTable';
import type { LastPrompt } from '../scan/transcriptFacts';
import type { RowGraph } from './rowGraph';

/**
 * The row that a resume starts from, or `NO_ID`: the row that the newest `last-prompt` names, or the last row of the
 * file when that descends from it; without a `last-prompt` that counts, the last row of the file. A
 * `last-prompt` that was written on purpose (`explicit`) counts until rows come after it. (docs/format.md, "Leaf")
 */
export function chooseLeaf(graph: RowGraph): number {
  const pointer = newestPointer(graph);
  if (pointer === null) return lastTip(graph);
  const last = lastRow(graph);
  const isNewer = !pointer.isExplicit || last >= pointer.rowsBefore;
  if (pointer.leafForm === 'null') return isNewer ? lastTip(graph) : NO_ID;
  const leaf = graph.rowOf(pointer.leaf);
  if (last !== NO_ID && isNewer && descendsFrom(graph, last, leaf)) return last;
  // The client says "No conversation found" rather than resume a subagent's row.
  return graph.isSidechain(leaf) ? NO_ID : leaf;
}

/**
 * The newest `last-prompt` that says anything of the leaf: null when the row it names is not in the file or leads to no
 * message. An older one does not stand in for it.
 */
function newestPointer(graph: RowGraph): LastPrompt | null {
  const { lastPrompts } = graph.facts;
  for (let at = lastPrompts.count - 1; at >= 0; at--) {
    const entry = lastPrompts.get(at);
    if (entry.leafForm === 'row') return hasMessage(graph, graph.rowOf(entry.leaf)) ? entry : null;
    if (entry.leafForm === 'null' && entry.isExplicit) return entry;
  }
  return null;
}

/** The last main-lane row of the file. */
function lastRow(graph: RowGraph): number {
  for (let row = graph.size - 1; row >= 0; row--) {
    if (graph.isHeld(row) && !graph.isSidechain(row)) return row;
  }
  return NO_ID;
}

/**
 * The last main-lane row, moved on to the newest row in time that hangs from it; where that leads to no message, the last
 * row that does and that nothing hangs from.
 */
function lastTip(graph: RowGraph): number {
  const children = mainLaneChildren(graph);
  const last = lastRow(graph);
  if (last === NO_ID) return NO_ID;
  const newest = newestBelow(graph, last, children);
  if (hasMessage(graph, newest)) return newest;
  for (let row = graph.size - 1; row >= 0; row--) {
    if (!graph.isHeld(row) || graph.isSidechain(row) || children.first[row] !== NO_ID) continue;
    if (hasMessage(graph, row)) return row;
  }
  return NO_ID;
}

/** First child and next sibling of each row. */
interface Children {
  readonly first: Int32Array;
  readonly next: Int32Array;
}

function mainLaneChildren(graph: RowGraph): Children {
  const first = new Int32Array(graph.size).fill(NO_ID);
  const next = new Int32Array(graph.size).fill(NO_ID);
  for (let row = graph.size - 1; row >= 0; row--) {
    if (!graph.isHeld(row) || graph.isSidechain(row)) continue;
    const parent = graph.parent(row);
    if (parent < 0) continue;
    next[row] = first[parent] ?? NO_ID;
    first[parent] = row;
  }
  return { first, next };
}

function newestBelow(graph: RowGraph, from: number, children: Children): number {
  const { rows } = graph.facts;
  const seen = new Set([from]);
  const open = [from];
  let newest = from;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (rows.timestamp(at) > rows.timestamp(newest)) newest = at;
    for (let child = children.first[at] ?? NO_ID; child !== NO_ID; child = children.next[child] ?? NO_ID) {
      if (seen.has(child)) continue;
      seen.add(child);
      open.push(child);
    }
  }
  return newest;
}

/** The row, or one above it, is a user or assistant row. */
function hasMessage(graph: RowGraph, from: number): boolean {
  let at = from;
  for (let steps = 0; at >= 0 && steps <= graph.size; steps++) {
    if (graph.isMessage(at)) return true;
    at = graph.parent(at);
  }
  return false;
}

function descendsFrom(graph: RowGraph, row: number, ancestor: number): boolean {
  let at = row;
  for (let steps = 0; at >= 0 && steps <= graph.size; steps++) {
    if (at === ancestor) return true;
    at = graph.parent(at);
  }
  return false;
}

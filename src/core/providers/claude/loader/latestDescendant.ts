import { NO_ID } from '../../../transcript/idTable';
import { BitSet } from '../../../util/columns';
import { nearestMessage, type RowGraph } from './graph';

/**
 * Of all non-sidechain descendants of the row that lead to a message, the newest in time. The row itself if it has no
 * such descendants, or if no row of the file is newer than it. (docs/format.md, "Leaf")
 */
export function latestDescendant(graph: RowGraph, from: number): number {
  if (!isParent(graph, from) || isNewest(graph, from)) return from;
  const { first, next } = childrenRead(graph);
  const { rows } = graph.index;
  const seen = new BitSet(graph.size);
  seen.add(from);
  const open = [from];
  let newest = NO_ID;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at !== from && isAfter(graph, at, newest) && nearestMessage(graph, at) !== NO_ID) newest = at;
    for (let link = first[at] ?? NO_ID; link !== NO_ID; link = next[link] ?? NO_ID) {
      const child = graph.rowNamedLike(link);
      if (seen.has(child) || Number.isNaN(rows.timestamp(child))) continue;
      seen.add(child);
      open.push(child);
    }
  }
  return newest === NO_ID ? from : newest;
}

/** Later in time, or, at the same time, later in the loader's order. */
function isAfter(graph: RowGraph, row: number, other: number): boolean {
  if (other === NO_ID) return true;
  const later = graph.index.rows.timestamp(row) - graph.index.rows.timestamp(other);
  return later > 0 || (later === 0 && graph.placeOf(row) > graph.placeOf(other));
}

function isNewest(graph: RowGraph, row: number): boolean {
  const { rows } = graph.index;
  const time = rows.timestamp(row);
  for (let at = 0; at < graph.size; at++) {
    if (at !== row && graph.wasRead(at) && !graph.isSidechain(at) && !(rows.timestamp(at) < time)) return false;
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
    const parent = graph.parentRead(link);
    const child = graph.rowNamedLike(link);
    if (parent === NO_ID || child === NO_ID || graph.isSidechain(child)) continue;
    next[link] = first[parent] ?? NO_ID;
    first[parent] = link;
  }
  return { first, next };
}

import { NO_ID } from '../../../transcript/idTable';
import type { CompactBoundary } from '../../../transcript/transcriptIndex';
import { BROKEN, ROOT, type RowGraph } from './graph';

/**
 * Ends the history at the last compaction. Rows that its boundary preserves are linked, in their order, between the anchor
 * and the rows that followed it, and all other rows before the boundary are removed. A boundary that names no rows, or
 * rows that are not in the file, removes nothing. (docs/format.md, "Compaction")
 *
 * @returns whether rows from before the boundary were kept
 */
export function applyCompaction(graph: RowGraph): boolean {
  const boundary = lastBoundary(graph);
  if (boundary === null) return false;
  const kept = preservedRows(graph, boundary);
  if (kept !== null) {
    const keptSet = new Set(kept);
    relinkFollowers(graph, boundary, keptSet, kept.at(-1));
    const start = graph.placeOf(boundary.row);
    for (let row = 0; row < graph.size; row++) {
      if (graph.placeOf(row) < start && !keptSet.has(row)) graph.remove(row);
    }
    const anchor = graph.rowOf(anchorOf(boundary));
    kept.forEach((row, at) => {
      graph.setParent(row, kept[at - 1] ?? (anchor === NO_ID ? BROKEN : anchor));
    });
  }
  graph.setParent(boundary.row, ROOT);
  return kept !== null && kept.length > 0;
}

/** Removes all rows from the first compaction after `row` on: a history that ends with `row` ended before them. */
export function forgetCompactionsAfter(graph: RowGraph, row: number): void {
  const place = graph.placeOf(row);
  let end = Infinity;
  for (const boundary of graph.index.boundaries) {
    if (!graph.isHeld(boundary.row) || graph.placeOf(boundary.row) <= place) continue;
    end = Math.min(end, graph.placeOf(boundary.row));
  }
  if (end === Infinity) return;
  for (let each = 0; each < graph.size; each++) if (graph.placeOf(each) >= end) graph.remove(each);
}

/** The last boundary that the client sees; null if the session was never compacted. */
export function lastBoundary(graph: RowGraph): CompactBoundary | null {
  return graph.index.boundaries.findLast((boundary) => graph.isHeld(boundary.row)) ?? null;
}

/**
 * The preserved rows, oldest first; null if the boundary names one that is not in the file. A boundary that names no rows
 * at all preserves nothing if another boundary names some; otherwise the result is null.
 */
export function preservedRows(graph: RowGraph, boundary: CompactBoundary): number[] | null {
  const { preserved } = boundary;
  if (preserved.kind === 'none') {
    const { boundaries } = graph.index;
    return boundaries.some((other) => other.preserved.kind !== 'none' && graph.isHeld(other.row)) ? [] : null;
  }
  if (preserved.kind === 'list') {
    const rows = preserved.ids.map((id) => graph.rowOf(id));
    return rows.includes(NO_ID) ? null : rows;
  }
  const head = graph.rowOf(preserved.head);
  const rows: number[] = [];
  for (let at = graph.rowOf(preserved.tail); at >= 0 && rows.length <= graph.size; at = graph.parent(at)) {
    rows.push(at);
    if (at === head) return rows.reverse();
  }
  return null;
}

/** Links the anchor's children, and later messages whose parent is before the boundary, to the last preserved row. */
function relinkFollowers(
  graph: RowGraph,
  boundary: CompactBoundary,
  kept: ReadonlySet<number>,
  last: number | undefined,
): void {
  if (last === undefined) return;
  const anchor = anchorOf(boundary);
  const start = graph.placeOf(boundary.row);
  for (let row = 0; row < graph.size; row++) {
    if (kept.has(row) || !graph.isHeld(row)) continue;
    const parent = graph.parent(row);
    const isCutOff = graph.isMessage(row) && row > boundary.row && parent >= 0 && graph.placeOf(parent) < start;
    const isChildOfAnchor = anchor !== NO_ID && graph.parentId(row) === anchor;
    if (isChildOfAnchor || (isCutOff && !kept.has(parent))) graph.setParent(row, last);
  }
}

function anchorOf({ preserved }: CompactBoundary): number {
  return preserved.kind === 'none' ? NO_ID : preserved.anchor;
}

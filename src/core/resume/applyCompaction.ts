import { NO_ID } from '../scan/idTable';
import type { CompactBoundary } from '../scan/transcriptFacts';
import { ROOT, type RowGraph } from './rowGraph';

/**
 * Drops what lies before the last compaction, but for the rows that its boundary preserves: those are hung, in the order
 * listed, between the anchor and the rows that followed it. (docs/format.md, "Compaction")
 */
export function applyCompaction(graph: RowGraph): void {
  const boundary = lastBoundary(graph);
  if (boundary === null) return;
  const kept = preservedRows(graph, boundary);
  const keptSet = new Set(kept);
  for (let row = 0; row < boundary.row; row++) {
    if (!keptSet.has(row)) graph.remove(row);
  }
  graph.setParent(boundary.row, ROOT);
  const anchor = graph.rowOf(boundary.anchor);
  const last = kept.at(-1);
  if (last === undefined || anchor === NO_ID) return;
  for (let row = 0; row < graph.size; row++) {
    if (!keptSet.has(row) && graph.isHeld(row) && graph.parent(row) === anchor) graph.setParent(row, last);
  }
  kept.forEach((row, at) => {
    graph.setParent(row, kept[at - 1] ?? anchor);
  });
}

/** The last boundary that the client sees; null when the session was never compacted. */
export function lastBoundary(graph: RowGraph): CompactBoundary | null {
  return graph.facts.boundaries.findLast((boundary) => graph.isHeld(boundary.row)) ?? null;
}

/** The preserved rows; none when one of them is not in the file. */
function preservedRows(graph: RowGraph, boundary: CompactBoundary): number[] {
  const rows = boundary.preserved.map((id) => graph.rowOf(id));
  return rows.includes(NO_ID) ? [] : rows;
}

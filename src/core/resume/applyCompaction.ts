import { NO_ID } from '../scan/idTable';
import type { CompactBoundary } from '../scan/transcriptFacts';
import { BROKEN, ROOT, type RowGraph } from './rowGraph';

/**
 * Drops what lies before the last compaction, but for the rows that its boundary preserves: those are hung, in their
 * order, between the anchor and the rows that followed it. (docs/format.md, "Compaction")
 */
export function applyCompaction(graph: RowGraph): void {
  const boundary = lastBoundary(graph);
  if (boundary === null) return;
  const { anchor, rows: kept } = preservedRows(graph, boundary);
  const keptSet = new Set(kept);
  const last = kept.at(-1);
  if (last !== undefined) {
    for (let row = 0; row < graph.size; row++) {
      if (keptSet.has(row) || !graph.isHeld(row)) continue;
      const parent = graph.parent(row);
      const isCutOff = parent >= 0 && parent < boundary.row && row > boundary.row && !keptSet.has(parent);
      if (parent === anchor || isCutOff) graph.setParent(row, last);
    }
  }
  const start = graph.placeOf(boundary.row);
  for (let row = 0; row < graph.size; row++) {
    if (graph.placeOf(row) < start && !keptSet.has(row)) graph.remove(row);
  }
  graph.setParent(boundary.row, ROOT);
  kept.forEach((row, at) => {
    graph.setParent(row, kept[at - 1] ?? (graph.isHeld(anchor) ? anchor : BROKEN));
  });
}

/** The last boundary that the client sees; null when the session was never compacted. */
export function lastBoundary(graph: RowGraph): CompactBoundary | null {
  return graph.facts.boundaries.findLast((boundary) => graph.isHeld(boundary.row)) ?? null;
}

/** The preserved rows, oldest first; none when one of them, or the anchor, is not in the file. */
export function preservedRows(graph: RowGraph, boundary: CompactBoundary): { anchor: number; rows: number[] } {
  const { preserved } = boundary;
  const none = { anchor: NO_ID, rows: [] };
  if (preserved.kind === 'none') return none;
  const anchor = graph.rowOf(preserved.anchor);
  if (anchor === NO_ID) return none;
  if (preserved.kind === 'list') {
    const rows = preserved.ids.map((id) => graph.rowOf(id));
    return rows.includes(NO_ID) ? none : { anchor, rows };
  }
  const head = graph.rowOf(preserved.head);
  const rows: number[] = [];
  for (let at = graph.rowOf(preserved.tail); at >= 0 && rows.length <= graph.size; at = graph.parent(at)) {
    rows.push(at);
    if (at === head) return { anchor, rows: rows.reverse() };
  }
  return none;
}

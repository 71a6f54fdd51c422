import { NO_ID } from '../../../transcript/idTable';
import { RowFlag } from '../../../transcript/rowFlags';
import type { CompactBoundary } from '../../../transcript/transcriptIndex';
import { BitSet, Column } from '../../../util/columns';
import { BROKEN, ROOT, type RowGraph } from './graph';

export interface Walk {
  /** Rows from the root, or the break, to the leaf. */
  readonly chain: Int32Array;
  /** Rows whose parent the loader did not find, and from which it continued by time. */
  readonly healed: readonly number[];
  /** Row at which the walk ended although it names a parent; null when it ended at a root. */
  readonly brokenAt: number | null;
}

/**
 * Follows the parent links from the leaf. A link that leads nowhere, or back into the chain, ends the walk unless a row
 * with the same sidechain state is shortly before it in time. (docs/format.md, "Walk")
 */
export function walkChain(graph: RowGraph, leaf: number): Walk {
  const heal = healer(graph);
  const seen = new BitSet(graph.size);
  const rows = new Int32Array(graph.size);
  let first = graph.size;
  const healed: number[] = [];
  let brokenAt: number | null = null;
  let at = leaf;
  while (at >= 0) {
    seen.add(at);
    rows[--first] = at;
    const parent = graph.parent(at);
    if (parent === ROOT) break;
    if (parent !== BROKEN && !seen.has(parent)) {
      at = parent;
      continue;
    }
    const next = parent === BROKEN || graph.rules.healsCycles ? heal(at, seen) : null;
    if (next === null) {
      brokenAt = at;
      break;
    }
    healed.push(at);
    at = next;
  }
  return { chain: rows.subarray(first), healed, brokenAt };
}

/** Finds the row at which a broken walk continues. Rows of each sidechain state are sorted by time on first use. */
function healer(graph: RowGraph): (from: number, seen: BitSet) => number | null {
  const { selfHealMs: windowMs, healsWithinSidechainState } = graph.rules;
  const indexes = new Map<SidechainState | null, TimeIndex>();
  return (from, seen) => {
    const time = graph.index.rows.timestamp(from);
    if (Number.isNaN(time) || windowMs === 0) return null;
    const state = healsWithinSidechainState ? sidechainStateOf(graph, from) : null;
    const rows = indexes.get(state) ?? new TimeIndex(graph, state);
    indexes.set(state, rows);
    return rows.newest(time - windowMs, time, seen);
  };
}

/**
 * A broken walk continues only among rows of the same sidechain state. The client compares the raw value of `isSidechain`;
 * here, all values that are neither true nor false form one state for each meaning. (docs/format.md, "Walk")
 */
type SidechainState = 'main' | 'sidechain' | 'oddMain' | 'oddSidechain';

function sidechainStateOf(graph: RowGraph, row: number): SidechainState {
  const isOdd = graph.index.rows.has(row, RowFlag.oddSidechain);
  if (graph.isSidechain(row)) return isOdd ? 'oddSidechain' : 'sidechain';
  return isOdd ? 'oddMain' : 'main';
}

/**
 * The held rows of one sidechain state, or of all, in the order of their timestamps, to find the newest row not after a time. Built
 * once per walk, because a transcript may be broken in thousands of places.
 */
class TimeIndex {
  readonly #rows: Int32Array;

  constructor(
    private readonly graph: RowGraph,
    state: SidechainState | null,
  ) {
    const { rows } = graph.index;
    const held = Column.int32();
    let newest = -Infinity;
    // Usually, the rows are in the order of their times.
    let isSorted = true;
    for (let row = 0; row < graph.size; row++) {
      if (!graph.isHeld(row) || graph.isPassedOver(row)) continue;
      if (state !== null && sidechainStateOf(graph, row) !== state) continue;
      const time = rows.timestamp(row);
      if (Number.isNaN(time)) continue;
      held.push(row);
      isSorted &&= time >= newest && graph.placeOf(row) === row;
      newest = time;
    }
    this.#rows = held.toArray();
    if (isSorted) return;
    this.#rows.sort((a, b) => rows.timestamp(a) - rows.timestamp(b) || graph.placeOf(a) - graph.placeOf(b));
  }

  /**
   * The row with the greatest timestamp from `from` to `to`, both included, that is not in `skip`; of rows with the same
   * timestamp, the first in the loader’s order. Null if there is none.
   */
  newest(from: number, to: number, skip: BitSet): number | null {
    const { rows } = this.graph.index;
    let best: number | null = null;
    for (let at = this.#countUpTo(to) - 1; at >= 0; at--) {
      const row = this.#rows[at] ?? 0;
      const time = rows.timestamp(row);
      if (time < from || (best !== null && time < rows.timestamp(best))) break;
      if (!skip.has(row)) best = row;
    }
    return best;
  }

  /** Number of rows with a timestamp of at most `time`. */
  #countUpTo(time: number): number {
    const { rows } = this.graph.index;
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (rows.timestamp(this.#rows[middle] ?? 0) <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Applies the last compaction to the links. Rows that its boundary preserves are linked, in their order, between the anchor
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

import { RowFlag } from '../transcript/rowTable';
import { type BitSet, Column } from '../util/columns';
import type { RowGraph } from './rowGraph';

/**
 * Rows that a broken walk may go on between. The client compares `isSidechain` as it stands; one that is neither true nor
 * false counts as a lane here whatever else it is, but for what it means. (docs/format.md, "Walk")
 */
export type Lane = 'main' | 'sidechain' | 'oddMain' | 'oddSidechain';

export function laneOf(graph: RowGraph, row: number): Lane {
  const isOdd = graph.facts.rows.has(row, RowFlag.oddLane);
  if (graph.isSidechain(row)) return isOdd ? 'oddSidechain' : 'sidechain';
  return isOdd ? 'oddMain' : 'main';
}

/**
 * The held rows of one lane in the order of their timestamps, for "the newest row not after a time". Built once per walk:
 * a transcript may be broken in thousands of places.
 */
export class TimeIndex {
  readonly #rows: Int32Array;

  constructor(
    private readonly graph: RowGraph,
    lane: Lane,
  ) {
    const { rows } = graph.facts;
    const held = Column.int32();
    for (let row = 0; row < graph.size; row++) {
      if (!graph.isHeld(row) || laneOf(graph, row) !== lane) continue;
      if (!Number.isNaN(rows.timestamp(row))) held.push(row);
    }
    this.#rows = held
      .toArray()
      .sort((a, b) => rows.timestamp(a) - rows.timestamp(b) || graph.placeOf(a) - graph.placeOf(b));
  }

  /**
   * The row with the greatest timestamp from `from` to `to`, both included, that `skip` does not hold; of rows with one
   * timestamp the first in the loader’s order. Null when there is none.
   */
  newest(from: number, to: number, skip: BitSet): number | null {
    const { rows } = this.graph.facts;
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
    const { rows } = this.graph.facts;
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

import { RowFlag } from '../../../transcript/rowTable';
import { BitSet, Column } from '../../../util/columns';
import { BROKEN, ROOT, type RowGraph } from './graph';
import type { LoaderRules } from './rules';

export interface Walk {
  /** Rows from the root, or the break, to the leaf. */
  readonly chain: Int32Array;
  /** Rows whose parent the loader did not find and where it went on by time. */
  readonly healed: readonly number[];
  /** Row at which the walk ended although it names a parent; null when it ended at a root. */
  readonly brokenAt: number | null;
}

/**
 * Follows the parent links from the leaf. A link that leads nowhere, or back into the chain, ends the walk unless a row
 * of the same lane lies shortly before in time. (docs/format.md, "Walk")
 */
export function walkChain(graph: RowGraph, leaf: number, rules: LoaderRules): Walk {
  const heal = healer(graph, rules.selfHealMs);
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
    const next = heal(at, seen);
    if (next === null) {
      brokenAt = at;
      break;
    }
    healed.push(at);
    at = next;
  }
  return { chain: rows.subarray(first), healed, brokenAt };
}

/** Finds the row at which a broken walk goes on; each lane is sorted by time when it is first asked for. */
function healer(graph: RowGraph, windowMs: number): (from: number, seen: BitSet) => number | null {
  const lanes = new Map<Lane, TimeIndex>();
  return (from, seen) => {
    const time = graph.index.rows.timestamp(from);
    if (Number.isNaN(time) || windowMs === 0) return null;
    const lane = laneOf(graph, from);
    const rows = lanes.get(lane) ?? new TimeIndex(graph, lane);
    lanes.set(lane, rows);
    return rows.newest(time - windowMs, time, seen);
  };
}

/**
 * Rows that a broken walk may go on between. The client compares `isSidechain` as it stands; one that is neither true nor
 * false counts as a lane here whatever else it is, but for what it means. (docs/format.md, "Walk")
 */
type Lane = 'main' | 'sidechain' | 'oddMain' | 'oddSidechain';

function laneOf(graph: RowGraph, row: number): Lane {
  const isOdd = graph.index.rows.has(row, RowFlag.oddLane);
  if (graph.isSidechain(row)) return isOdd ? 'oddSidechain' : 'sidechain';
  return isOdd ? 'oddMain' : 'main';
}

/**
 * The held rows of one lane in the order of their timestamps, for "the newest row not after a time". Built once per walk:
 * a transcript may be broken in thousands of places.
 */
class TimeIndex {
  readonly #rows: Int32Array;

  constructor(
    private readonly graph: RowGraph,
    lane: Lane,
  ) {
    const { rows } = graph.index;
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

import { RowFlag } from '../../../transcript/rowTable';
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
    for (let row = 0; row < graph.size; row++) {
      if (!graph.isHeld(row) || graph.isPassedOver(row)) continue;
      if (state !== null && sidechainStateOf(graph, row) !== state) continue;
      if (!Number.isNaN(rows.timestamp(row))) held.push(row);
    }
    this.#rows = held
      .toArray()
      .sort((a, b) => rows.timestamp(a) - rows.timestamp(b) || graph.placeOf(a) - graph.placeOf(b));
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

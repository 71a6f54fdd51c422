import { BitSet } from '../util/columns';
import type { ClientRules } from './clientRules';
import { BROKEN, ROOT, type RowGraph } from './rowGraph';
import { type Lane, laneOf, TimeIndex } from './timeIndex';

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
export function walkChain(graph: RowGraph, leaf: number, rules: ClientRules): Walk {
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
    const time = graph.facts.rows.timestamp(from);
    if (Number.isNaN(time) || windowMs === 0) return null;
    const lane = laneOf(graph, from);
    const rows = lanes.get(lane) ?? new TimeIndex(graph, lane);
    lanes.set(lane, rows);
    return rows.newest(time - windowMs, time, seen);
  };
}

import type { ClientRules } from './clientRules';
import { BROKEN, ROOT, type RowGraph } from './rowGraph';

export interface Walk {
  /** Rows from the root, or the break, to the leaf. */
  readonly chain: readonly number[];
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
  const seen = new Set<number>();
  const chain: number[] = [];
  const healed: number[] = [];
  let brokenAt: number | null = null;
  let at = leaf;
  while (at >= 0) {
    seen.add(at);
    chain.push(at);
    const parent = graph.parent(at);
    if (parent === ROOT) break;
    if (parent !== BROKEN && !seen.has(parent)) {
      at = parent;
      continue;
    }
    const next = nearestInTime(graph, at, seen, rules.selfHealMs);
    if (next === null) {
      brokenAt = at;
      break;
    }
    healed.push(at);
    at = next;
  }
  return { chain: chain.reverse(), healed, brokenAt };
}

function nearestInTime(graph: RowGraph, from: number, seen: ReadonlySet<number>, windowMs: number): number | null {
  const { rows } = graph.facts;
  const time = rows.timestamp(from);
  if (Number.isNaN(time) || windowMs === 0) return null;
  let best: number | null = null;
  for (let row = 0; row < graph.size; row++) {
    const gap = time - rows.timestamp(row);
    if (!(gap >= 0 && gap <= windowMs) || seen.has(row) || !graph.isHeld(row)) continue;
    if (graph.isSidechain(row) !== graph.isSidechain(from)) continue;
    if (best === null || rows.timestamp(row) > rows.timestamp(best)) best = row;
  }
  return best;
}

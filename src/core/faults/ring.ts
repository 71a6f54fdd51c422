import type { RepairDraft } from './repairDraft';
import { NO_PARENT } from './repairDraft';

/** Rings of parent links in a draft, each as its rows in file order. Rows that only lead into a ring are not in it. */
export function findRings(draft: RepairDraft): number[][] {
  const { facts, view } = draft.examination;
  const rings: number[][] = [];
  /** 0: not visited; otherwise the number of the walk that visited the row. */
  const visitedBy = new Int32Array(facts.rows.count);
  for (let start = 0; start < facts.rows.count; start++) {
    if (!view.isChainRow(start) || visitedBy[start] !== 0) continue;
    const walk = start + 1;
    let at = start;
    while (at !== NO_PARENT && visitedBy[at] === 0) {
      visitedBy[at] = walk;
      at = draft.parent(at);
    }
    if (at !== NO_PARENT && visitedBy[at] === walk) rings.push(ringFrom(draft, at));
  }
  return rings;
}

function ringFrom(draft: RepairDraft, first: number): number[] {
  const ring = [first];
  for (let at = draft.parent(first); at !== first; at = draft.parent(at)) ring.push(at);
  return ring.sort((a, b) => a - b);
}

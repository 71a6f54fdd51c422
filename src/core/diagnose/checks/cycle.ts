import type { Finding } from '../../../protocol/repair';
import type { LoadedTranscript } from '../../providers/claude/loader/loadTranscript';
import { countOf } from '../../util/countOf';
import { inPlaces, type LinkCheck, NO_ROW_LOST, rowFinding } from '../check';
import { NO_PARENT, RepairDraft } from '../repairDraft';

/** `cycle`: a walk over parent links meets a row twice. Old clients hang on it. (docs/format.md, "Repair") */
export const cycle: LinkCheck = ringCheck(
  'cycle',
  (ring) => ring.length > 1,
  (rings) =>
    `Messages point to each other in ${rings === 1 ? 'a circle' : countOf(rings, 'circle')}: Claude never reaches the beginning of the history.`,
);

/** `self-parent`: a row is its own parent. */
export const selfParent: LinkCheck = ringCheck(
  'self-parent',
  (ring) => ring.length === 1,
  (rings) => `${inPlaces(rings, 'points to itself')}: Claude does not find what came before.`,
);

function ringCheck(
  code: 'cycle' | 'self-parent',
  matches: (ring: readonly number[]) => boolean,
  describe: (rings: number) => string,
): LinkCheck {
  const isHarmful = ({ view }: LoadedTranscript, ring: readonly number[]): boolean =>
    ring.some((row) => !view.isBreakHarmless(row));
  return {
    kind: 'links',
    code,
    weighsCost: true,
    find(loaded, cost): Finding[] {
      if (loaded.index.isOrderly) return [];
      const rings = findRings(new RepairDraft(loaded)).filter(matches);
      if (rings.length === 0) return [];
      const harmful = rings.filter((ring) => isHarmful(loaded, ring));
      const harmless = rings.filter((ring) => !isHarmful(loaded, ring));
      const finding = (found: readonly number[][], isError: boolean): Finding[] =>
        found.length === 0
          ? []
          : [
              rowFinding(loaded.index, found.flat(), {
                code,
                severity: isError ? 'error' : 'info',
                action: isError ? 'auto' : 'tell',
                message: `${describe(found.length)}${isError ? '' : ` ${NO_ROW_LOST}`}`,
              }),
            ];
      if (!cost.losesRows) return finding(rings, false);
      return [...finding(harmful, true), ...finding(harmless, false)];
    },
    fix(draft): void {
      for (const ring of findRings(draft)) {
        const first = ring.find((row) => draft.cuts.has(row)) ?? ring[0];
        if (first === undefined || !matches(ring) || !isHarmful(draft.loaded, ring)) continue;
        draft.assumeParent(first, NO_PARENT);
        const previous = draft.nearestBefore(first);
        const why =
          previous === NO_PARENT
            ? 'Its links lead back to itself, and nothing comes before it: it becomes the first message.'
            : 'Its links lead back to itself: it is linked to the message before it.';
        draft.setParent(first, previous, why);
      }
    },
  };
}

/** The cycles of parent links in a draft, each as its rows in file order. Rows that only lead into a cycle are not included. */
function findRings(draft: RepairDraft): number[][] {
  const { index, view } = draft.loaded;
  const rings: number[][] = [];
  // Every cycle has a link that leads forward.
  if (!draft.hasForwardLinks) return rings;
  /** 0: not visited; otherwise the number of the walk that visited the row. */
  const visitedBy = new Int32Array(index.rows.count);
  for (let start = 0; start < index.rows.count; start++) {
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

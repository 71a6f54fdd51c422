import type { Finding } from '../../protocol/repair';
import type { Examination } from './examination';
import { count, type FaultClass, rowFinding } from './faultClass';
import { NO_PARENT, RepairDraft } from './repairDraft';
import { findRings } from './ring';

/** `cycle`: a walk over parent links meets a row twice. Old clients hang on it. (docs/format.md, "Repair") */
export const cycle: FaultClass = ringClass('cycle', (ring) => ring.length > 1, {
  said: (rows, rings) =>
    `${count(rows, 'row')} hang from each other in ${rings === 1 ? 'a ring' : count(rings, 'ring')}: a walk never reaches the beginning.`,
});

/** `self-parent`: a row is its own parent. */
export const selfParent: FaultClass = ringClass('self-parent', (ring) => ring.length === 1, {
  said: (rows) =>
    `${count(rows, 'row')} ${rows === 1 ? 'is its own parent' : 'are their own parents'}: a link of the history is broken.`,
});

function ringClass(
  code: 'cycle' | 'self-parent',
  matches: (ring: readonly number[]) => boolean,
  words: { readonly said: (rows: number, rings: number) => string },
): FaultClass {
  const isHarmful = ({ view }: Examination, ring: readonly number[]): boolean =>
    ring.some((row) => !view.isBreakHarmless(row));
  return {
    code,
    find(examination): Finding[] {
      if (!examination.view.hasForwardLinks) return [];
      const rings = findRings(new RepairDraft(examination)).filter(matches);
      const harmful = rings.filter((ring) => isHarmful(examination, ring));
      const harmless = rings.filter((ring) => !isHarmful(examination, ring));
      const finding = (found: readonly number[][], isError: boolean): Finding[] =>
        found.length === 0
          ? []
          : [
              rowFinding(examination.facts, {
                code,
                severity: isError ? 'error' : 'info',
                action: isError ? 'auto' : 'tell',
                rows: found.flat(),
                message: words.said(found.flat().length, found.length),
              }),
            ];
      return [...finding(harmful, true), ...finding(harmless, false)];
    },
    mend(draft): void {
      for (const ring of findRings(draft)) {
        const first = ring.find((row) => draft.cuts.has(row)) ?? ring[0];
        if (first === undefined || !matches(ring) || !isHarmful(draft.examination, ring)) continue;
        draft.assumeParent(first, NO_PARENT);
        const previous = draft.nearestBefore(first);
        const why =
          previous === NO_PARENT
            ? 'Its links lead back to itself and nothing stands before it: it becomes the first row.'
            : 'Its links lead back to itself: it is hung from the row before it.';
        draft.setParent(first, previous, why);
      }
    },
  };
}

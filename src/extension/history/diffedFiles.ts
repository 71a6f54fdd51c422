import type { PlannedFile, RewindPlan } from '../../protocol/history';
import { sortFiles } from './rewindText';

export type DiffedFile = Pick<PlannedFile, 'path' | 'exists' | 'contentPath'>;

/** As many diffs as one editor shows in a reasonable time. */
const MAX_DIFFS = 300;

/** Files whose lines can be shown side by side: texts, of which lines change. */
export function diffedFiles(plan: Pick<RewindPlan, 'files'>): readonly DiffedFile[] {
  const { inside, outside } = sortFiles(plan);
  return [...inside, ...outside].filter(isShown).slice(0, MAX_DIFFS);
}

function isShown({ isBinary, isTooLarge, insertions, deletions, exists, contentPath }: PlannedFile): boolean {
  if (isBinary || isTooLarge) return false;
  // An empty file that comes or goes has no lines.
  return insertions + deletions > 0 || !exists || contentPath === null;
}

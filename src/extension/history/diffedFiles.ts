import type { PlannedFile, RewindPlan } from '../../protocol/history';
import { sortFiles } from './rewindText';

export type DiffedFile = Pick<PlannedFile, 'path' | 'exists' | 'contentPath'>;

/** The most diffs that one editor shows in a reasonable time. */
const MAX_DIFFS = 300;

/** Files that can be shown as diffs: text files with changed lines. */
export function diffedFiles(plan: Pick<RewindPlan, 'files'>): readonly DiffedFile[] {
  const { inside, outside } = sortFiles(plan);
  return [...inside, ...outside].filter(isShown).slice(0, MAX_DIFFS);
}

function isShown({ isBinary, isTooLarge, insertions, deletions, exists, contentPath }: PlannedFile): boolean {
  if (isBinary || isTooLarge) return false;
  // An empty file that is created or deleted has no lines.
  return insertions + deletions > 0 || !exists || contentPath === null;
}

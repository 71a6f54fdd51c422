import type { PlannedFile, RewindPlan } from '../../shared/rewind';
import { sortFiles } from './plannedChange';

export type DiffedFile = Pick<PlannedFile, 'path' | 'exists' | 'contentPath'>;

/** VS Code's editor gives up on larger files. In bytes. */
const MAX_DIFF_SIZE = 20 * 1024 * 1024;
/** As many diffs as one editor shows in a reasonable time. */
const MAX_DIFFS = 300;

/** Files whose lines can be shown side by side: texts, of which lines change. */
export function diffedFiles(plan: Pick<RewindPlan, 'files'>): readonly DiffedFile[] {
  const { inside, outside } = sortFiles(plan);
  return [...inside, ...outside].filter(isShown).slice(0, MAX_DIFFS);
}

function isShown({ isBinary, size, insertions, deletions, exists, contentPath }: PlannedFile): boolean {
  if (isBinary || size > MAX_DIFF_SIZE) return false;
  // An empty file that comes or goes has no lines.
  return insertions + deletions > 0 || !exists || contentPath === null;
}

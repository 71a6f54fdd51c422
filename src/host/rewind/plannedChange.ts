import type { PlannedFile, RewindPlan } from '../../shared/rewind';

/** What becomes of a file. */
export type FileChange = 'restore' | 'delete' | 'create';

/** What becomes of a file when it is chosen; null for one that stays as it is. */
export function plannedChange(file: PlannedFile): FileChange | null {
  if (file.action === 'unchanged') return null;
  if (file.action !== 'skipped') return file.action;
  // One outside is skipped until the person says otherwise; whatever else is skipped cannot be changed.
  if (!file.isOutside || (file.contentPath === null && !file.exists)) return null;
  if (file.contentPath === null) return 'delete';
  return file.exists ? 'restore' : 'create';
}

/** The files by what is asked about them. */
export interface SortedFiles {
  /** Changed unless the person says otherwise. */
  readonly inside: readonly PlannedFile[];
  /** Changed only if the person says so. */
  readonly outside: readonly PlannedFile[];
  /** Left alone whatever the person says, for the reason that is with them. */
  readonly skipped: readonly PlannedFile[];
}

export function sortFiles(plan: Pick<RewindPlan, 'files'>): SortedFiles {
  const changing = plan.files.filter((file) => plannedChange(file) !== null);
  return {
    inside: changing.filter(({ isOutside }) => !isOutside),
    outside: changing.filter(({ isOutside }) => isOutside),
    skipped: plan.files.filter((file) => file.action === 'skipped' && plannedChange(file) === null),
  };
}

import type {
  RewindFailureReason,
  RewindFilesResult,
  RewindOutcome,
  RewindPlan,
  RewoundFile,
} from '../../shared/rewind';
import type { FileChange } from '../write/files/fileChange';
import { changeAction, type FilePlan } from './planFile';

/** What of a plan is done: all of it, or the part that the person chose. */
export interface Choice {
  /** Absolute paths; null for all. */
  readonly paths: ReadonlySet<string> | null;
  readonly mayLeaveRoots: boolean;
}

/** Why a file is left as it is that the person did not choose. */
export const NOT_CHOSEN = 'It was not chosen.';

/** The changes that the person wants made. */
export function chosenChanges(files: readonly FilePlan[], choice: Choice): readonly FileChange[] {
  return files.flatMap((file) => (isChosen(file, choice) && file.change !== null ? [file.change] : []));
}

function isChosen({ planned, change }: FilePlan, { paths, mayLeaveRoots }: Choice): boolean {
  if (change === null || (planned.isOutside && !mayLeaveRoots)) return false;
  return paths?.has(planned.path) ?? true;
}

/** As the client counts: a file of which only the permissions change is no changed file, and has no lines. */
export function describeResult(plan: RewindPlan, files: readonly FilePlan[], choice: Choice): RewindFilesResult {
  const chosen = new Map(files.filter((file) => isChosen(file, choice)).map((file) => [file.planned.path, file]));
  const done = [...chosen.values()];
  return {
    canRewind: true,
    filesChanged: done.filter(({ changesContent }) => changesContent).map(({ planned }) => planned.path),
    insertions: done.reduce((sum, { planned }) => sum + planned.insertions, 0),
    deletions: done.reduce((sum, { planned }) => sum + planned.deletions, 0),
    files: plan.files.map(({ path, action, why }): RewoundFile => {
      const file = chosen.get(path);
      if (file !== undefined) return { path, action: changeAction(file.change) };
      if (action === 'unchanged') return { path, action };
      return { path, action: 'skipped', why: why ?? NOT_CHOSEN };
    }),
    coverage: {
      notCovered: plan.coverage
        .filter(({ kind, path }) => kind !== 'outside' || path === null || !chosen.has(path))
        .map(({ message }) => message),
    },
  };
}

export function doneOutcome(
  result: RewindFilesResult,
  safetyPath: string | null,
  warning: string | null,
): RewindOutcome {
  return { result, reason: null, safetyPath, warning };
}

/** @param error one sentence for people */
export function refusedOutcome(
  reason: RewindFailureReason,
  error: string,
  safetyPath: string | null = null,
): RewindOutcome {
  return { result: { canRewind: false, error }, reason, safetyPath, warning: null };
}

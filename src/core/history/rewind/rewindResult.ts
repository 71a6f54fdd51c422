import type {
  CoverageKind,
  RewindFailureReason,
  RewindFilesResult,
  RewindOutcome,
  RewindPlan,
  RewoundFile,
} from '../../../protocol/history';
import type { FileChange } from '../../storage/files/fileChange';
import { filesRefusalOf } from '../../storage/files/projectFolder';
import { changeAction, type FilePlan } from './filePlan';

/** Which part of a plan is applied: all of it, or what the person chose. */
export interface Choice {
  /** Absolute paths; null for all. */
  readonly paths: ReadonlySet<string> | null;
  readonly mayLeaveRoots: boolean;
}

const TAKEN_BACK: ReadonlySet<CoverageKind> = new Set<CoverageKind>(['byHand', 'doubtfulBackup', 'laterCopy']);

/** The reason given for files that the person did not choose. */
export const NOT_CHOSEN = 'It was not chosen.';

/** The chosen changes. */
export function chosenChanges(files: readonly FilePlan[], choice: Choice): readonly FileChange[] {
  return files.flatMap((file) => (isChosen(file, choice) && file.change !== null ? [file.change] : []));
}

function isChosen({ planned, change }: FilePlan, { paths, mayLeaveRoots }: Choice): boolean {
  if (change === null || (planned.isOutside && !mayLeaveRoots)) return false;
  return paths?.has(planned.path) ?? true;
}

/**
 * `filesChanged` contains the files that the client counts: not those of which only the permissions change, and no new
 * empty files.
 */
export function describeResult(plan: RewindPlan, files: readonly FilePlan[], choice: Choice): RewindFilesResult {
  const chosen = new Map(files.filter((file) => isChosen(file, choice)).map((file) => [file.planned.path, file]));
  const done = [...chosen.values()];
  const setAside = new Set(
    files.flatMap(({ change, planned: { path } }) => (change === null || chosen.has(path) ? [] : [path])),
  );
  return {
    canRewind: true,
    filesChanged: done.filter(({ isCounted }) => isCounted).map(({ planned }) => planned.path),
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
        .filter(({ kind, path }) => {
          if (path === null) return true;
          // If nothing was changed, what would have changed is irrelevant.
          return kind === 'outside' ? !chosen.has(path) : !(setAside.has(path) && TAKEN_BACK.has(kind));
        })
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

/** Turns an error into an outcome. */
export async function answered(work: () => Promise<RewindOutcome>): Promise<RewindOutcome> {
  try {
    return await work();
  } catch (error) {
    const { code, message, safetyPath } = filesRefusalOf(error);
    return refusedOutcome(code, message, safetyPath);
  }
}

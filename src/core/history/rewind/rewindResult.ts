import type {
  ChangeChoice,
  CoverageKind,
  RewindFailureReason,
  RewindFilesResult,
  RewindObstacle,
  RewindOutcome,
  RewindPlan,
  RewoundFile,
} from '../../../protocol/history';
import type { FileChange } from '../../storage/files/fileChange';
import { filesRefusalOf } from '../../storage/files/projectFolder';
import { changeAction, type FilePlan } from './filePlan';
import { type Choice, choiceOf, isAllowed, isWanted, ObstaclesRefusal } from './obstacles';

const TAKEN_BACK: ReadonlySet<CoverageKind> = new Set<CoverageKind>(['byHand', 'doubtfulBackup', 'laterCopy']);

/** The reason given for files that the person did not choose. */
export const NOT_CHOSEN = 'It was not chosen.';

/** The chosen changes. */
export function chosenChanges(files: readonly FilePlan[], choice: Choice): readonly FileChange[] {
  return files.flatMap((file) => (isChosen(file, choice) && file.change !== null ? [file.change] : []));
}

function isChosen({ planned, change }: FilePlan, choice: Choice): boolean {
  return change !== null && isWanted(planned.path, choice) && isAllowed(planned.path, planned, choice);
}

/** The files that prevent everything: those that are wanted and cannot be changed, or not without the person's word. */
export function obstaclesOf(files: readonly FilePlan[], given: ChangeChoice): readonly RewindObstacle[] {
  const choice = choiceOf(given);
  if (given.skipObstacles) return [];
  return files.flatMap((file): RewindObstacle[] => {
    const { path, action, why = '', isOutside, isSensitive } = file.planned;
    if (action !== 'skipped' || !isWanted(path, choice) || isChosen(file, choice)) return [];
    return [{ path, why, isOutside, isSensitive }];
  });
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
          return kind === 'outside' || kind === 'sensitive'
            ? !chosen.has(path)
            : !(setAside.has(path) && TAKEN_BACK.has(kind));
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
  return { result, reason: null, safetyPath, obstacles: [], warning };
}

/** @param error one sentence for people */
export function refusedOutcome(
  reason: RewindFailureReason,
  error: string,
  safetyPath: string | null = null,
): RewindOutcome {
  return { result: { canRewind: false, error }, reason, safetyPath, obstacles: [], warning: null };
}

/** Each obstacle is also a skipped file of the result, so that scripts can read them. */
export function obstaclesOutcome({ code, message, safetyPath, obstacles }: ObstaclesRefusal): RewindOutcome {
  const refused = refusedOutcome(code, message, safetyPath);
  const files = obstacles.map(({ path, why }): RewoundFile => ({ path, action: 'skipped', why }));
  return { ...refused, result: { ...refused.result, files }, obstacles };
}

/** Turns an error into an outcome. */
export async function answered(work: () => Promise<RewindOutcome>): Promise<RewindOutcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ObstaclesRefusal) return obstaclesOutcome(error);
    const { code, message, safetyPath } = filesRefusalOf(error);
    return refusedOutcome(code, message, safetyPath);
  }
}

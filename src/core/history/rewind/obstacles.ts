import { dirname, resolve } from 'node:path';
import type { ChangeChoice, RewindFailureReason, RewindObstacle } from '../../../protocol/history';
import type { FileChange } from '../../storage/files/fileChange';
import { FilesRefusal, realFolderOf } from '../../storage/files/projectFolder';
import { errorName } from '../../storage/refusal';
import type { WriteFs } from '../../storage/writeFs';
import { type AllowedFolders, allowedFolders, isRecord, isWithin, type KnownFolders } from './allowedFolders';
import { commonErrorCode } from './fileText';
import { sensitiveReason } from './sensitiveFiles';

/** Why a file is only changed if the person allows it, or says so of this very file. */
export type PlaceProblem = Omit<RewindObstacle, 'path'>;

/** Null if nothing speaks against a change at this place. `realFolder`: that of `path` without symbolic links. */
export function placeProblem(path: string, realFolder: string, allowed: AllowedFolders): PlaceProblem | null {
  const sensitive = sensitiveReason(path, realFolder, allowed);
  const isOutside = !allowed.roots.some((root) => isWithin(realFolder, root));
  if (sensitive === null && !isOutside) return null;
  const why = [sensitive, isOutside ? OUTSIDE : null].filter((each) => each !== null).join(' ');
  return { why, isOutside, isSensitive: sensitive !== null };
}

const OUTSIDE = 'It lies outside the folders that may be changed.';
export const OWN_RECORD = 'It is one of Claude’s own records.';

/** What the person allows, for look-ups. */
export interface Choice {
  /** Absolute paths; null for all. */
  readonly paths: ReadonlySet<string> | null;
  readonly mayLeaveRoots: boolean;
}

export function choiceOf({ paths, mayLeaveRoots }: Omit<ChangeChoice, 'skipObstacles'>): Choice {
  return { paths: paths === null ? null : new Set(paths.map((path) => resolve(path))), mayLeaveRoots };
}

/** Whether the person wants the file changed, if nothing speaks against it. */
export function isWanted(path: string, { paths }: Choice): boolean {
  return paths?.has(path) ?? true;
}

/** Whether the person has named the file, as its place requires. Nobody names a file by wanting all of them. */
export function isAllowed(
  path: string,
  { isOutside, isSensitive }: Pick<PlaceProblem, 'isOutside' | 'isSensitive'>,
  { paths, mayLeaveRoots }: Choice,
): boolean {
  if (!isOutside && !isSensitive) return true;
  return paths?.has(path) === true && (!isOutside || mayLeaveRoots);
}

/** The obstacles stop everything, unless the person said that they be left out. */
export class ObstaclesRefusal extends FilesRefusal {
  constructor(
    code: RewindFailureReason,
    readonly obstacles: readonly RewindObstacle[],
    problem: string,
    safetyPath: string | null = null,
  ) {
    super(code, problem, safetyPath);
    this.name = 'ObstaclesRefusal';
  }
}

const MAX_NAMED = 100;

/** Names each obstacle, for people. */
export function obstaclesProblem(obstacles: readonly RewindObstacle[]): string {
  const count = obstacles.length === 1 ? '1 file is' : `${obstacles.length} files are`;
  return `Nothing was changed, because ${count} in the way. ${listed(obstacles)}`;
}

/** For a rewind that was interrupted and cannot be reverted. */
export function unfinishedProblem(obstacles: readonly RewindObstacle[]): string {
  return `A rewind was interrupted, and has to be undone first. Nothing was changed. ${listed(obstacles)}`;
}

function listed(obstacles: readonly RewindObstacle[]): string {
  const named = obstacles.slice(0, MAX_NAMED).map(({ path, why }) => `${path}: ${why}`);
  const more = obstacles.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more.`] : [])].join(' ');
}

/**
 * Why files that a record of a rewind names may not be changed. The record lies in the config folder, which may be
 * someone else's, so it allows nothing by itself. Rejects only if the disk fails.
 */
export async function recordedObstacles(
  files: readonly Pick<FileChange, 'path' | 'realFolder'>[],
  given: Omit<ChangeChoice, 'skipObstacles'>,
  known: KnownFolders,
  fs: Pick<WriteFs, 'realpath' | 'lstat'>,
): Promise<readonly RewindObstacle[]> {
  const allowed = await allowedFolders(given.roots, known, fs);
  const choice = choiceOf(given);
  const obstacles: RewindObstacle[] = [];
  for (const { path, realFolder } of files) {
    const found = (await folderProblem(path, realFolder, fs)) ?? recordedPlace(path, realFolder, allowed);
    if (found !== null && !(isWaivable(found) && isAllowed(path, found, choice))) obstacles.push({ path, ...found });
  }
  return obstacles;
}

/** Whether the person can allow it. */
export function isWaivable({ isOutside, isSensitive }: Pick<PlaceProblem, 'isOutside' | 'isSensitive'>): boolean {
  return isOutside || isSensitive;
}

function recordedPlace(path: string, realFolder: string, allowed: AllowedFolders): PlaceProblem | null {
  return isRecord(path, realFolder, allowed) ? never(OWN_RECORD) : placeProblem(path, realFolder, allowed);
}

/** The path must still lead to the folder in which the file was changed. */
async function folderProblem(
  path: string,
  realFolder: string,
  fs: Pick<WriteFs, 'realpath' | 'lstat'>,
): Promise<PlaceProblem | null> {
  try {
    const found = await realFolderOf(path, fs);
    return found === realFolder ? null : never(`Its folder was ${realFolder} and is ${found} now.`);
  } catch (error) {
    commonErrorCode(error);
    return never(`Its folder ${dirname(path)} cannot be reached (${errorName(error)}).`);
  }
}

function never(why: string): PlaceProblem {
  return { why, isOutside: false, isSensitive: false };
}

import { basename, dirname, join, sep } from 'node:path';
import type { RewindFailureReason } from '../../../protocol/history';
import { errorCode, errorName, Refusal } from '../refusal';
import { closeQuietly } from '../staleFiles';
import type { WriteFs } from '../writeFs';

/**
 * Throws `folder-gone` when files are in a project folder that is not there any more: it was moved, as likely as not, and
 * writing them would make another one in its place. `cwd`: absolute; null when nothing tells it.
 */
export async function assertProjectIsThere(
  cwd: string | null,
  paths: readonly string[],
  fs: Pick<WriteFs, 'realpath'>,
): Promise<void> {
  const problem = await goneProject(cwd, paths, fs);
  if (problem !== null) throw new FilesRefusal('folder-gone', problem);
}

/** One sentence for people; null when the folder is there, or has none of the files. */
export async function goneProject(
  cwd: string | null,
  paths: readonly string[],
  fs: Pick<WriteFs, 'realpath'>,
): Promise<string | null> {
  if (cwd === null || !paths.some((path) => path.startsWith(cwd.endsWith(sep) ? cwd : cwd + sep))) return null;
  const code = await fs.realpath(cwd).then(() => null, errorCode);
  const isGone = code === 'ENOENT' || code === 'ENOTDIR';
  return isGone ? `The project folder ${cwd} is gone: it was moved or removed. Nothing was changed.` : null;
}

/**
 * The folder of a path without symbolic links; of one that does not exist, where it would be made: below the nearest folder
 * that does. Rejects with ENOTDIR when something else stands in the way, and with the file system's error.
 */
export async function realFolderOf(path: string, fs: Pick<WriteFs, 'realpath' | 'lstat'>): Promise<string> {
  return realPathOf(dirname(path), fs);
}

/** As `realFolderOf`, of the folder itself. */
export async function realPathOf(folder: string, fs: Pick<WriteFs, 'realpath' | 'lstat'>): Promise<string> {
  try {
    return await fs.realpath(folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    // A link that leads nowhere: what is behind it cannot be told.
    const isThere = await fs.lstat(folder).then(
      () => true,
      () => false,
    );
    if (isThere) throw error;
    return join(await realPathOf(dirname(folder), fs), basename(folder));
  }
}

/** Windows opens no folders; some network mounts sync none. */
const CANNOT_SYNC = ['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'EBADF', 'ENOSYS'];

/** Resolves when the names in a path's folder are on the disk, as far as the system can be asked for that. */
export async function syncFolderOf(path: string, fs: WriteFs): Promise<void> {
  try {
    const folder = await fs.open(dirname(path), 'read');
    try {
      await folder.sync();
    } finally {
      await closeQuietly(folder);
    }
  } catch (error) {
    if (!CANNOT_SYNC.includes(errorCode(error) ?? '')) throw error;
  }
}

/** Why files are as they were. Thrown inside the rooms that change files; `half-done` is the one after which they are not. */
export class FilesRefusal extends Error {
  constructor(
    readonly code: RewindFailureReason,
    problem: string,
    /** The safety snapshot that is left; null when there is none. */
    readonly safetyPath: string | null = null,
    options?: ErrorOptions,
  ) {
    super(problem, options);
    this.name = 'FilesRefusal';
  }
}

export const FILE_PROBLEMS = {
  changed: 'A file changed in the meantime, so nothing was changed. Look at the preview again.',
  live: 'Claude is using this session, and may change the same files. Close it there, or say that it may be.',
  locked: 'Another window or process is rewinding files. Try again in a moment.',
} as const;

/** Whatever was thrown, as a refusal that says it. */
export function filesRefusalOf(error: unknown): FilesRefusal {
  if (error instanceof FilesRefusal) return error;
  if (error instanceof Refusal) {
    if (error.code === 'locked') return new FilesRefusal('locked', FILE_PROBLEMS.locked, null, { cause: error });
    if (error.code === 'changed-while-repairing') {
      return new FilesRefusal('changed-since-preview', FILE_PROBLEMS.changed, null, { cause: error });
    }
  }
  const name = errorName(error);
  switch (errorCode(error) ?? '') {
    case 'ENOSPC':
    case 'EDQUOT':
      return new FilesRefusal('no-space', `There is no room on the disk, so nothing was changed (${name}).`);
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new FilesRefusal('read-only', `A file or folder cannot be written, so nothing was changed (${name}).`);
    default:
      return new FilesRefusal('write-failed', `A file could not be written, so nothing was changed (${name}).`);
  }
}

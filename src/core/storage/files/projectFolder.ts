import { basename, dirname, join, sep } from 'node:path';
import type { RewindFailureReason } from '../../../protocol/history';
import { errorCode, errorName, Refusal } from '../refusal';
import { closeQuietly, type WriteFs } from '../writeFs';

/**
 * Throws `folder-gone` if files are in a project folder that no longer exists. It was probably moved, and writing the
 * files would create another folder in its place. `cwd`: absolute; null if unknown.
 */
export async function assertProjectIsThere(
  cwd: string | null,
  paths: readonly string[],
  fs: Pick<WriteFs, 'realpath'>,
): Promise<void> {
  const problem = await goneProject(cwd, paths, fs);
  if (problem !== null) throw new FilesRefusal('folder-gone', problem);
}

/** One sentence to show; null if the folder exists, or contains none of the files. */
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
 * The folder of a path without symbolic links. If it does not exist, the path at which it would be created, below the
 * nearest existing folder. Rejects with ENOTDIR if a parent is not a folder, and with the file system's error.
 */
export async function realFolderOf(path: string, fs: Pick<WriteFs, 'realpath' | 'lstat'>): Promise<string> {
  return realPathOf(dirname(path), fs);
}

/** Like `realFolderOf`, but for the folder itself. */
export async function realPathOf(folder: string, fs: Pick<WriteFs, 'realpath' | 'lstat'>): Promise<string> {
  try {
    return await fs.realpath(folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    // A broken link: its target cannot be resolved.
    const isThere = await fs.lstat(folder).then(
      () => true,
      () => false,
    );
    if (isThere) throw error;
    return join(await realPathOf(dirname(folder), fs), basename(folder));
  }
}

/** Windows cannot open folders; some network mounts cannot sync them. */
const CANNOT_SYNC = ['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'EBADF', 'ENOSYS'];

/** Resolves when the names in a path's folder are on disk, if the system supports that. */
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

/**
 * Why files are unchanged. Thrown only within the code that changes files. Only with `half-done` have files been
 * changed.
 */
export class FilesRefusal extends Error {
  constructor(
    readonly code: RewindFailureReason,
    problem: string,
    /** The remaining safety snapshot; null if there is none. */
    readonly safetyPath: string | null = null,
    options?: ErrorOptions,
  ) {
    super(problem, options);
    this.name = 'FilesRefusal';
  }
}

export const FILE_PROBLEMS = {
  changed: 'A file changed in the meantime, so nothing was changed. Look at the preview again.',
  maybeLive: 'If no client is using this session, say that it may be running.',
  live: 'Claude is using this session, and may change the same files. Close it there, or say that it may be.',
  locked: 'Another window or process is rewinding files. Try again in a moment.',
} as const;

/** Converts any error to a refusal. */
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

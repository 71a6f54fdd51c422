import { errorCode } from '../write/refusal';
import { realFolderOf } from '../write/files/realFolder';
import type { FileStat, WriteFs } from '../write/writeFs';

/** What stands at a path. */
export type FileLook =
  | { readonly kind: 'absent'; readonly realFolder: string }
  | { readonly kind: 'file'; readonly stat: FileStat; readonly realFolder: string }
  | { readonly kind: 'symlink' }
  /** A folder, a socket, a pipe … */
  | { readonly kind: 'other'; readonly isFolder: boolean }
  /** The way there leads over a file, or over a link that leads nowhere or in a ring. */
  | { readonly kind: 'blocked' }
  /** Nothing can stand there: the path is too long, or holds a NUL. */
  | { readonly kind: 'impossible' }
  | { readonly kind: 'unreadable'; readonly code: string };

/** Rejects only for faults of the disk. */
export async function lookAtFile(path: string, fs: Pick<WriteFs, 'lstat' | 'realpath'>): Promise<FileLook> {
  try {
    const stat = await lstatOrNull(path, fs);
    if (stat?.isSymbolicLink() === true) return { kind: 'symlink' };
    if (stat !== null && !stat.isFile()) return { kind: 'other', isFolder: stat.isDirectory() };
    const realFolder = await realFolderOf(path, fs);
    return stat === null ? { kind: 'absent', realFolder } : { kind: 'file', stat, realFolder };
  } catch (error) {
    const code = codeOfOne(error);
    if (['ENOTDIR', 'ELOOP', 'ENOENT'].includes(code)) return { kind: 'blocked' };
    if (['ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(code)) return { kind: 'impossible' };
    return { kind: 'unreadable', code };
  }
}

/** What may be over at the next try, and is no matter of one file. */
const FAULTS: ReadonlySet<string> = new Set(['EIO', 'ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EINTR']);

/** The code of an error that is a matter of one file. Throws any other error. */
export function codeOfOne(error: unknown): string {
  const code = errorCode(error);
  if (code === null || FAULTS.has(code)) throw error;
  return code;
}

/** Null when nothing stands there. Rejects with any other error of the file system. */
export async function lstatOrNull(path: string, fs: Pick<WriteFs, 'lstat'>): Promise<FileStat | null> {
  try {
    return await fs.lstat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

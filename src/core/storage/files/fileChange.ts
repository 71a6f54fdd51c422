import { createHash } from 'node:crypto';
import { type NewAttributes, setAttributes } from '../fileAttributes';
import { CHUNK_BYTES, readFully, writeFully } from '../fileBytes';
import { errorCode } from '../refusal';
import {
  closeQuietly,
  createHidden,
  type FileStat,
  type OpenFile,
  type ReadableFile,
  removeQuietly,
  type WriteFs,
} from '../writeFs';
import { FILE_PROBLEMS, FilesRefusal } from './projectFolder';
import type { MadeState } from './safetyFolder';

/** The state of a file when its change was planned. `stat` does not follow links. */
type FileBefore = { readonly kind: 'absent' } | { readonly kind: 'file'; readonly stat: FileStat };

export interface FileTimes {
  readonly atimeNs: bigint;
  readonly mtimeNs: bigint;
}

export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

/** The intended state of a file. */
export type FileAfter =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'file';
      /** Absolute path of a file with the content. It is only read. */
      readonly contentPath: string;
      /** Bytes. */
      readonly size: number;
      /** Hex SHA-256 that the bytes must have; null if unknown. */
      readonly sha256: string | null;
      /** Permission bits. */
      readonly mode: number;
      /** Null for the time of the change. */
      readonly times: FileTimes | null;
      /** Null for the owner of the existing file, or of this process if there is none. */
      readonly owner: FileOwner | null;
    };

/** One file of a transaction. */
export interface FileChange {
  /** Absolute. */
  readonly path: string;
  /** Its folder without symbolic links when the change was planned; it may not exist yet. */
  readonly realFolder: string;
  readonly before: FileBefore;
  readonly after: FileAfter;
}

const PERMISSIONS = 0o7777n;

export function permissionsOf(stat: FileStat): number {
  return Number(stat.mode & PERMISSIONS);
}

/** Null if nothing exists at the path, also if its folder is gone. Rejects with any other error of the file system. */
export async function statOrNull(path: string, fs: Pick<WriteFs, 'lstat'>): Promise<FileStat | null> {
  try {
    return await fs.lstat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return null;
    throw error;
  }
}

/**
 * Whether the path still holds the same file with the same bytes as when the change was planned, or nothing in both
 * cases.
 */
export function isUntouched(stat: FileStat | null, before: FileBefore): boolean {
  if (before.kind === 'absent' || stat === null) return before.kind === 'absent' && stat === null;
  const known = before.stat;
  return (
    stat.isFile() &&
    stat.dev === known.dev &&
    stat.ino === known.ino &&
    stat.size === known.size &&
    stat.mtimeNs === known.mtimeNs &&
    stat.ctimeNs === known.ctimeNs &&
    stat.mode === known.mode &&
    stat.nlink === known.nlink
  );
}

/** Whether the path holds a file with these bytes and permissions, or nothing. `stat`: the current one of the path. */
export async function isInState(
  path: string,
  stat: FileStat | null,
  state: MadeState,
  fs: Pick<WriteFs, 'open'>,
): Promise<boolean> {
  if (state.kind === 'absent' || stat === null) return state.kind === 'absent' && stat === null;
  if (!stat.isFile() || Number(stat.size) !== state.size || permissionsOf(stat) !== state.mode) return false;
  return (await sha256Of(path, fs)) === state.sha256;
}

/** Hex SHA-256 of a file, in bounded memory. Rejects with the file system's error. */
export async function sha256Of(path: string, fs: Pick<WriteFs, 'open'>): Promise<string> {
  const file = await fs.open(path, 'read');
  try {
    return (await digestOf(file)).sha256;
  } finally {
    await closeQuietly(file);
  }
}

interface Digest {
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

/** Digest of a whole open file. Each piece is passed to `take` before the next is read. */
async function digestOf(
  file: ReadableFile,
  take: (bytes: Uint8Array) => Promise<void> = () => Promise.resolve(),
): Promise<Digest> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let size = 0;
  for (;;) {
    const read = await readFully(file, buffer, size);
    if (read === 0) return { sha256: hash.digest('hex'), size };
    const bytes = buffer.subarray(0, read);
    hash.update(bytes);
    await take(bytes);
    size += read;
  }
}

export interface FileCopy extends Digest {
  /** Stat of the copy, which is closed. */
  readonly stat: FileStat;
}

/**
 * Copies a file's bytes to a path that does not exist, in bounded memory, and proves the copy by reading it back. The
 * copy is on disk when this resolves; nothing is left behind when it rejects.
 *
 * @param like path of the file whose extended attributes and ACL the copy gets
 */
export async function copyFile(
  from: string,
  to: string,
  given: NewAttributes,
  fs: WriteFs,
  like = from,
): Promise<FileCopy> {
  const source = await fs.open(from, 'read');
  try {
    const copy = await createHidden(to, fs);
    try {
      const meant = await digestOf(source, (bytes) => writeFully(copy, bytes));
      await setAttributesLike(like === from ? source : like, copy, given, fs);
      await copy.sync();
      const written = await digestOf(copy);
      if (written.sha256 !== meant.sha256 || written.size !== meant.size) {
        throw new FilesRefusal('write-failed', `What was written to ${to} does not read back, so nothing was changed.`);
      }
      return { ...meant, stat: await copy.stat() };
    } catch (error) {
      await removeQuietly(to, fs);
      throw error;
    } finally {
      await closeQuietly(copy);
    }
  } finally {
    await closeQuietly(source);
  }
}

async function setAttributesLike(
  like: ReadableFile | string,
  copy: OpenFile,
  given: NewAttributes,
  fs: WriteFs,
): Promise<void> {
  if (typeof like !== 'string') return setAttributes(copy, given, like);
  const file = await fs.open(like, 'read').catch((error: unknown) => {
    // Another program has taken the file that is to be replaced.
    if (errorCode(error) === 'ENOENT') throw new FilesRefusal('changed-since-preview', FILE_PROBLEMS.changed);
    throw error;
  });
  try {
    await setAttributes(copy, given, file);
  } finally {
    await closeQuietly(file);
  }
}

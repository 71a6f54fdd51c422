import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { CHUNK_BYTES, readFully } from '../fileBytes';
import { errorCode } from '../refusal';
import { closeQuietly, type FileStat, type ReadableFile, removeQuietly, type WriteFs } from '../writeFs';
import { makePrivateFolder } from './privateFolder';

/** Largest file of which a copy is kept, in bytes: 2 GiB. Copying it takes some seconds, for which Claude waits. */
export const MAX_KEPT_BYTES = 2 * 1024 * 1024 * 1024;

/** The folders of the copies, whose names are the SHA-256 of their bytes. */
export interface ContentFolders {
  /** The session's own folder; its content does not depend on other sessions. */
  readonly own: string;
  /** Holds a second name for the copies of all sessions, so that a session finds what another one has kept. */
  readonly pool: string;
}

export interface KeptContent {
  /** Hex SHA-256. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

export interface KeepDeps {
  readonly fs: WriteFs;
  /** Returns a string that is unique among all processes and valid in a file name. */
  readonly random: () => string;
}

/** Path of a copy in a session's folder. */
export function ownContentPath(own: string, sha256: string): string {
  return join(own, sha256);
}

/** Path of a copy in the pool of all sessions. */
export function poolContentPath(pool: string, sha256: string): string {
  return join(pool, sha256.slice(0, 2), sha256);
}

/** A file that is kept: open, so that it is known to be a regular file. */
export interface ContentSource {
  readonly path: string;
  readonly file: ReadableFile;
}

/**
 * Keeps a copy of a file's content, in bounded memory. A session stores it once, and shares the disk space with other
 * sessions by hard links: removing one session takes nothing from another, and no reference count can go wrong. With the file
 * itself it shares disk space only where the file system shares blocks. The copy is named by the hash of the bytes that are read
 * from it. Null if the file is larger than `maxBytes`. Rejects with Node's error; an unfinished copy is then removed.
 */
export async function keepContent(
  { path, file }: ContentSource,
  folders: ContentFolders,
  deps: KeepDeps,
  maxBytes = MAX_KEPT_BYTES,
): Promise<KeptContent | null> {
  const { fs } = deps;
  const before = await file.stat();
  if (before.size > BigInt(maxBytes)) return null;
  // A small file is often kept already, which its bytes tell without a copy.
  const small = before.size < BigInt(CHUNK_BYTES) ? await digest(file, Number(before.size)) : null;
  if (small !== null && small.size <= maxBytes && (await isKept(small, folders, fs))) return small;
  const unfinished = join(folders.own, `.${deps.random()}.tmp`);
  try {
    await fs.copy(path, unfinished);
    const copied = await digestAt(unfinished, Number(before.size), fs);
    if (copied.size > maxBytes) return null;
    if (BigInt(copied.size) !== before.size && (await isUnchanged(file, before))) {
      throw Object.assign(new Error('EIO: The copy is not as long as the file'), { code: 'EIO' });
    }
    if (small?.sha256 !== copied.sha256 && (await isKept(copied, folders, fs))) return copied;
    await name(unfinished, copied.sha256, folders, fs);
    return copied;
  } finally {
    await removeQuietly(unfinished, fs);
  }
}

async function isUnchanged(file: ReadableFile, before: FileStat): Promise<boolean> {
  const after = await file.stat();
  return after.size === before.size && after.mtimeNs === before.mtimeNs && after.ctimeNs === before.ctimeNs;
}

async function digestAt(path: string, expectedBytes: number, fs: WriteFs): Promise<KeptContent> {
  const file = await fs.open(path, 'read');
  try {
    return await digest(file, expectedBytes);
  } finally {
    await closeQuietly(file);
  }
}

/** Whether the session has the copy, if necessary by linking it from the pool. An altered copy does not count. */
async function isKept(content: KeptContent, folders: ContentFolders, fs: WriteFs): Promise<boolean> {
  const own = ownContentPath(folders.own, content.sha256);
  if (await holds(own, content, fs)) return true;
  const shared = poolContentPath(folders.pool, content.sha256);
  if (!(await holds(shared, content, fs))) return false;
  try {
    await fs.link(shared, own);
    return true;
  } catch {
    // The name belongs to an altered copy, which will be replaced; or the copy was removed, or cannot have more links.
    return false;
  }
}

async function holds(path: string, { sha256, size }: KeptContent, fs: WriteFs): Promise<boolean> {
  let file: ReadableFile | null = null;
  try {
    const stat = await fs.lstat(path);
    if (!stat.isFile() || stat.size !== BigInt(size)) return false;
    file = await fs.open(path, 'read');
    return (await digest(file, size)).sha256 === sha256;
  } catch {
    return false;
  } finally {
    if (file !== null) await closeQuietly(file);
  }
}

async function name(unfinished: string, sha256: string, folders: ContentFolders, fs: WriteFs): Promise<void> {
  const shared = poolContentPath(folders.pool, sha256);
  await fs.rename(unfinished, ownContentPath(folders.own, sha256));
  try {
    await shareContent(ownContentPath(folders.own, sha256), shared, fs);
  } catch {
    // Not shared: a file system without links, or a disk without space for a name. The session's own copy is
    // sufficient.
  }
}

async function shareContent(own: string, shared: string, fs: WriteFs): Promise<void> {
  try {
    await fs.link(own, shared);
  } catch (error) {
    const code = errorCode(error);
    // The pool's copy was altered, or another process was faster; in that case either copy will do.
    if (code === 'EEXIST') await fs.unlink(shared);
    else if (code === 'ENOENT') await makePrivateFolder(join(shared, '..'), fs);
    else throw error;
    await fs.link(own, shared);
  }
}

/** @param expectedBytes of a file that has not changed */
async function digest(file: ReadableFile, expectedBytes: number): Promise<KeptContent> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, expectedBytes + 1));
  for (let size = 0; ;) {
    const read = await readFully(file, buffer, size);
    if (read === 0) return { sha256: hash.digest('hex'), size };
    hash.update(buffer.subarray(0, read));
    size += read;
  }
}

/** Unfinished files and folders of this age, in milliseconds, belong to hooks that were killed. */
export const UNFINISHED_MS = 600_000;

/**
 * The unfinished files of dead processes in a folder, by path: those that were not written since `beforeMs`, and second
 * names of finished ones. Never rejects.
 */
export async function findUnfinished(
  folder: string,
  beforeMs: number,
  fs: Pick<WriteFs, 'readdir' | 'lstat'>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await fs.readdir(folder).catch(() => [])) {
    if (!name.endsWith('.tmp')) continue;
    const path = join(folder, name);
    const stat = await fs.lstat(path).catch(() => null);
    if (stat?.isFile() !== true) continue;
    // A file that has its own name already is written to under that name, so it never becomes old.
    if (stat.nlink > 1n || stat.mtimeMs < beforeMs) found.push(path);
  }
  return found;
}

/** Removes what `findUnfinished` finds. Never rejects. */
export async function clearUnfinished(
  folder: string,
  beforeMs: number,
  fs: Pick<WriteFs, 'readdir' | 'lstat' | 'unlink'>,
): Promise<void> {
  for (const path of await findUnfinished(folder, beforeMs, fs)) await removeQuietly(path, fs);
}

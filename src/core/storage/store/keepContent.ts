import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { CHUNK_BYTES, readFully, writeFully } from '../fileBytes';
import { errorCode } from '../refusal';
import { closeQuietly, type OpenFile, type ReadableFile, removeQuietly, type WriteFs } from '../writeFs';
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

/**
 * Keeps a copy of a file's content, in bounded memory. A session stores it once, and shares the disk space with other
 * sessions by hard links: removing one session takes nothing from another, and no reference count can go wrong. The
 * copy gets its name only after reading it back has proved it equal. Null if the file is larger than `maxBytes`.
 * Rejects with Node's error; an unfinished copy is then removed.
 */
export async function keepContent(
  source: ReadableFile,
  folders: ContentFolders,
  deps: KeepDeps,
  maxBytes = MAX_KEPT_BYTES,
): Promise<KeptContent | null> {
  const first = Buffer.allocUnsafe(CHUNK_BYTES);
  const head = first.subarray(0, await readFully(source, first, 0));
  const isWhole = head.length < first.length;
  if (isWhole) {
    const sha256 = createHash('sha256').update(head).digest('hex');
    if (await isKept(sha256, head.length, folders, deps.fs)) return { sha256, size: head.length };
  }
  const unfinished = join(folders.own, `.${deps.random()}.tmp`);
  const copy = await deps.fs.open(unfinished, 'create');
  try {
    const copied = await copyAll(source, isWhole ? null : first, head, copy, maxBytes);
    if (copied === null) return null;
    if ((await digest(copy, copied.size)) !== copied.sha256) {
      throw Object.assign(new Error('EIO: The copy does not read back as it was written'), { code: 'EIO' });
    }
    await closeQuietly(copy);
    if (!isWhole && (await isKept(copied.sha256, copied.size, folders, deps.fs))) return copied;
    await name(unfinished, copied.sha256, folders, deps.fs);
    return copied;
  } finally {
    await closeQuietly(copy);
    await removeQuietly(unfinished, deps.fs);
  }
}

/**
 * Copies `head` and, if there is a `buffer`, the rest of the source through it. Null if there are more than `maxBytes`.
 */
async function copyAll(
  source: ReadableFile,
  buffer: Buffer | null,
  head: Buffer,
  copy: OpenFile,
  maxBytes: number,
): Promise<KeptContent | null> {
  const hash = createHash('sha256');
  let size = 0;
  for (let chunk = head; chunk.length > 0;) {
    size += chunk.length;
    if (size > maxBytes) return null;
    hash.update(chunk);
    await writeFully(copy, chunk);
    if (buffer === null) break;
    chunk = buffer.subarray(0, await readFully(source, buffer, size));
  }
  return { sha256: hash.digest('hex'), size };
}

/** Whether the session has the copy, if necessary by linking it from the pool. An altered copy does not count. */
async function isKept(sha256: string, size: number, folders: ContentFolders, fs: WriteFs): Promise<boolean> {
  const own = ownContentPath(folders.own, sha256);
  if (await holds(own, sha256, size, fs)) return true;
  const shared = poolContentPath(folders.pool, sha256);
  if (!(await holds(shared, sha256, size, fs))) return false;
  try {
    await fs.link(shared, own);
    return true;
  } catch {
    // The name belongs to an altered copy, which will be replaced; or the copy was removed, or cannot have more links.
    return false;
  }
}

async function holds(path: string, sha256: string, size: number, fs: WriteFs): Promise<boolean> {
  let file: ReadableFile | null = null;
  try {
    const stat = await fs.lstat(path);
    if (!stat.isFile() || stat.size !== BigInt(size)) return false;
    file = await fs.open(path, 'read');
    return (await digest(file, size)) === sha256;
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

async function digest(file: ReadableFile, size: number): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size + 1));
  for (let at = 0; ;) {
    const read = await readFully(file, buffer, at);
    if (read === 0) break;
    hash.update(buffer.subarray(0, read));
    at += read;
  }
  return hash.digest('hex');
}

/**
 * Removes the unfinished files of dead processes: those that were not written since `beforeMs`, and second names of finished ones.
 * Never rejects.
 */
export async function clearUnfinished(
  folder: string,
  beforeMs: number,
  fs: Pick<WriteFs, 'readdir' | 'lstat' | 'unlink'>,
): Promise<void> {
  const names = await fs.readdir(folder).catch(() => []);
  for (const name of names) {
    if (!name.endsWith('.tmp')) continue;
    const path = join(folder, name);
    const stat = await fs.lstat(path).catch(() => null);
    if (stat?.isFile() !== true) continue;
    // A file that has its own name already is written to under that name, so it never becomes old.
    if (stat.nlink > 1n || stat.mtimeMs < beforeMs) await removeQuietly(path, fs);
  }
}

import { dirname, join } from 'node:path';
import { writeFully } from '../fileBytes';
import { errorCode } from '../refusal';
import { closeQuietly, removeQuietly, type WriteFs } from '../writeFs';
import { poolContentPath } from './keepContent';
import { makePrivateFolder } from './privateFolder';

/** These names start with a dot, unlike those of session folders. */
const UNFINISHED = '.new-';
const REMOVED = '.gone-';

export interface FolderDeps {
  readonly fs: WriteFs;
  readonly random: () => string;
}

/**
 * Creates a session's folder so that it appears together with all of its first files. `fill` writes them to a folder
 * that is not visible to others yet. False if the folder already exists. Rejects with Node's error and leaves nothing
 * behind.
 */
export async function createSessionFolder(
  folder: string,
  fill: (unfinished: string) => Promise<void>,
  { fs, random }: FolderDeps,
): Promise<boolean> {
  const sessions = dirname(folder);
  const unfinished = join(sessions, `${UNFINISHED}${random()}`);
  await makePrivateFolder(unfinished, fs);
  try {
    await fill(unfinished);
    // This would replace an empty folder, but such a folder holds no session.
    await fs.rename(unfinished, folder);
    return true;
  } catch (error) {
    await removeFolder(unfinished, fs).catch(() => undefined);
    const code = errorCode(error);
    // Windows reports EPERM if the folder exists.
    if (code === 'ENOTEMPTY' || code === 'EEXIST' || (code === 'EPERM' && (await isThere(folder, fs)))) return false;
    throw error;
  }
}

/** Writes a file that no other process writes, in a folder that is not visible to others yet. */
export async function writeFirstFile(path: string, bytes: Uint8Array, fs: WriteFs): Promise<void> {
  const file = await fs.open(path, 'create');
  try {
    await writeFully(file, bytes);
  } finally {
    await closeQuietly(file);
  }
}

/**
 * Removes a session's folder. It disappears for all processes at once; what it shared with other sessions remains
 * theirs. Links are removed, never followed. False if there is no such folder. Rejects with Node's error.
 */
export async function removeSessionFolder(folder: string, { fs, random }: FolderDeps): Promise<boolean> {
  const removed = join(dirname(folder), `${REMOVED}${random()}`);
  try {
    await fs.rename(folder, removed);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
  await removeFolder(removed, fs);
  return true;
}

/**
 * The hidden folders of dead processes, by path: those that were being removed, and those that were being filled and were
 * last changed before `beforeMs`. Never rejects.
 */
export async function findHiddenFolders(
  sessions: string,
  beforeMs: number,
  fs: Pick<WriteFs, 'readdir' | 'lstat'>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await fs.readdir(sessions).catch(() => [])) {
    const path = join(sessions, name);
    if (name.startsWith(REMOVED)) found.push(path);
    if (!name.startsWith(UNFINISHED)) continue;
    const stat = await fs.lstat(path).catch(() => null);
    if (stat !== null && stat.mtimeMs < beforeMs) found.push(path);
  }
  return found;
}

/** Removes what `findHiddenFolders` finds. Never rejects. */
export async function clearHiddenFolders(sessions: string, beforeMs: number, fs: WriteFs): Promise<void> {
  for (const path of await findHiddenFolders(sessions, beforeMs, fs)) {
    await removeFolder(path, fs).catch(() => undefined);
  }
}

/** Like `clearHiddenFolders`, and removes copies that no session has any more. Never rejects. */
export async function clearStore(sessions: string, pool: string, beforeMs: number, fs: WriteFs): Promise<void> {
  await clearHiddenFolders(sessions, beforeMs, fs);
  for (const shard of await fs.readdir(pool).catch(() => [])) {
    for (const sha256 of await fs.readdir(join(pool, shard)).catch(() => [])) {
      const path = poolContentPath(pool, sha256);
      const stat = await fs.lstat(path).catch(() => null);
      // This is the only link to the copy, so no session has it. A session that links it at this moment keeps its own
      // link.
      if (stat?.isFile() === true && stat.nlink === 1n) await removeQuietly(path, fs);
    }
  }
}

async function removeFolder(path: string, fs: WriteFs): Promise<void> {
  if (!(await fs.lstat(path)).isDirectory()) return fs.unlink(path);
  for (const name of await fs.readdir(path)) await removeFolder(join(path, name), fs);
  await fs.rmdir(path);
}

async function isThere(path: string, fs: WriteFs): Promise<boolean> {
  return fs.lstat(path).then(
    () => true,
    () => false,
  );
}

import { dirname, join } from 'node:path';
import { writeFully } from '../fileBytes';
import { errorCode } from '../refusal';
import { closeQuietly, removeQuietly } from '../staleFiles';
import type { WriteFs } from '../writeFs';
import { poolContentPath } from './keepContent';
import { makePrivateFolder } from './privateFolder';

/** Begin with a dot, as no session's folder does. */
const UNFINISHED = '.new-';
const REMOVED = '.gone-';

export interface FolderDeps {
  readonly fs: WriteFs;
  readonly random: () => string;
}

/**
 * Makes a session's folder, which has all of its first files as soon as it has its name. `fill` makes them, in a folder
 * that nobody sees yet. False when there is a folder of that name. Rejects with Node's error and leaves nothing behind.
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
    // Would replace an empty folder, which holds no session.
    await fs.rename(unfinished, folder);
    return true;
  } catch (error) {
    await removeFolder(unfinished, fs).catch(() => undefined);
    const code = errorCode(error);
    // Windows says EPERM of a folder that is there.
    if (code === 'ENOTEMPTY' || code === 'EEXIST' || (code === 'EPERM' && (await isThere(folder, fs)))) return false;
    throw error;
  }
}

/** A file of ours that nobody else writes, in a folder that nobody sees yet. */
export async function writeFirstFile(path: string, bytes: Uint8Array, fs: WriteFs): Promise<void> {
  const file = await fs.open(path, 'create');
  try {
    await writeFully(file, bytes);
  } finally {
    await closeQuietly(file);
  }
}

/**
 * Removes a session's folder. It is gone for everyone at once; what it shared with others stays theirs. Links are removed,
 * never followed. False when there is none. Rejects with Node's error.
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
 * Ends what processes that died had begun, and takes copies away that no session has any more. `beforeMs`: folders that
 * were being made then are nobody's any more. Never rejects.
 */
export async function clearStore(sessions: string, pool: string, beforeMs: number, fs: WriteFs): Promise<void> {
  for (const name of await fs.readdir(sessions).catch(() => [])) {
    const path = join(sessions, name);
    if (name.startsWith(REMOVED)) await removeFolder(path, fs).catch(() => undefined);
    if (!name.startsWith(UNFINISHED)) continue;
    const stat = await fs.lstat(path).catch(() => null);
    if (stat !== null && stat.mtimeMs < beforeMs) await removeFolder(path, fs).catch(() => undefined);
  }
  for (const shard of await fs.readdir(pool).catch(() => [])) {
    for (const sha256 of await fs.readdir(join(pool, shard)).catch(() => [])) {
      const path = poolContentPath(pool, sha256);
      const stat = await fs.lstat(path).catch(() => null);
      // The only name of the copy: no session has it. One that takes it at this moment has a name of its own then.
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

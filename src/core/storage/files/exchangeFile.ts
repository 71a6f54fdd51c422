import { join } from 'node:path';
import { fileIdentity, isSameFile } from '../fileAttributes';
import { errorCode } from '../refusal';
import { CANNOT_LINK, type FileStat, type WriteFs } from '../writeFs';
import { copyFile, statOrNull } from './fileChange';
import type { SafetyEntry, SafetyFolder } from './safetyFolder';

/*
 * A rename replaces whatever stands at its target, and what it replaces has no name any more. If another program wrote
 * the file a moment before, that is the only copy of what it wrote. Therefore, nothing here is ever replaced: what
 * stands at a path first gets a second name, and a file comes to a free path by a call that fails if it is not free.
 * Between the two, nothing stands at the path; no call that Node offers exchanges two files.
 */

/** The replacing file, before it comes to its path. */
export function temporaryPath({ realFolder, temporary }: SafetyEntry): string {
  return join(realFolder, temporary);
}

/** A copy of the original, before it comes back to its path. */
export function backPath(entry: SafetyEntry): string {
  return `${temporaryPath(entry)}.back`;
}

/** What stood at the path when it was changed: the original, or what another program put in its place. */
export function displacedPath(entry: SafetyEntry): string {
  return `${temporaryPath(entry)}.was`;
}

/** The replacing file, after a rollback took it away from its path. */
export function withdrawnPath(entry: SafetyEntry): string {
  return `${temporaryPath(entry)}.ours`;
}

/**
 * Moves whatever stands at `target` to `aside`, at which nothing may be. False if nothing stood there. Rejects with the
 * file system's error.
 */
export async function takeAside(target: string, aside: string, fs: WriteFs): Promise<boolean> {
  if ((await statOrNull(aside, fs)) !== null) throw new Error(`There is something at ${aside}`);
  try {
    await fs.rename(target, aside);
    return true;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    // On a network file system, a call may be repeated after it has taken effect.
    return (await statOrNull(aside, fs)) !== null;
  }
}

/**
 * Moves a file to `target` if nothing stands there. False, with nothing changed, if something does. Rejects with the
 * file system's error.
 */
export async function putInPlace(from: string, target: string, fs: WriteFs): Promise<boolean> {
  const how = await linkInPlace(from, target, fs);
  if (how === 'linked') await fs.unlink(from);
  return how !== null;
}

/**
 * Like `putInPlace`, but a file that was linked keeps its earlier name. Once this has resolved, the file is in its place.
 *
 * @returns null if something stands at the target
 */
export async function linkInPlace(from: string, target: string, fs: WriteFs): Promise<'linked' | 'moved' | null> {
  const stat = await fs.lstat(from);
  // Some systems follow a symbolic link instead of linking it, and none links a folder.
  if (!stat.isFile()) return renameToFree(from, target, fs);
  try {
    await fs.link(from, target);
  } catch (error) {
    // On a network file system, a call may take effect and return an error all the same.
    const there = await statOrNull(target, fs);
    if (there === null || !isSameFile(there, fileIdentity(stat))) {
      if (errorCode(error) === 'EEXIST') return null;
      if (CANNOT_LINK.includes(errorCode(error) ?? '')) return renameToFree(from, target, fs);
      throw error;
    }
  }
  return 'linked';
}

/** Where there are no hard links, the check and the rename are two calls. */
async function renameToFree(from: string, target: string, fs: WriteFs): Promise<'moved' | null> {
  if ((await statOrNull(target, fs)) !== null) return null;
  await fs.rename(from, target);
  return 'moved';
}

/**
 * Moves a file into the safety snapshot. On the same file system it stays the same file, so that even what a program
 * writes later, to a file that it has opened before, is kept. `name`: that of the file's entry.
 *
 * @returns its path in the snapshot; null for what is not a regular file on another file system, which stays
 */
export async function moveToSafety(
  path: string,
  name: string,
  folder: SafetyFolder,
  fs: WriteFs,
): Promise<string | null> {
  const kept = await folder.freeDisplacedPath(name);
  try {
    await fs.rename(path, kept);
    return kept;
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;
  }
  const stat = await fs.lstat(path);
  if (!stat.isFile()) return null;
  await copyFile(path, kept, { mode: PRIVATE_MODE, owner: null, times: null }, fs);
  if (!isSameContent(await fs.lstat(path), stat)) throw new Error('Written to while it was copied');
  await fs.unlink(path);
  return kept;
}

/** Copies a file that another program wrote into the safety snapshot. Anything but a regular file is not copied. */
export async function copyToSafety(path: string, name: string, folder: SafetyFolder, fs: WriteFs): Promise<void> {
  if ((await statOrNull(path, fs))?.isFile() !== true) return;
  const kept = await folder.freeDisplacedPath(name);
  await copyFile(path, kept, { mode: PRIVATE_MODE, owner: null, times: null }, fs);
}

const PRIVATE_MODE = 0o600;

/** Unlike `isUntouched`, ignores what a rename or a link changes. */
export function isSameContent(stat: FileStat, known: FileStat): boolean {
  return (
    stat.isFile() &&
    isSameFile(stat, known) &&
    stat.size === known.size &&
    stat.mtimeNs === known.mtimeNs &&
    stat.mode === known.mode &&
    stat.nlink === known.nlink
  );
}

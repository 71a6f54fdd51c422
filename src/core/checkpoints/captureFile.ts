import { closeQuietly } from '../write/leftovers';
import { errorCode } from '../write/refusal';
import { keepContent, MAX_KEPT_BYTES, type ContentFolders, type KeepDeps } from '../write/store/keepContent';
import { makePrivateFolder } from '../write/store/privateFolder';
import type { FileStat, ReadableFile } from '../write/writeFs';
import type { StoredFile, StoredState } from './storedRow';

const PERMISSIONS = 0o7777n;

export interface CapturedFile {
  readonly file: StoredFile;
  /** The code of the error for which it was not kept; null when nothing failed. */
  readonly failed: string | null;
}

/**
 * Keeps the state of what is at a path. A symbolic link stands for what it leads to, as a tool that writes by it changes
 * that. Never rejects: what cannot be kept is said.
 *
 * @param path absolute
 */
export async function captureFile(
  path: string,
  folders: ContentFolders,
  deps: KeepDeps,
  maxBytes = MAX_KEPT_BYTES,
): Promise<CapturedFile> {
  const { fs } = deps;
  const found = await fs.lstat(path).catch(sourceProblem);
  if ('failed' in found) return { file: { path, link: null, state: found.state }, failed: found.failed };
  if (!found.isSymbolicLink()) return captureFound(path, null, found, folders, deps, maxBytes);
  const target = await fs.realpath(path).catch(() => null);
  const led = target === null ? null : await fs.lstat(target).catch(() => null);
  // A link that leads nowhere: what a tool would make by it, and where, is not followed up.
  if (target === null || led === null) return plain(path, null, { kind: 'notKept', why: 'notAFile' });
  return captureFound(target, path, led, folders, deps, maxBytes);
}

async function captureFound(
  path: string,
  link: string | null,
  stat: FileStat,
  folders: ContentFolders,
  deps: KeepDeps,
  maxBytes: number,
): Promise<CapturedFile> {
  // Before it is opened: to open a pipe would wait for whoever writes to it.
  if (!stat.isFile()) return plain(path, link, { kind: 'notKept', why: 'notAFile' });
  if (stat.size > BigInt(maxBytes)) return plain(path, link, { kind: 'notKept', why: 'tooLarge' });
  const source = await deps.fs.open(path, 'read').catch(sourceProblem);
  if ('failed' in source) return { file: { path, link, state: source.state }, failed: source.failed };
  try {
    const kept = await keep(source, folders, deps, maxBytes);
    if (kept === null) return plain(path, link, { kind: 'notKept', why: 'tooLarge' });
    return plain(path, link, { kind: 'file', ...kept, mode: Number(stat.mode & PERMISSIONS) });
  } catch (error) {
    // Never "absent", whatever the error: that is what a rewind deletes a file for.
    const state = { kind: 'notKept', why: 'unreadable' } as const;
    return { file: { path, link, state }, failed: errorCode(error) ?? 'unknown' };
  } finally {
    await closeQuietly(source);
  }
}

/** Makes the session's folder for copies when it turns out to be missing. */
async function keep(source: ReadableFile, folders: ContentFolders, deps: KeepDeps, maxBytes: number) {
  try {
    return await keepContent(source, folders, deps, maxBytes);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    await makePrivateFolder(folders.own, deps.fs);
    return keepContent(source, folders, deps, maxBytes);
  }
}

interface SourceProblem {
  readonly state: StoredState;
  readonly failed: string | null;
}

function sourceProblem(error: unknown): SourceProblem {
  const code = errorCode(error) ?? 'unknown';
  // The second says that a folder above it is a file.
  if (code === 'ENOENT' || code === 'ENOTDIR') return { state: { kind: 'absent' }, failed: null };
  return { state: { kind: 'notKept', why: 'unreadable' }, failed: code };
}

function plain(path: string, link: string | null, state: StoredState): CapturedFile {
  return { file: { path, link, state }, failed: null };
}

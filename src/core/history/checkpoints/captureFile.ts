import { dirname } from 'node:path';
import { realFolderOf } from '../../storage/files/projectFolder';
import { errorCode } from '../../storage/refusal';
import { type ContentFolders, keepContent, type KeepDeps, MAX_KEPT_BYTES } from '../../storage/store/keepContent';
import { makePrivateFolder } from '../../storage/store/privateFolder';
import { closeQuietly, type FileStat, type ReadableFile } from '../../storage/writeFs';
import type { StoredFile, StoredState } from './storedRow';

const PERMISSIONS = 0o7777n;

export interface CapturedFile {
  readonly file: StoredFile;
  /** The code of the error because of which the file was not kept; null if there was no error. */
  readonly failed: string | null;
}

/**
 * Keeps the state of what is at a path. Follows a symbolic link, because a tool that writes to the link changes its
 * target. Never rejects: the result says why a file could not be kept.
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
  const realFolder = await realFolderOf(path, fs).catch(() => null);
  const place = { path, link: null, realFolder };
  if ('failed' in found) return { file: { ...place, state: found.state }, failed: found.failed };
  if (!found.isSymbolicLink()) return captureFound(place, found, folders, deps, maxBytes);
  const target = await fs.realpath(path).catch(() => null);
  const led = target === null ? null : await fs.lstat(target).catch(() => null);
  // A broken link. A tool may create its target, but that file is not tracked.
  if (target === null || led === null) return plain(place, { kind: 'notKept', why: 'notAFile' });
  return captureFound({ path: target, link: path, realFolder: dirname(target) }, led, folders, deps, maxBytes);
}

type Place = Omit<StoredFile, 'state'>;

async function captureFound(
  place: Place,
  stat: FileStat,
  folders: ContentFolders,
  deps: KeepDeps,
  maxBytes: number,
): Promise<CapturedFile> {
  // Checked before opening, because opening a pipe blocks until another process writes to it.
  if (!stat.isFile()) return plain(place, { kind: 'notKept', why: 'notAFile' });
  if (stat.size > BigInt(maxBytes)) return plain(place, { kind: 'notKept', why: 'tooLarge' });
  const source = await deps.fs.open(place.path, 'read').catch(sourceProblem);
  if ('failed' in source) return { file: { ...place, state: source.state }, failed: source.failed };
  try {
    const kept = await keep(source, folders, deps, maxBytes);
    if (kept === null) return plain(place, { kind: 'notKept', why: 'tooLarge' });
    return plain(place, { kind: 'file', ...kept, mode: Number(stat.mode & PERMISSIONS) });
  } catch (error) {
    // Never "absent", whatever the error, because a rewind deletes a file that was absent.
    const state = { kind: 'notKept', why: 'unreadable' } as const;
    return { file: { ...place, state }, failed: errorCode(error) ?? 'unknown' };
  } finally {
    await closeQuietly(source);
  }
}

/** Creates the session's folder of copies if it is missing. */
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
  // ENOTDIR means that one of the parents is a file.
  if (code === 'ENOENT' || code === 'ENOTDIR') return { state: { kind: 'absent' }, failed: null };
  return { state: { kind: 'notKept', why: 'unreadable' }, failed: code };
}

function plain(place: Place, state: StoredState): CapturedFile {
  return { file: { ...place, state }, failed: null };
}

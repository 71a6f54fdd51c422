import { dirname } from 'node:path';
import { realFolderOf } from '../../storage/files/projectFolder';
import { errorCode } from '../../storage/refusal';
import {
  type ContentFolders,
  type ContentSource,
  keepContent,
  type KeepDeps,
  MAX_KEPT_BYTES,
} from '../../storage/store/keepContent';
import { makePrivateFolder } from '../../storage/store/privateFolder';
import { closeQuietly, type FileStat } from '../../storage/writeFs';
import { describeSeen, isStillCopied, type KnownCopy, type SeenFile } from './knownCopy';
import type { StoredFile, StoredState } from './storedRow';

const PERMISSIONS = 0o7777n;

export interface CapturedFile {
  readonly file: StoredFile;
  /** The code of the error because of which the file was not kept; null if there was no error. */
  readonly failed: string | null;
  /** By what the file is known again; null if it was not kept. */
  readonly seen: SeenFile | null;
}

/** The copy that the session has of a file, if it is known; a file that is the same is not read again. */
export type FindKnownCopy = (path: string) => Promise<KnownCopy | null>;

const NOTHING_KNOWN: FindKnownCopy = () => Promise.resolve(null);

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
  findKnown = NOTHING_KNOWN,
): Promise<CapturedFile> {
  const { fs } = deps;
  const limits = { maxBytes, findKnown };
  const found = await fs.lstat(path).catch(sourceProblem);
  const realFolder = await realFolderOf(path, fs).catch(() => null);
  const place = { path, link: null, realFolder };
  if ('failed' in found) return notKept(place, found);
  if (!found.isSymbolicLink()) return captureFound(place, found, folders, deps, limits);
  const target = await fs.realpath(path).catch(() => null);
  const led = target === null ? null : await fs.lstat(target).catch(() => null);
  // A broken link. A tool may create its target, but that file is not tracked.
  if (target === null || led === null) return plain(place, { kind: 'notKept', why: 'notAFile' });
  return captureFound({ path: target, link: path, realFolder: dirname(target) }, led, folders, deps, limits);
}

type Place = Omit<StoredFile, 'state'>;

async function captureFound(
  place: Place,
  stat: FileStat,
  folders: ContentFolders,
  deps: KeepDeps,
  { maxBytes, findKnown }: { readonly maxBytes: number; readonly findKnown: FindKnownCopy },
): Promise<CapturedFile> {
  const mode = Number(stat.mode & PERMISSIONS);
  // Checked before opening, because opening a pipe blocks until another process writes to it.
  if (!stat.isFile()) return plain(place, { kind: 'notKept', why: 'notAFile' });
  if (stat.size > BigInt(maxBytes)) {
    return plain(place, { kind: 'notKept', why: 'tooLarge', size: Number(stat.size), maxBytes });
  }
  const known = await findKnown(place.path);
  if (known !== null && (await isStillCopied(known, stat, folders, deps.fs))) {
    return { ...plain(place, { kind: 'file', ...known.content, mode }), seen: known.seen };
  }
  const source = await deps.fs.open(place.path, 'read').catch(sourceProblem);
  if ('failed' in source) return notKept(place, source);
  try {
    const kept = await keep({ path: place.path, file: source }, folders, deps, maxBytes);
    if (kept === null) return plain(place, { kind: 'notKept', why: 'tooLarge' });
    const seen = await describeSeen(stat, kept, folders, deps.fs);
    return { ...plain(place, { kind: 'file', ...kept, mode }), seen };
  } catch (error) {
    // Never "absent", whatever the error, because a rewind deletes a file that was absent.
    return notKept(place, { state: { kind: 'notKept', why: 'unreadable' }, failed: errorCode(error) ?? 'unknown' });
  } finally {
    await closeQuietly(source);
  }
}

/** Creates the session's folder of copies if it is missing. */
async function keep(source: ContentSource, folders: ContentFolders, deps: KeepDeps, maxBytes: number) {
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

function notKept(place: Place, { state, failed }: SourceProblem): CapturedFile {
  return { file: { ...place, state }, failed, seen: null };
}

function plain(place: Place, state: StoredState): CapturedFile {
  return { file: { ...place, state }, failed: null, seen: null };
}

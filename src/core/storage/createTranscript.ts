import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { isTranscriptName, sessionIdOf } from '../providers/claude/format/paths';
import { copyAttributes, isSameFile } from './fileAttributes';
import { ChunkWriter, readChunks } from './fileBytes';
import { removeIfEmpty } from './backupNames';
import type { WriteDeps } from './openTranscript';
import { errorCode, errorName, Refusal } from './refusal';
import { unfinishedPath } from './staleFiles';
import {
  CANNOT_LINK,
  closeQuietly,
  createHidden,
  type FileStat,
  isGone,
  type OpenFile,
  removeQuietly,
  syncFolder,
  type WriteFs,
} from './writeFs';

export interface NewTranscript {
  /** Absolute path of the transcript. No file exists there. */
  readonly filePath: string;
  /** Called once. It may reuse the bytes once `put` resolves. */
  readonly write: (put: (bytes: Uint8Array) => Promise<void>) => Promise<void>;
  /** The caller's own check of the file under its hidden name. */
  readonly verify: (path: string) => Promise<boolean>;
  readonly backups: SharedBackups;
}

export interface Created {
  readonly kind: 'created';
  /** Names of backups that the source does not have. */
  readonly missingBackups: readonly string[];
}

export type CreateOutcome =
  | Created
  /** `verify` returned false. No file remains. */
  | { readonly kind: 'unproven' }
  /** No file remains. */
  | {
      readonly kind: 'refused';
      readonly reason: 'missing' | 'unreadable' | 'read-only' | 'no-space' | 'write-failed';
      /** One sentence to show. */
      readonly problem: string;
    };

/**
 * Creates a transcript that only its owner can read. It gets its name once it is complete, on disk, read back and
 * verified. It never replaces an existing file. Never rejects: if the transcript could not be created, no files remain.
 */
export async function createTranscript(request: NewTranscript, deps: WriteDeps): Promise<CreateOutcome> {
  const { fs } = deps;
  const hiddenPath = unfinishedPath(request.filePath, `${deps.random()}-fork`);
  const backups = new BackupLinks(request.backups, fs);
  const hidden = { isNeeded: false };
  try {
    const file = await createHidden(hiddenPath, fs);
    try {
      const digest = await writeAll(file, request.write);
      await file.sync();
      await assertReadsBack(file, digest);
      if (!(await request.verify(hiddenPath))) return { kind: 'unproven' };
      try {
        await backups.link();
        await linkTo(hiddenPath, request.filePath, await file.stat(), fs);
      } catch (error) {
        hidden.isNeeded = !(await backups.remove()) || (await mayBeClaimed(request.filePath, fs));
        throw error;
      }
      await syncFolder(dirname(request.filePath), fs);
      return { kind: 'created', missingBackups: backups.missing };
    } finally {
      await closeQuietly(file);
      // Without this file, nobody would know later that what has remained belongs to no session.
      if (!hidden.isNeeded) await removeQuietly(hiddenPath, fs);
    }
  } catch (error) {
    return refusedFrom(error);
  }
}

interface Digest {
  readonly size: number;
  readonly sha256: string;
}

async function writeAll(file: OpenFile, write: NewTranscript['write']): Promise<Digest> {
  const hash = createHash('sha256');
  const writer = new ChunkWriter(file);
  let size = 0;
  await write(async (bytes) => {
    hash.update(bytes);
    size += bytes.length;
    await writer.write(bytes);
  });
  await writer.flush();
  return { size, sha256: hash.digest('hex') };
}

async function assertReadsBack(file: OpenFile, { size, sha256 }: Digest): Promise<void> {
  const hash = createHash('sha256');
  const isWhole = Number((await file.stat()).size) === size;
  if (isWhole) for await (const chunk of readChunks(file, 0, size)) hash.update(chunk);
  if (!isWhole || hash.digest('hex') !== sha256) {
    throw new Refusal('write-failed', 'What was written does not read back as it should, so nothing was kept of it.');
  }
}

/**
 * Adds the final name by a hard link, because a link never replaces a file. The caller then removes the hidden name.
 */
async function linkTo(hiddenPath: string, filePath: string, written: FileStat, fs: WriteFs): Promise<void> {
  try {
    await fs.link(hiddenPath, filePath);
  } catch (error) {
    // On a network file system, a link may succeed although its response is lost, so the path is checked.
    const there = await fs.lstat(filePath).catch(() => null);
    if (there !== null && isSameFile(there, written)) return;
    if (!CANNOT_LINK.includes(errorCode(error) ?? '')) throw error;
    await renameTo(hiddenPath, filePath, written, fs);
  }
}

/** For file systems without hard links: an empty file claims the name, and the rename replaces this file. */
async function renameTo(hiddenPath: string, filePath: string, written: FileStat, fs: WriteFs): Promise<void> {
  try {
    await closeQuietly(await fs.open(filePath, 'create'));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') await removeIfEmpty(filePath, fs);
    throw error;
  }
  try {
    await fs.rename(hiddenPath, filePath);
  } catch (error) {
    const there = await fs.lstat(filePath).catch(() => null);
    if (there !== null && isSameFile(there, written)) return;
    await removeIfEmpty(filePath, fs);
    throw error;
  }
}

/** Whether an empty file may still claim the name. */
async function mayBeClaimed(filePath: string, fs: WriteFs): Promise<boolean> {
  try {
    return (await fs.lstat(filePath)).size === 0n;
  } catch (error) {
    return errorCode(error) !== 'ENOENT';
  }
}

function refusedFrom(error: unknown): CreateOutcome {
  const name = errorName(error);
  const refused = (reason: (CreateOutcome & { kind: 'refused' })['reason'], problem: string): CreateOutcome => {
    return { kind: 'refused', reason, problem };
  };
  if (error instanceof Refusal) {
    switch (error.code) {
      case 'missing':
      case 'unreadable':
      case 'write-failed':
        return refused(error.code, error.message);
      default:
        return refused('unreadable', 'The transcript changed while it was read. Try again.');
    }
  }
  switch (errorCode(error) ?? '') {
    case 'ENOSPC':
    case 'EDQUOT':
      return refused(
        'no-space',
        `There is no room on the disk for the new session, so nothing was kept of it (${name}).`,
      );
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return refused('read-only', `The folder of this session cannot be written to (${name}).`);
    default:
      return refused('write-failed', `The new session could not be written, so nothing was kept of it (${name}).`);
  }
}

/** A fork is written in seconds, so a hidden file of this age belongs to a dead process. */
const STALE_MS = 60 * 60 * 1000;
const NAME = /^\.(?<transcript>.+)\.rethread-[^/]*-fork\.tmp$/;
const SESSION_ID = /^[0-9a-f-]{36}$/;

/** The names of the transcripts that the forks of dead processes were to get. Never rejects. */
export async function transcriptsOfStaleForks(
  folder: string,
  deps: Pick<WriteDeps, 'fs' | 'now'>,
): Promise<readonly string[]> {
  return (await staleForks(folder, deps)).map(({ transcript }) => transcript);
}

interface StaleFork {
  /** Absolute path of its hidden file. */
  readonly path: string;
  /** Name of the transcript. */
  readonly transcript: string;
  /** The process died after the fork got its name. */
  readonly isComplete: boolean;
}

async function staleForks(folder: string, { fs, now }: Pick<WriteDeps, 'fs' | 'now'>): Promise<readonly StaleFork[]> {
  const names: readonly string[] = await fs.readdir(folder).catch(() => []);
  const found: StaleFork[] = [];
  for (const name of names) {
    const transcript = NAME.exec(name)?.groups?.['transcript'] ?? '';
    if (!isTranscriptName(transcript) || !SESSION_ID.test(sessionIdOf(transcript))) continue;
    const path = join(folder, name);
    const stat = await fs.lstat(path).catch(() => null);
    if (stat === null || now() - Number(stat.mtimeMs) < STALE_MS) continue;
    const named = await fs.lstat(join(folder, transcript)).catch(() => null);
    // An empty file only claims the name, where a file cannot have two of them.
    found.push({ path, transcript, isComplete: named !== null && named.size > 0n });
  }
  return found;
}

/**
 * Removes the files of unfinished forks whose processes died from a project's folder, and the backups that they had
 * linked. Never rejects.
 *
 * @param histories folder that contains the file histories of all sessions
 */
export async function clearStaleForks(
  folder: string,
  histories: string,
  deps: Pick<WriteDeps, 'fs' | 'now'>,
): Promise<void> {
  const { fs } = deps;
  for (const { path, transcript, isComplete } of await staleForks(folder, deps)) {
    // A fork that is complete keeps its backups.
    if (!isComplete) {
      const backups = join(histories, sessionIdOf(transcript));
      for (const backup of await fs.readdir(backups).catch(() => [])) await removeQuietly(join(backups, backup), fs);
      await fs.rmdir(backups).catch(() => undefined);
      await removeIfEmpty(join(folder, transcript), fs);
      if (!(await isGone(backups, fs)) || !(await isGone(join(folder, transcript), fs))) continue;
    }
    await removeQuietly(path, fs);
  }
}

/** Backups of files that a session shares with the session from which it was forked. */
interface SharedBackups {
  /** Folders under `file-history/`; the fork's folder is created if there is a backup to put there. */
  readonly from: string;
  readonly to: string;
  readonly names: Iterable<string>;
}

/**
 * Links each backup into the fork's folder, as the client does, or copies it with its mode and times if the file system
 * has no hard links: the client detects by the time whether a file has changed since.
 */
class BackupLinks {
  /** Names of backups that are missing in the source. */
  readonly missing: string[] = [];
  readonly #made: string[] = [];
  #hasFolder = false;

  constructor(
    private readonly backups: SharedBackups,
    private readonly fs: WriteFs,
  ) {}

  /** Rejects with Node's error if an existing backup can be neither linked nor copied; call `remove` then. */
  async link(): Promise<void> {
    const { fs } = this;
    const { from, to, names } = this.backups;
    for (const name of names) {
      const [source, path] = [join(from, name), join(to, name)];
      const stat = await fs.lstat(source).catch(nullIfMissing);
      if (stat?.isFile() !== true) {
        this.missing.push(name);
        continue;
      }
      if (!this.#hasFolder) {
        this.#hasFolder = true;
        await fs.mkdir(to);
      }
      this.#made.push(path);
      if (!(await link(source, path, fs))) await copy(source, path, fs);
    }
    if (!this.#hasFolder) return;
    await syncFolder(to, fs);
    await syncFolder(dirname(to), fs);
  }

  /** Reverts everything. False if something may have remained. Never rejects. */
  async remove(): Promise<boolean> {
    const { fs } = this;
    const { to } = this.backups;
    if (!this.#hasFolder) return true;
    for (const path of this.#made) await removeQuietly(path, fs);
    await fs.rmdir(to).catch(() => fs.rmdir(to).catch(() => undefined));
    return isGone(to, fs);
  }
}

/** False if the file cannot be linked. */
async function link(source: string, path: string, fs: WriteFs): Promise<boolean> {
  try {
    await fs.link(source, path);
    return true;
  } catch (error) {
    if (!CANNOT_LINK.includes(errorCode(error) ?? '')) throw error;
    return false;
  }
}

async function copy(source: string, path: string, fs: WriteFs): Promise<void> {
  const original = await fs.open(source, 'read');
  try {
    const stat = await original.stat();
    const written = await createHidden(path, fs);
    try {
      const writer = new ChunkWriter(written);
      for await (const chunk of readChunks(original, 0, Number(stat.size))) await writer.write(chunk);
      await writer.flush();
      await copyAttributes(written, stat, stat, original);
      await written.sync();
    } finally {
      await closeQuietly(written);
    }
  } finally {
    await closeQuietly(original);
  }
}

function nullIfMissing(error: unknown): null {
  if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return null;
  throw error;
}

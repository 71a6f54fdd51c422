import { rmdirSync } from 'node:fs';
import { callbackify } from 'node:util';
import { lock } from 'proper-lockfile';
import { fileIdentity, type FileIdentity } from './fileAttributes';
import { errorCode, errorName, PROBLEMS, Refusal, type Refused, refusedFrom } from './refusal';
import { removeStaleFiles, closeQuietly } from './staleFiles';
import type { FileStat, ReadableFile, WriteFs } from './writeFs';

export interface WriteDeps {
  readonly fs: WriteFs;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A string that no other process draws, fit for a file name. */
  readonly random: () => string;
  /** For tests that need no lock between processes. */
  readonly lock?: (filePath: string, fs: WriteFs) => Promise<TranscriptLock>;
}

/** A transcript that is locked against other processes of ours and open for reading. */
export interface OpenTranscript {
  readonly filePath: string;
  readonly file: ReadableFile;
  readonly stat: FileStat;
  readonly identity: FileIdentity;
  readonly lock: TranscriptLock;
  /** An interrupted repair had left rows beside the transcript; they were appended to it. */
  readonly hasRecoveredRows: boolean;
}

/**
 * Runs `work` with the transcript locked and open. What `work` throws becomes a refusal, so `work` may throw only
 * while the transcript is untouched.
 */
export async function withTranscript<Result>(
  filePath: string,
  deps: WriteDeps,
  work: (transcript: OpenTranscript) => Promise<Result>,
): Promise<Result | Refused> {
  try {
    const lock = await (deps.lock ?? lockTranscript)(filePath, deps.fs);
    try {
      const hasRecoveredRows = await removeStaleFiles(filePath, deps.fs);
      const { file, stat } = await openTranscript(filePath, deps.fs);
      try {
        return await work({ filePath, file, stat, identity: fileIdentity(stat), lock, hasRecoveredRows });
      } finally {
        await closeQuietly(file);
      }
    } finally {
      await lock.release();
    }
  } catch (error) {
    return refusedFrom(error);
  }
}

async function openTranscript(filePath: string, fs: WriteFs): Promise<{ file: ReadableFile; stat: FileStat }> {
  const found = await fs.lstat(filePath).catch(throwUnreadable('The transcript'));
  if (found.isSymbolicLink()) {
    // A rename would put a file in place of the link, and the file that it points to would stay broken.
    throw new Refusal('symlink', 'This is a symbolic link. Repair the file that it points to.');
  }
  if (!found.isFile()) throw new Refusal('not-a-file', 'This is not a file, so it is no transcript.');
  const file = await openToRead(filePath, 'The transcript', fs);
  try {
    return { file, stat: await file.stat() };
  } catch (error) {
    await closeQuietly(file);
    throw error;
  }
}

/** A file whose reading fails with a Refusal that says so, so that it is told from a failing disk for writing. */
export async function openToRead(path: string, name: string, fs: WriteFs): Promise<ReadableFile> {
  const failed = throwUnreadable(name);
  const file = await fs.open(path, 'read').catch(failed);
  return {
    read: (buffer, position) => file.read(buffer, position).catch(failed),
    stat: () => file.stat().catch(failed),
    close: () => file.close(),
  };
}

function throwUnreadable(name: string): (error: unknown) => never {
  return (error) => {
    if (errorCode(error) === 'ENOENT') throw new Refusal('missing', `${name} does not exist.`, { cause: error });
    throw new Refusal('unreadable', `${name} cannot be read (${errorName(error)}).`, { cause: error });
  };
}

/** A lock that was not refreshed for so long is that of a dead process. */
const LOCK_STALE_MS = 10_000;
const LOCK_REFRESH_MS = 1_000;

/** Held around every change of a transcript, against other windows and processes of ours. */
export interface TranscriptLock {
  /** This process was asleep or blocked for so long that another one took the lock. */
  isLost(): boolean;
  /** Never rejects: a lock that cannot be removed goes stale by itself. */
  release(): Promise<void>;
}

/** Takes the lock `<file>.lock`, a folder. Throws a Refusal when it is held or cannot be made. */
export async function lockTranscript(filePath: string, fs: WriteFs): Promise<TranscriptLock> {
  let isLost = false;
  let release: () => Promise<void>;
  const calls = new PendingCalls();
  try {
    release = await lock(filePath, {
      // The transcript may be missing, which is for the caller to say.
      realpath: false,
      stale: LOCK_STALE_MS,
      update: LOCK_REFRESH_MS,
      retries: 0,
      fs: lockFs(fs, calls),
      onCompromised: () => {
        isLost = true;
      },
    });
  } catch (error) {
    // The library gives up without waiting for its removal of a lock that it had made.
    await calls.settled();
    throw lockRefusal(error);
  }
  return {
    isLost: () => isLost,
    async release() {
      if (isLost) return;
      await release().catch(() => fs.rmdir(`${filePath}.lock`).catch(() => undefined));
    },
  };
}

class PendingCalls {
  readonly #pending = new Set<Promise<unknown>>();

  track<T>(call: Promise<T>): Promise<T> {
    const ended = call.catch(() => undefined).finally(() => this.#pending.delete(ended));
    this.#pending.add(ended);
    return call;
  }

  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }
}

/** The part of a callback-style fs that the lock uses. A fresh object each time, as the library leaves a mark on it. */
function lockFs(fs: WriteFs, calls: PendingCalls) {
  return {
    mkdir: callbackify((path: string) => calls.track(fs.mkdir(path))),
    rmdir: callbackify((path: string) => calls.track(fs.rmdir(path))),
    stat: callbackify((path: string) => calls.track(fs.stat(path))),
    utimes: callbackify((path: string, atime: Date, mtime: Date) => calls.track(fs.utimes(path, atime, mtime))),
    // Called when the process exits while it holds the lock.
    rmdirSync,
  };
}

function lockRefusal(error: unknown): unknown {
  switch (errorCode(error) ?? '') {
    case 'ELOCKED':
      return new Refusal('locked', PROBLEMS.locked, { cause: error });
    case 'ENOENT':
    case 'ENOTDIR':
      return new Refusal('missing', 'The folder of this session does not exist.', { cause: error });
    default:
      return error;
  }
}

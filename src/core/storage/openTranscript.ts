import { rmdirSync } from 'node:fs';
import { callbackify } from 'node:util';
import { lock } from 'proper-lockfile';
import { fileIdentity, type FileIdentity } from './fileAttributes';
import { errorCode, errorName, PROBLEMS, Refusal, type Refused, refusedFrom } from './refusal';
import { removeStaleFiles } from './staleFiles';
import { closeQuietly, type FileStat, type ReadableFile, type WriteFs } from './writeFs';

export interface WriteDeps {
  readonly fs: WriteFs;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns a string that is unique among all processes and valid in a file name. */
  readonly random: () => string;
  /** Replaces the lock in tests that need none between processes. */
  readonly lock?: (filePath: string, fs: WriteFs) => Promise<TranscriptLock>;
}

/** A transcript that is open for reading and locked against other processes of the extension. */
export interface OpenTranscript {
  readonly filePath: string;
  readonly file: ReadableFile;
  readonly stat: FileStat;
  readonly identity: FileIdentity;
  readonly lock: TranscriptLock;
  /** An interrupted repair had left rows beside the transcript, and they were appended to it. */
  readonly hasRecoveredRows: boolean;
}

/** Throws a Refusal if a client runs the session or, unless the person accepts that, may run it. Asked before each write. */
export type LiveGuard = () => Promise<void>;

/**
 * Runs `work` with the transcript locked and open. Errors from `work` become refusals, so `work` may throw only while
 * the transcript is unchanged.
 */
export async function withTranscript<Result>(
  filePath: string,
  assertNotLive: LiveGuard,
  deps: WriteDeps,
  work: (transcript: OpenTranscript) => Promise<Result>,
): Promise<Result | Refused> {
  try {
    const lock = await (deps.lock ?? lockTranscript)(filePath, deps.fs);
    try {
      await assertNotLive();
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
    // A rename would replace the link with a file, and the file to which it points would stay broken.
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

/** A file whose read errors become Refusals, to distinguish them from write errors of the disk. */
export async function openToRead(path: string, name: string, fs: WriteFs): Promise<ReadableFile> {
  const failed = throwUnreadable(name);
  const file = await fs.open(path, 'read').catch(failed);
  return {
    fd: file.fd,
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

/** A lock that was not refreshed for this long belongs to a dead process. */
export const LOCK_STALE_MS = 10_000;
const LOCK_REFRESH_MS = 1_000;

/** Held during every change of a transcript, against other windows and processes of the extension. */
export interface TranscriptLock {
  /** This process was suspended or blocked for so long that another one took the lock. */
  isLost(): boolean;
  /** Never rejects: a lock that cannot be removed becomes stale. */
  release(): Promise<void>;
}

/** Takes the lock `<file>.lock`, a folder. Throws a Refusal if the lock is held or cannot be created. */
export async function lockTranscript(filePath: string, fs: WriteFs): Promise<TranscriptLock> {
  let isLost = false;
  let release: () => Promise<void>;
  const calls = new PendingCalls();
  try {
    release = await lock(filePath, {
      // The transcript may be missing, but the caller reports that.
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
    // On failure, the library does not wait for the removal of a lock that it has created.
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

/**
 * The part of a callback-style fs that the lock uses. A separate object each time, because the library adds a property
 * to it.
 */
function lockFs(fs: WriteFs, calls: PendingCalls) {
  return {
    mkdir: callbackify((path: string) => calls.track(fs.mkdir(path))),
    rmdir: callbackify((path: string) => calls.track(fs.rmdir(path))),
    stat: callbackify((path: string) => calls.track(fs.stat(path))),
    utimes: callbackify((path: string, atime: Date, mtime: Date) => calls.track(fs.utimes(path, atime, mtime))),
    // Called if the process exits while it holds the lock.
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

import { rmdirSync } from 'node:fs';
import { callbackify } from 'node:util';
import { lock } from 'proper-lockfile';
import { errorCode, PROBLEMS, Refusal } from './refusal';
import type { WriteFs } from './writeFs';

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

import { fileIdentity, type FileIdentity } from './fileIdentity';
import { clearLeftovers, closeQuietly } from './leftovers';
import { errorCode, errorName, Refusal, refusedFrom, type Refused } from './refusal';
import { lockTranscript, type TranscriptLock } from './transcriptLock';
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
      const hasRecoveredRows = await clearLeftovers(filePath, deps.fs);
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

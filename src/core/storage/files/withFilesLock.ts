import { dirname } from 'node:path';
import { lockTranscript, type TranscriptLock, type WriteDeps } from '../openTranscript';
import { FILE_PROBLEMS, FilesRefusal, filesRefusalOf } from './projectFolder';
import { makePrivateFolders } from './safetyFolder';

/**
 * Runs `work` while no other process of the extension changes files. There is one lock, `<rewindsFolder>.lock`, for all
 * sessions, because two of them may have changed the same file. Throws a FilesRefusal, and what `work` throws.
 */
export async function withFilesLock<Result>(
  rewindsFolder: string,
  deps: WriteDeps,
  work: (assertHeld: () => void) => Promise<Result>,
): Promise<Result> {
  let lock: TranscriptLock;
  try {
    await makePrivateFolders(dirname(rewindsFolder), deps.fs);
    lock = await (deps.lock ?? lockTranscript)(rewindsFolder, deps.fs);
  } catch (error) {
    throw filesRefusalOf(error);
  }
  try {
    return await work(() => {
      if (lock.isLost()) throw new FilesRefusal('locked', FILE_PROBLEMS.locked);
    });
  } finally {
    await lock.release();
  }
}

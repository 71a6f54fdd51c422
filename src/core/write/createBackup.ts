import { createHash } from 'node:crypto';
import { copyAttributes } from './fileAttributes';
import { readChunks, writeFully } from './fileBytes';
import { fileIdentity, isSameIdentity } from './fileIdentity';
import { backupPath } from './findBackups';
import { closeQuietly, removeIfEmpty, removeQuietly, unfinishedPath } from './leftovers';
import type { OpenTranscript, WriteDeps } from './openTranscript';
import { errorCode, PROBLEMS, Refusal } from './refusal';
import type { OpenFile, ReadableFile, WriteFs } from './writeFs';

export interface Backup {
  readonly path: string;
  /** Open; whoever made the backup closes it. */
  readonly file: OpenFile;
}

/**
 * Copies the transcript byte for byte to `<file>.backup-<ms>`, with its mode and times, and proves the copy by reading
 * it back. It gets its name when it is complete, so a file of that name always holds a whole transcript.
 * Throws and leaves nothing behind when it fails.
 */
export async function createBackup(transcript: OpenTranscript, token: string, deps: WriteDeps): Promise<Backup> {
  const { fs } = deps;
  const hiddenPath = unfinishedPath(transcript.filePath, `${token}-backup`);
  const file = await createHidden(hiddenPath, fs);
  let claimed: string | null = null;
  try {
    const copied = createHash('sha256');
    for await (const chunk of readChunks(transcript.file, 0, transcript.identity.size)) {
      copied.update(chunk);
      await writeFully(file, chunk);
    }
    if (!isSameIdentity(fileIdentity(await transcript.file.stat()), transcript.identity)) {
      throw new Refusal('changed-while-repairing', PROBLEMS.changed);
    }
    await copyAttributes(file, transcript.stat, transcript.stat);
    await file.sync();
    if ((await digest(file, transcript.identity.size)) !== copied.digest('hex')) {
      throw new Refusal(
        'write-failed',
        'The backup does not read back as it was written, so the repair was not begun.',
      );
    }
    claimed = await claimBackupName(transcript.filePath, deps);
    await fs.rename(hiddenPath, claimed);
    return { path: claimed, file };
  } catch (error) {
    await closeQuietly(file);
    await removeQuietly(hiddenPath, fs);
    if (claimed !== null) await removeQuietly(claimed, fs);
    throw error;
  }
}

/** A new hidden file of ours. Removes it again when its creation failed half-way. */
export async function createHidden(path: string, fs: WriteFs): Promise<OpenFile> {
  try {
    return await fs.open(path, 'create');
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') await removeQuietly(path, fs);
    throw error;
  }
}

/** Claims by an empty file: a rename over it is safe, one over an older backup would destroy that. */
async function claimBackupName(filePath: string, { fs, now }: WriteDeps): Promise<string> {
  for (let ms = now(); ; ms++) {
    const path = backupPath(filePath, ms);
    try {
      await closeQuietly(await fs.open(path, 'create'));
      return path;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') continue;
      await removeIfEmpty(path, fs);
      throw error;
    }
  }
}

async function digest(file: ReadableFile, size: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of readChunks(file, 0, size)) hash.update(chunk);
  return hash.digest('hex');
}

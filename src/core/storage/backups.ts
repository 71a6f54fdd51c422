import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { copyAttributes, fileIdentity, isSameIdentity } from './fileAttributes';
import { ChunkWriter, readChunks, writeFully } from './fileBytes';
import { backupPath } from './findBackups';
import type { OpenTranscript, WriteDeps } from './openTranscript';
import { errorCode, PROBLEMS, Refusal } from './refusal';
import { closeQuietly, removeIfEmpty, removeQuietly, unfinishedPath } from './staleFiles';
import type { OpenFile, ReadableFile, WriteFs } from './writeFs';

export interface Backup {
  readonly path: string;
  /** Open; the caller of `createBackup` must close it. */
  readonly file: OpenFile;
}

/**
 * Copies the transcript byte for byte to `<file>.backup-<ms>`, with its mode and times, and proves the copy by reading
 * it back. The copy gets its name when it is complete, so a file with such a name always holds a whole transcript.
 * Throws and leaves nothing behind on failure.
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

/** Creates a hidden file of the extension. Removes it if its creation fails half-way. */
export async function createHidden(path: string, fs: WriteFs): Promise<OpenFile> {
  try {
    return await fs.open(path, 'create');
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') await removeQuietly(path, fs);
    throw error;
  }
}

/**
 * Claims the name with an empty file: renaming over it is safe, while renaming over an older backup would destroy that.
 */
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

/** Backups of files that a session shares with the session from which it was forked. */
export interface SharedBackups {
  /** Folders under `file-history/`; the fork's folder is created if there is a backup to put there. */
  readonly from: string;
  readonly to: string;
  readonly names: Iterable<string>;
}

export interface LinkedBackups {
  /** Names of backups that are missing in the source. */
  readonly missing: readonly string[];
  /** Reverts everything. Never rejects. */
  undo(): Promise<void>;
}

/**
 * Links each backup into the fork's folder, as the client does, or copies it with its mode and times if the file system
 * has no hard links: the client detects by the time whether a file has changed since. Throws, and leaves nothing
 * behind, if an existing backup can be neither linked nor copied.
 */
export async function linkBackups({ from, to, names }: SharedBackups, fs: WriteFs): Promise<LinkedBackups> {
  const made: string[] = [];
  const missing: string[] = [];
  let hasFolder = false;
  const undo = async (): Promise<void> => {
    for (const path of made) await removeQuietly(path, fs);
    if (hasFolder) await fs.rmdir(to).catch(() => fs.rmdir(to).catch(() => undefined));
  };
  try {
    for (const name of names) {
      const [source, path] = [join(from, name), join(to, name)];
      const stat = await fs.lstat(source).catch(nullIfMissing);
      if (stat?.isFile() !== true) {
        missing.push(name);
        continue;
      }
      if (!hasFolder) {
        hasFolder = true;
        await fs.mkdir(to);
      }
      made.push(path);
      if (!(await link(source, path, fs))) await copy(source, path, fs);
    }
    if (hasFolder) {
      await syncFolder(to, fs);
      await syncFolder(dirname(to), fs);
    }
    return { missing, undo };
  } catch (error) {
    await undo();
    throw error;
  }
}

/** Errors of file systems without hard links, and of rules against linking. */
export const CANNOT_LINK: readonly string[] = [
  'EPERM',
  'EACCES',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EINVAL',
  'EMLINK',
  'EXDEV',
];

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
      await copyAttributes(written, stat, stat);
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

/** Windows and some mounts cannot sync a folder; on these, a rename cannot be made more durable. */
const CANNOT_SYNC_FOLDER = ['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'EBADF'];

/** Syncs the names in a folder to disk. False on failure, but true if the system cannot sync folders. Never rejects. */
export async function syncFolder(folder: string, fs: WriteFs): Promise<boolean> {
  try {
    const handle = await fs.open(folder, 'read');
    try {
      await handle.sync();
    } finally {
      await closeQuietly(handle);
    }
    return true;
  } catch (error) {
    return CANNOT_SYNC_FOLDER.includes(errorCode(error) ?? '');
  }
}

import { dirname, join } from 'node:path';
import { copyAttributes } from './fileAttributes';
import { ChunkWriter, readChunks } from './fileBytes';
import { closeQuietly, removeQuietly } from './leftovers';
import { createHidden } from './createBackup';
import { errorCode } from './refusal';
import { syncFolder } from './syncFolder';
import type { WriteFs } from './writeFs';

/** Backups of files that a session shares with the one that it was forked from. */
export interface SharedBackups {
  /** Folders under `file-history/`; that of the fork is made when there is a backup to put there. */
  readonly from: string;
  readonly to: string;
  readonly names: Iterable<string>;
}

export interface LinkedBackups {
  /** Names of backups that the source does not have. */
  readonly missing: readonly string[];
  /** Takes everything back. Never rejects. */
  undo(): Promise<void>;
}

/**
 * Gives each backup a second name in the fork's folder, as the client does; a copy with its mode and times where the file
 * system has no second names: the client tells by the time whether a file changed since. Throws, and leaves nothing behind,
 * when a backup that is there cannot be had.
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

/** File systems without hard links, and rules against linking. */
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

/** False where it cannot be linked. */
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

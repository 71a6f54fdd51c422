import { basename, dirname } from 'node:path';
import { TRANSCRIPT_SUFFIX } from '../providers/claude/format/paths';
import { errorCode } from './refusal';
import { closeQuietly, removeQuietly, type WriteFs } from './writeFs';

const MARK = '.backup-';

/** Path of the backup of a transcript that is made at `ms` (milliseconds since the epoch). */
function backupPath(filePath: string, ms: number): string {
  return `${filePath}${MARK}${ms}`;
}

/** Whether a name in the transcript's folder is the name of one of its backups. */
export function isBackupName(filePath: string, name: string): boolean {
  return backupTime(filePath, name) !== null;
}

/** When the backup with this name was made, in milliseconds since the epoch; null for any other name. */
export function backupTime(filePath: string, name: string): number | null {
  const prefix = `${basename(filePath)}${MARK}`;
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : null;
}

/**
 * Paths of the transcript's backups, newest first. Rejects with Node's error if the folder or a backup cannot be read.
 */
export async function findBackups(filePath: string, fs: Pick<WriteFs, 'readdir' | 'lstat'>): Promise<string[]> {
  const times = (await fs.readdir(dirname(filePath)))
    .map((name) => backupTime(filePath, name))
    .filter((ms) => ms !== null)
    .sort((a, b) => b - a);
  const found: string[] = [];
  for (const ms of times) {
    const path = backupPath(filePath, ms);
    const stat = await fs.lstat(path);
    // An empty file only claims the name for a backup that a dead process did not finish.
    if (stat.isFile() && stat.size > 0n) found.push(path);
  }
  return found;
}

/** Given the names in a folder: the transcripts that have a backup from a repair. */
export function transcriptsWithBackup(names: readonly string[]): ReadonlySet<string> {
  const transcripts = new Set<string>();
  for (const name of names) {
    const transcript = name.slice(0, name.lastIndexOf(TRANSCRIPT_SUFFIX) + TRANSCRIPT_SUFFIX.length);
    if (isBackupName(transcript, name)) transcripts.add(transcript);
  }
  return transcripts;
}

/**
 * Claims the name of a backup with an empty file: renaming over it is safe, while renaming over an older backup would destroy that.
 */
export async function claimBackupName(filePath: string, now: () => number, fs: WriteFs): Promise<string> {
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

/** Removes an empty file that only claims a backup's name. */
export async function removeIfEmpty(backupPath: string, fs: WriteFs): Promise<void> {
  const stat = await fs.lstat(backupPath).catch(() => null);
  if (stat?.isFile() === true && stat.size === 0n) await removeQuietly(backupPath, fs);
}

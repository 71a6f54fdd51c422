import { basename, dirname, join } from 'node:path';
import { isTranscriptName } from '../providers/claude/format/paths';
import { backupTime, findBackups, isBackupName, transcriptsWithBackup } from './backupNames';
import { areNextBytesEqual, ByteCursor } from './fileBytes';
import { LOCK_STALE_MS, type LiveGuard, withTranscript, type WriteDeps } from './openTranscript';
import type { Refused } from './refusal';
import { transcriptOfLeftover } from './staleFiles';
import { closeQuietly, removeQuietly, type WriteFs } from './writeFs';

/*
 * What repairs that were killed have left beside transcripts: files that are unfinished, second names of replaced transcripts, locks,
 * names that were claimed for backups, and second backups of the same content.
 */

const LOCK_SUFFIX = '.lock';

/**
 * The transcripts in a folder beside which something was left, by name. Not those that a process is working on. Never rejects.
 *
 * @param only  the one to look at; all by default
 */
export async function transcriptsWithDebris(
  folder: string,
  { fs, now }: Pick<WriteDeps, 'fs' | 'now'>,
  only?: string,
): Promise<readonly string[]> {
  const all: readonly string[] = await fs.readdir(folder).catch(() => []);
  const names = only === undefined ? all : all.filter((name) => name.startsWith(only) || name.startsWith(`.${only}`));
  const locked = new Set<string>();
  const found = new Set<string>();
  for (const name of names.filter((each) => each.endsWith(LOCK_SUFFIX))) {
    const stat = await fs.lstat(join(folder, name)).catch(() => null);
    if (stat?.isDirectory() !== true) continue;
    const isOld = now() - Number(stat.mtimeMs) > LOCK_STALE_MS;
    (isOld ? found : locked).add(name.slice(0, -LOCK_SUFFIX.length));
  }
  for (const name of names) {
    const transcript = transcriptOfLeftover(name);
    if (transcript !== null) found.add(transcript);
  }
  for (const transcript of transcriptsWithBackup(names)) {
    const own = names.filter((name) => isBackupName(transcript, name));
    if (!found.has(transcript) && (await hasUselessBackup(folder, own, fs))) found.add(transcript);
  }
  return [...found].filter((name) => isTranscriptName(name) && !locked.has(name));
}

/** Whether one is empty, or two have the same content. */
async function hasUselessBackup(folder: string, names: readonly string[], fs: WriteFs): Promise<boolean> {
  const paths = names.map((name) => join(folder, name));
  for (const path of paths) if ((await fs.lstat(path).catch(() => null))?.size === 0n) return true;
  return (await duplicatesAmong(paths, fs).catch(() => [])).length > 0;
}

/** Removes what was left beside a transcript, after it has put back what belongs to it. Never rejects. */
export async function clearDebris(
  filePath: string,
  assertNotLive: LiveGuard,
  deps: WriteDeps,
): Promise<Refused | null> {
  return withTranscript(filePath, assertNotLive, deps, async () => {
    for (const path of await duplicatesAmong(await findBackups(filePath, deps.fs), deps.fs)) {
      await removeQuietly(path, deps.fs);
    }
    return null;
  });
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Removes the backups in a folder that are older than so many days: never the newest of a transcript, and never one whose transcript
 * is gone. Returns their paths. Never rejects.
 */
export async function pruneBackups(
  folder: string,
  days: number,
  { fs, now }: Pick<WriteDeps, 'fs' | 'now'>,
): Promise<readonly string[]> {
  const names: readonly string[] = await fs.readdir(folder).catch(() => []);
  const removed: string[] = [];
  for (const transcript of transcriptsWithBackup(names)) {
    if (!names.includes(transcript)) continue;
    const [, ...older] = await findBackups(join(folder, transcript), fs).catch(() => []);
    for (const path of older) {
      const madeMs = backupTime(transcript, basename(path)) ?? Infinity;
      if (now() - madeMs <= days * DAY_MS) continue;
      await removeQuietly(path, fs);
      if ((await fs.lstat(path).catch(() => null)) === null) removed.push(path);
    }
  }
  return removed;
}

/** Those of the files, newest first, that have the same content as an earlier one of them. */
async function duplicatesAmong(paths: readonly string[], fs: WriteFs): Promise<readonly string[]> {
  const sizes = new Map<string, bigint>();
  for (const path of paths) sizes.set(path, (await fs.lstat(path)).size);
  const duplicates: string[] = [];
  for (const [at, path] of paths.entries()) {
    for (const other of paths.slice(0, at)) {
      if (duplicates.includes(other) || sizes.get(path) !== sizes.get(other)) continue;
      if (await isSameContent(path, other, Number(sizes.get(path)), fs)) {
        duplicates.push(path);
        break;
      }
    }
  }
  return duplicates;
}

async function isSameContent(one: string, other: string, size: number, fs: WriteFs): Promise<boolean> {
  const first = await fs.open(one, 'read');
  try {
    const second = await fs.open(other, 'read');
    try {
      const cursors = [first, second].map((file) => new ByteCursor({ file, from: 0, to: size }));
      const [a, b] = cursors;
      return a !== undefined && b !== undefined && (await areNextBytesEqual(a, b, size));
    } finally {
      await closeQuietly(second);
    }
  } finally {
    await closeQuietly(first);
  }
}

/** Whether something was left beside this transcript. */
export async function hasDebris(filePath: string, deps: Pick<WriteDeps, 'fs' | 'now'>): Promise<boolean> {
  return (await transcriptsWithDebris(dirname(filePath), deps, basename(filePath))).length > 0;
}

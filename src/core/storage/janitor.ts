import { basename, join } from 'node:path';
import { findBackups } from './backupNames';
import { areNextBytesEqual, ByteCursor } from './fileBytes';
import { LOCK_STALE_MS, type LiveGuard, withTranscript, type WriteDeps } from './openTranscript';
import type { Refused } from './refusal';
import { closeQuietly, removeQuietly, type WriteFs } from './writeFs';

/*
 * What repairs that were killed have left beside transcripts: files that are unfinished, second names of replaced transcripts, locks,
 * names that were claimed for backups, and second backups of the same content.
 */

const LEFT = /^\.(?<transcript>.+\.jsonl)\.rethread-[^/]+\.(?:tmp|old)$/;
const LOCK = /^(?<transcript>.+\.jsonl)\.lock$/;
const BACKUP = /^(?<transcript>.+\.jsonl)\.backup-\d+$/;

/** The transcripts in a folder beside which something was left, by name. Not those that a process is working on. Never rejects. */
export async function transcriptsWithDebris(
  folder: string,
  { fs, now }: Pick<WriteDeps, 'fs' | 'now'>,
): Promise<readonly string[]> {
  const names: readonly string[] = await fs.readdir(folder).catch(() => []);
  const locked = new Set<string>();
  const found = new Set<string>();
  for (const name of names) {
    const transcript = LOCK.exec(name)?.groups?.['transcript'];
    if (transcript === undefined) continue;
    const stat = await fs.lstat(join(folder, name)).catch(() => null);
    if (!stat?.isDirectory()) continue;
    (now() - Number(stat.mtimeMs) > LOCK_STALE_MS ? found : locked).add(transcript);
  }
  for (const name of names) {
    const transcript = LEFT.exec(name)?.groups?.['transcript'];
    if (transcript !== undefined) found.add(transcript);
  }
  const backups = new Map<string, string[]>();
  for (const name of names) {
    const transcript = BACKUP.exec(name)?.groups?.['transcript'];
    if (transcript !== undefined) backups.set(transcript, [...(backups.get(transcript) ?? []), name]);
  }
  for (const [transcript, own] of backups) {
    if (!found.has(transcript) && (await hasUselessBackup(folder, own, fs))) found.add(transcript);
  }
  return [...found].filter((name) => !locked.has(name));
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
  const transcripts = new Set(names.map((name) => BACKUP.exec(name)?.groups?.['transcript'] ?? ''));
  const removed: string[] = [];
  for (const transcript of transcripts) {
    if (!names.includes(transcript)) continue;
    const [, ...older] = await findBackups(join(folder, transcript), fs).catch(() => []);
    for (const path of older) {
      const madeMs = Number(path.slice(path.lastIndexOf('-') + 1));
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
export async function hasDebris(filePath: string, folder: string, deps: WriteDeps): Promise<boolean> {
  return (await transcriptsWithDebris(folder, deps)).includes(basename(filePath));
}

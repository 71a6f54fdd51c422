import { chmodSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  fileIdentity,
  type LiveGuard,
  Refusal,
  type Splice,
  spliceChunks,
  type WriteDeps,
  type WriteFs,
} from '../../rooms/storage';
import { withTemporaryFolder } from '../../support/temporaryFolder';

/** A parent that no row has. The repair in these tests replaces each with `GOOD_PARENT`. */
export const LOST_PARENT = 'ffffffff-0000-4000-8000-00000000dead';
export const GOOD_PARENT = 'aaaaaaaa-0000-4000-8000-000000000001';
export const BACKUP_MS = 1_760_000_000_123;
const MTIME_SECONDS = 1_750_000_000.125;
export const MODE = 0o640;

export interface TranscriptFixture {
  readonly folder: string;
  readonly filePath: string;
  readonly original: Buffer;
  readonly repaired: Buffer;
}

export function row(id: number, parentUuid: string | null, text = `Prompt ${id}: naïve café ☕`): string {
  const uuid = `aaaaaaaa-0000-4000-8000-${String(id).padStart(12, '0')}`;
  const message = { role: 'user', content: [{ type: 'text', text, uuid: LOST_PARENT.toUpperCase() }] };
  return `${JSON.stringify({ parentUuid, isSidechain: false, type: 'user', message, uuid, timestamp: '2025-06-15T15:06:40.125Z' })}\n`;
}

export const ORIGINAL = Buffer.from(
  [
    row(1, null),
    row(2, LOST_PARENT),
    row(3, GOOD_PARENT),
    '{"type":"summary","summary":"x"}\n',
    row(4, LOST_PARENT),
  ].join(''),
);

/** The repair: one splice for each lost parent. */
export function planSplices(content: Buffer): Splice[] {
  const splices: Splice[] = [];
  for (let at = content.indexOf(LOST_PARENT); at >= 0; at = content.indexOf(LOST_PARENT, at + 1)) {
    splices.push({ offset: at, length: LOST_PARENT.length, bytes: Buffer.from(GOOD_PARENT) });
  }
  return splices;
}

export function applySplices(content: Buffer, splices: readonly Splice[]): Buffer {
  return Buffer.concat([...spliceChunks([content], splices)]);
}

/** A folder with one transcript with a fixed mode and mtime, as before a repair. */
export async function withTranscriptFile<T>(
  use: (fixture: TranscriptFixture) => Promise<T>,
  original: Buffer = ORIGINAL,
): Promise<T> {
  return withTemporaryFolder((folder) => {
    const filePath = join(folder, '11111111-2222-4333-8444-555555555555.jsonl');
    writeAged(filePath, original);
    return use({ folder, filePath, original, repaired: applySplices(original, planSplices(original)) });
  });
}

export function writeAged(path: string, content: Buffer): void {
  writeFileSync(path, content);
  chmodSync(path, MODE);
  utimesSync(path, MTIME_SECONDS, MTIME_SECONDS);
}

/** A fixed clock, and names that differ from run to run. */
export function depsOn(fs: WriteFs): WriteDeps {
  return { fs, now: () => BACKUP_MS, random: () => Math.random().toString(36).slice(2) };
}

/** A request to repair the file in its current state. */
export function repairRequest(filePath: string) {
  return {
    filePath,
    expected: fileIdentity(statSync(filePath, { bigint: true })),
    splices: planSplices(readFileSync(filePath)),
    assertNotLive: () => Promise.resolve(),
    verify: () => Promise.resolve(true),
  };
}

/** A guard that refuses each time that the next answer is true. */
export function guardOf(answers: boolean[]): LiveGuard {
  return () =>
    answers.shift() === true ? Promise.reject(new Refusal('live', 'Claude is using it.')) : Promise.resolve();
}

/** Names in the folder beside the transcript. */
export function namesBeside({ folder, filePath }: TranscriptFixture): string[] {
  return readdirSync(folder).filter((name) => join(folder, name) !== filePath);
}

export function mtimeNs(path: string): bigint {
  return statSync(path, { bigint: true }).mtimeNs;
}

/** The lock of a dead process is taken over once it has not been refreshed for a while. */
export function ageLock({ filePath }: TranscriptFixture): void {
  const past = Date.now() / 1000 - 60;
  try {
    utimesSync(`${filePath}.lock`, past, past);
  } catch {
    // The process died before it took the lock, or after it released it.
  }
}

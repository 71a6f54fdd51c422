import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { damage } from './damage';
import { DAMAGE_OPERATIONS } from './damageOperations';
import { FIXTURES, type CorruptCase } from './fixtures';
import { largeVariant, type LargeSize } from './largeVariant';
import { SIDE_OPERATIONS } from './sideDamage';
import { tagRows } from './tagRows';

/** A transcript in a temporary folder that a check may repair. */
export interface WorkingCopy {
  readonly name: string;
  readonly filePath: string;
  /** How it was damaged, in order. */
  readonly operations: readonly string[];
}

/** A recording, relative to `fixtures`, with the content of the folder beside it. */
export async function copyRecording(recording: string, folder: string): Promise<WorkingCopy> {
  return await writeCopy(recording, await readFile(join(FIXTURES, recording)), folder, recording, []);
}

/** The damaged recording of a seed; the seeds cycle through the recordings. */
export async function copyDamaged(bases: readonly string[], seed: number, folder: string): Promise<WorkingCopy> {
  const base = bases[seed % bases.length];
  if (base === undefined) throw new RangeError('No transcript to damage');
  const { bytes, operations } = damage(tagRows(await readFile(join(FIXTURES, base))), seed);
  return await writeCopy(`seed ${seed} of ${base}`, bytes, join(folder, `seed-${seed}`), base, operations);
}

/** What random damage to a large transcript is aimed at. */
export type DamageAim = 'anything' | 'sideRows';

/** Like `copyDamaged`, with metadata rows among the others, so that the client reads it by its reader for large files. */
export async function copyLargeDamaged(
  bases: readonly string[],
  seed: number,
  folder: string,
  { aim, size }: { readonly aim: DamageAim; readonly size: LargeSize },
): Promise<WorkingCopy> {
  const base = bases[seed % bases.length];
  if (base === undefined) throw new RangeError('No transcript to damage');
  const original = tagRows(await readFile(join(FIXTURES, base)));
  const damaged = damage(original, seed, aim === 'sideRows' ? SIDE_OPERATIONS : DAMAGE_OPERATIONS);
  const target = join(folder, `${size}-${aim}-${seed}`);
  const bytes = largeVariant(damaged.bytes, size, seed);
  return await writeCopy(`seed ${seed} of ${base}, ${size}, ${aim}`, bytes, target, base, damaged.operations);
}

export async function copyCorrupt(corrupt: CorruptCase, folder: string): Promise<WorkingCopy> {
  const { name, spacing, sessionId, bytes, description } = corrupt;
  const target = join(folder, `${spacing}-${name.replace(/\W+/g, '-')}`);
  return await writeCopy(`${name}, ${spacing}`, bytes, target, `${sessionId}.jsonl`, [description]);
}

/** A damaged variant that the client reads like transcripts of more than 5 MiB. */
export async function copyLargeCorrupt(corrupt: CorruptCase, folder: string): Promise<WorkingCopy> {
  const large = { ...corrupt, name: `${corrupt.name}, over 5 MiB`, bytes: largeVariant(corrupt.bytes) };
  return await copyCorrupt(large, folder);
}

async function writeCopy(
  name: string,
  bytes: Buffer,
  folder: string,
  origin: string,
  operations: readonly string[],
): Promise<WorkingCopy> {
  await mkdir(folder, { recursive: true });
  const filePath = join(folder, basename(origin));
  await writeFile(filePath, bytes);
  await copySideFolder(join(FIXTURES, origin), filePath);
  return { name, filePath, operations };
}

/** Copies a transcript, and the folder beside it, into a new folder. */
export async function copyTranscript(from: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const to = join(folder, basename(from));
  await cp(from, to);
  await copySideFolder(from, to);
  return to;
}

/** Copies the folder beside a transcript that has its name: subagents, large tool results. */
export async function copySideFolder(from: string, to: string): Promise<void> {
  const side = sideFolder(from);
  const isFolder = await stat(side).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (isFolder) await cp(side, sideFolder(to), { recursive: true });
}

function sideFolder(filePath: string): string {
  return join(dirname(filePath), basename(filePath, '.jsonl'));
}

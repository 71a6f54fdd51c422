import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { damage } from './damage';

export interface DamagedCopy {
  readonly seed: number;
  /** The transcript that was damaged, from the folder of the fixtures. */
  readonly base: string;
  readonly filePath: string;
  readonly operations: readonly string[];
}

/** Writes the damaged transcript of a seed into `folder/seed-<n>`; the seeds go round the bases. */
export async function writeDamagedCopy(bases: readonly string[], seed: number, folder: string): Promise<DamagedCopy> {
  const base = bases[seed % bases.length];
  if (base === undefined) throw new RangeError('No transcript to damage');
  const { bytes, operations } = damage(await readFile(base), seed);
  const target = join(folder, `seed-${seed}`);
  await mkdir(target, { recursive: true });
  const filePath = join(target, basename(base));
  await writeFile(filePath, bytes);
  await copySideFolder(base, filePath);
  return { seed, base: relative(join(__dirname, '..', '..', 'fixtures'), base), filePath, operations };
}

/** Copies what lies in the folder beside a transcript that has its name: subagents, large tool results. */
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

/** `1-100`, or one number, as the seeds from the first to the last. */
export function parseSeeds(text: string): number[] {
  const [from = Number.NaN, to = from] = text.split('-').map(Number);
  if (!Number.isInteger(from) || !Number.isInteger(to) || to < from)
    throw new RangeError(`Not a range of seeds: ${text}`);
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

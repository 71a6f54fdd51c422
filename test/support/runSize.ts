import { parseSeeds } from './parseSeeds';

export interface RunSize {
  /** All cases, instead of what takes a few minutes. */
  readonly isFull: boolean;
  /** The seeds of the random damage. */
  readonly seeds: readonly number[];
  /** Those of the random damage in transcripts of more than 5 MiB. */
  readonly largeSeeds: readonly number[];
  /** The clients before the newest one whose rules are exact, or some of them. */
  readonly olderClients: readonly string[];
  /** Of those, the number of damaged transcripts for each, and how many of them have more than 5 MiB. */
  readonly ofOlder: { readonly damages: number; readonly large: number };
  /** Those in transcripts of more than 50 MiB; none in the quick run. */
  readonly hugeSeeds: readonly number[];
}

export const QUICK_SEEDS: readonly number[] = parseSeeds('1-40');
const FULL_SEEDS: readonly number[] = parseSeeds('1-400');

/** `RETHREAD_RESUME=full` requests everything, `RETHREAD_SEEDS=from-to` other seeds. */
export function runSize(): RunSize {
  const isFull = process.env['RETHREAD_RESUME'] === 'full';
  const named = process.env['RETHREAD_SEEDS'];
  const seeds = isFull ? FULL_SEEDS : QUICK_SEEDS;
  const largeSeeds = parseSeeds(isFull ? '1-120' : '1-4');
  const hugeSeeds = isFull ? parseSeeds('1-20') : [];
  const olderClients = isFull ? ['2.1.318', '2.1.300', '2.1.270', '2.1.250'] : ['2.1.250'];
  const ofOlder = isFull ? { damages: 60, large: 12 } : { damages: 10, large: 2 };
  const size = { isFull, seeds, largeSeeds, hugeSeeds, olderClients, ofOlder };
  return named === undefined ? size : { ...size, seeds: parseSeeds(named), largeSeeds: parseSeeds(named) };
}

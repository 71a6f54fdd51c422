import { parseSeeds } from './parseSeeds';

export interface RunSize {
  /** All cases, instead of what takes a few minutes. */
  readonly isFull: boolean;
  /** The seeds of the random damage. */
  readonly seeds: readonly number[];
}

export const QUICK_SEEDS: readonly number[] = parseSeeds('1-40');
const FULL_SEEDS: readonly number[] = parseSeeds('1-400');

/** `RETHREAD_RESUME=full` requests everything, `RETHREAD_SEEDS=from-to` other seeds. */
export function runSize(): RunSize {
  const isFull = process.env['RETHREAD_RESUME'] === 'full';
  const named = process.env['RETHREAD_SEEDS'];
  const seeds = isFull ? FULL_SEEDS : QUICK_SEEDS;
  return { isFull, seeds: named === undefined ? seeds : parseSeeds(named) };
}

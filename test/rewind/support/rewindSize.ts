import { parseSeeds } from '../../support/parseSeeds';

export interface RewindSize {
  /** All cases, instead of what takes less than a minute. */
  readonly isFull: boolean;
  /** Histories that are written as rows and copies. */
  readonly written: readonly number[];
  /** Histories that the real client creates itself. */
  readonly driven: readonly number[];
}

/** `RETHREAD_REWIND=full` requests everything, `RETHREAD_SEEDS=from-to` other seeds. */
export function rewindSize(): RewindSize {
  const isFull = process.env['RETHREAD_REWIND'] === 'full';
  const named = process.env['RETHREAD_SEEDS'];
  if (named !== undefined) return { isFull, written: parseSeeds(named), driven: parseSeeds(named) };
  return {
    isFull,
    written: parseSeeds(isFull ? '1-160' : '1-5'),
    driven: parseSeeds(isFull ? '1-60' : '1-1'),
  };
}

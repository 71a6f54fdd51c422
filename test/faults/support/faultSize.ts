export interface FaultSize {
  /** Every fault at every call, instead of what takes about a minute. */
  readonly isFull: boolean;
  /** Of everything that is chosen at random. */
  readonly seed: number;
  /** Runs of one operation with faults and deaths at random. */
  readonly rounds: number;
  /** Processes of each program that are killed. */
  readonly kills: number;
  /** Rewinds beside a busy editor. */
  readonly rewinds: number;
}

/** `RETHREAD_FAULTS=full` requests everything, `RETHREAD_SEED` the choices of an earlier run. */
export function faultSize(): FaultSize {
  const isFull = process.env['RETHREAD_FAULTS'] === 'full';
  const seed = Number(process.env['RETHREAD_SEED'] ?? CHOSEN);
  if (!Number.isInteger(seed)) throw new RangeError('RETHREAD_SEED must be a whole number');
  return isFull
    ? { isFull, seed, rounds: 120, kills: 18, rewinds: 200 }
    : { isFull, seed, rounds: 10, kills: 2, rewinds: 15 };
}

const CHOSEN = Date.now() % 1_000_000;

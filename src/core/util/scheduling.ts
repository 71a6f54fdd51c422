/** Gives the event loop its turns during long work that never waits by itself. */
export interface Pacer {
  /**
   * To be called often, between two pieces of work: a promise to await once the interval is over, else null. Whoever
   * awaits only what is no null pays one reading of the clock a call.
   */
  yieldIfDue(): Promise<void> | null;
}

/**
 * Works of one thread that run side by side share one pacer, so that the time between two turns stays within the
 * interval however many they are.
 *
 * @param intervalMs Longest work between two turns of the event loop.
 * @param now Milliseconds of a clock that never goes back.
 */
export function createPacer(intervalMs: number, now: () => number = () => performance.now()): Pacer {
  let lastTurnMs = now();
  let turn: Promise<void> | null = null;
  const takeTurn = (): Promise<void> =>
    new Promise((resolve) => {
      setImmediate(() => {
        turn = null;
        lastTurnMs = now();
        resolve();
      });
    });
  return {
    yieldIfDue: () => {
      if (turn === null && now() - lastTurnMs < intervalMs) return null;
      turn ??= takeTurn();
      return turn;
    },
  };
}

/** A promise with what settles it. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  /** Only the first call of `resolve` and `reject` counts. */
  resolve: (value: T) => void = () => undefined;
  reject: (reason: unknown) => void = () => undefined;

  constructor() {
    this.promise = new Promise<T>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

/** The work's own end, or a rejection with the signal's reason when that comes first; the work itself goes on. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- an AbortError, or what the caller chose
      reject(signal.reason);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
    });
  });
}

/** Time as the catalog sees it; tests pass one that stands still. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs `callback` once after `delayMs`. Returns what cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
};

/**
 * Calls `work` for every item, in order, with at most `limit` calls under way. Stops taking items once `signal` is
 * aborted, and resolves then as well. Rejects with the first error of `work`, after which no item is taken.
 */
export async function forEachConcurrent<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  let hasFailed = false;
  const lane = async (): Promise<void> => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) {
      if (hasFailed || signal?.aborted === true) return;
      try {
        await work(next.value);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, limit) }, lane));
}

/** Yields to the event loop during long synchronous work. */
export interface Pacer {
  /**
   * Call it often, between two pieces of work. Returns a promise to await once the interval is over, otherwise null. Callers that
   * await only a non-null result pay one clock reading per call.
   */
  yieldIfDue(): Promise<void> | null;
}

/**
 * Concurrent tasks of one thread share one pacer, so that the time between two yields stays within the interval however many
 * tasks there are.
 *
 * @param intervalMs Longest time of work between two turns of the event loop.
 * @param now Milliseconds of a monotonic clock.
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

/** A promise with the functions that settle it. */
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

/** Settles like `work`, or rejects with the signal's reason if that comes first; the work itself continues. */
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

/** Resolves after so many milliseconds. */
export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** The time; tests pass a clock that they control. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs `callback` once after `delayMs`. Returns a function that cancels it. */
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
 * Calls `work` for every item, in order, with at most `limit` concurrent calls. Takes no more items once `signal` is aborted,
 * and resolves in that case, too. Rejects with the first error of `work`, after which no more items are taken.
 */
export async function forEachConcurrent<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  let hasFailed = false;
  const worker = async (): Promise<void> => {
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
  await Promise.all(Array.from({ length: Math.max(1, limit) }, worker));
}

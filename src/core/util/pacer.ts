/** Gives the event loop its turns during long work that never waits by itself. */
export interface Pacer {
  /**
   * To be called often, between two pieces of work: a promise to await once the interval is over, else null. Whoever
   * awaits only what is no null pays one reading of the clock a call.
   */
  pause(): Promise<void> | null;
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
    pause: () => {
      if (turn === null && now() - lastTurnMs < intervalMs) return null;
      turn ??= takeTurn();
      return turn;
    },
  };
}

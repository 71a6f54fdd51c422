/** Delays before the first, second… restart in a row, in milliseconds. Their number limits the restarts. */
const RESTART_DELAYS_MS: readonly number[] = [250, 1000, 4000, 15_000];

/** A thread that lived this long was healthy: its death counts as the first in a row. */
const HEALTHY_AFTER_MS = 60_000;

/** Counts deaths and computes the delay before a restart; null to give up. */
export class RestartPolicy {
  readonly #delaysMs: readonly number[];
  #deathsInRow = 0;

  constructor(delaysMs = RESTART_DELAYS_MS) {
    this.#delaysMs = delaysMs;
  }

  /** `livedMs`: from the start of the thread to its death. */
  delayAfterDeath(livedMs: number): number | null {
    if (livedMs >= HEALTHY_AFTER_MS) this.#deathsInRow = 0;
    return this.#delaysMs[this.#deathsInRow++] ?? null;
  }

  /** The person asked to try again. */
  reset(): void {
    this.#deathsInRow = 0;
  }
}

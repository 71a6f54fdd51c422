import type { Clock } from './clock';
import type { SessionCache } from './sessionCache/sessionCache';

/** What is found out in so long is lost at most when the thread dies. */
const SAVE_INTERVAL_MS = 30_000;

/** Writes the cache now and then while it changes. */
export class CacheSaver {
  readonly #cache: SessionCache | null;
  readonly #clock: Clock;
  #cancelTimer: (() => void) | null = null;

  constructor(cache: SessionCache | null, clock: Clock) {
    this.#cache = cache;
    this.#clock = clock;
  }

  /** Something is worth keeping. */
  saveSoon(): void {
    if (this.#cache === null) return;
    this.#cancelTimer ??= this.#clock.after(SAVE_INTERVAL_MS, () => {
      void this.saveNow();
    });
  }

  async saveNow(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    await this.#cache?.save();
  }
}

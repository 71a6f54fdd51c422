import type { Clock } from '../util/scheduling';
import type { UsageCounter } from './usageCounter';

export interface UsageWatchDeps {
  readonly counter: Pick<UsageCounter, 'count' | 'countLive' | 'rest' | 'save'> & { onChange: () => void };
  readonly clock: Clock;
  /** Resolves when the next one is wanted. */
  readonly tell: () => Promise<void>;
}

/** How often is asked which sessions run. */
const LIVE_POLL_MS = 2000;
/** How often everything is listed: sessions of clients without a registry, and what was deleted, show then. */
const LIST_INTERVAL_MS = 60_000;
/** A running session that was just started is listed sooner. */
const MIN_LIST_INTERVAL_MS = 10_000;
/** Between two figures that are told, so that thousands of transcripts make no thousand messages. */
const TELL_INTERVAL_MS = 400;
/** What was counted since is counted anew when the thread dies. */
const SAVE_INTERVAL_MS = 5 * 60_000;

/** Keeps the figures in step with the disk, and tells them, while somebody looks at them. */
export class UsageWatch {
  readonly #deps: UsageWatchDeps;
  #isStopped = false;
  #cancelPoll: () => void = () => undefined;
  #cancelTell: (() => void) | null = null;
  #isTelling = false;
  /** Counts up with each piece of news. */
  #news = 0;
  #listedMs = 0;
  #savedMs = 0;

  constructor(deps: UsageWatchDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { counter, clock } = this.#deps;
    counter.onChange = () => {
      this.#noteNews();
    };
    this.#savedMs = clock.now();
    void this.#list();
  }

  /** For good. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelPoll();
    this.#cancelTell?.();
    this.#deps.counter.rest();
  }

  async #list(): Promise<void> {
    const { counter, clock } = this.#deps;
    this.#listedMs = clock.now();
    // What could not be listed is tried again; a counter that was closed has a successor.
    await counter.count().catch(() => undefined);
    if (this.#isStopped) return;
    await this.#save(clock.now());
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#cancelPoll = this.#deps.clock.after(LIVE_POLL_MS, () => {
      void this.#poll();
    });
  }

  async #poll(): Promise<void> {
    const { counter, clock } = this.#deps;
    const hasUnknown = await counter.countLive().catch(() => false);
    if (this.#isStopped) return;
    const sinceMs = clock.now() - this.#listedMs;
    if (sinceMs >= LIST_INTERVAL_MS || (hasUnknown && sinceMs >= MIN_LIST_INTERVAL_MS)) {
      // Also a new day begins without any news from the disk.
      this.#noteNews();
      await this.#list();
      return;
    }
    if (clock.now() - this.#savedMs >= SAVE_INTERVAL_MS) await this.#save(clock.now());
    this.#schedule();
  }

  async #save(nowMs: number): Promise<void> {
    this.#savedMs = nowMs;
    await this.#deps.counter.save();
  }

  #noteNews(): void {
    this.#news++;
    if (this.#isStopped || this.#isTelling || this.#cancelTell !== null) return;
    this.#cancelTell = this.#deps.clock.after(TELL_INTERVAL_MS, () => {
      this.#cancelTell = null;
      void this.#tell();
    });
  }

  async #tell(): Promise<void> {
    this.#isTelling = true;
    const told = this.#news;
    // A host that does not answer is gone.
    await this.#deps.tell().catch(() => undefined);
    this.#isTelling = false;
    if (this.#news !== told) this.#noteNews();
  }
}

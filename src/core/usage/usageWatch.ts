import type { Clock } from '../util/scheduling';
import type { UsageCounter } from './usageCounter';

export interface UsageWatchDeps {
  readonly counter: Pick<UsageCounter, 'count' | 'countLive' | 'countChanged' | 'idle' | 'rest' | 'save'> & {
    onChange: () => void;
  };
  readonly clock: Clock;
  /** Sends the current figures. Resolves when the receiver is ready for the next ones. */
  readonly notify: () => Promise<void>;
}

/** How often the registry of running sessions is read. */
const LIVE_POLL_MS = 2000;
/** How often all transcripts are listed, to find deleted ones and the sessions of clients without a registry. */
const LIST_INTERVAL_MS = 60_000;
/** The shorter interval if a running session is not known yet. */
const MIN_LIST_INTERVAL_MS = 10_000;
/** What comes right after the first change is counted with it. */
const SETTLE_MS = 500;
/** After changed sessions were counted, the next ones wait for so many times as long, within limits. */
const REST_FACTOR = 10;
const MIN_REST_MS = 3000;
const MAX_REST_MS = LIST_INTERVAL_MS;
/** Minimum time between two notifications, so that thousands of transcripts do not cause thousands of messages. */
const NOTIFY_INTERVAL_MS = 400;
/** How often counts are saved. If the thread dies, the counts since the last save are lost and counted again. */
const SAVE_INTERVAL_MS = 5 * 60_000;

/** Keeps the figures up to date with the disk and sends them while a view shows them. */
export class UsageWatch {
  readonly #deps: UsageWatchDeps;
  #isStopped = false;
  #cancelPoll: () => void = () => undefined;
  #cancelNotify: (() => void) | null = null;
  /** Paths of the transcripts of sessions that may have changed since they were counted. */
  readonly #changed = new Set<string>();
  /** Null while no count of changed sessions is planned or running, and therefore while nothing changes. */
  #cancelCount: (() => void) | null = null;
  #isListing = false;
  #restUntilMs = 0;
  #isNotifying = false;
  /** Number of changes so far. */
  #changes = 0;
  #listedMs = 0;
  #savedMs = 0;

  constructor(deps: UsageWatchDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { counter, clock } = this.#deps;
    counter.onChange = () => {
      this.#noteChange();
    };
    this.#savedMs = clock.now();
    void this.#list();
  }

  /**
   * Called when the list of sessions has noticed changed, new or deleted sessions, which it does earlier than this watch.
   *
   * @param filePaths absolute paths of their transcripts, some of which may not have changed
   */
  sessionsChanged(filePaths: Iterable<string>): void {
    for (const filePath of filePaths) this.#changed.add(filePath);
    this.#countChangedSoon();
  }

  /** Stops for good. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelPoll();
    this.#cancelCount?.();
    this.#cancelNotify?.();
    this.#deps.counter.rest();
  }

  async #list(): Promise<void> {
    const { counter, clock } = this.#deps;
    this.#listedMs = clock.now();
    this.#changed.clear();
    this.#isListing = true;
    // If listing fails, it is repeated later. A closed counter has been replaced by another one.
    await counter.count().catch(() => undefined);
    this.#isListing = false;
    if (this.#isStopped) return;
    this.#countChangedSoon();
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
    // A clock can be set back.
    const sinceMs = Math.abs(clock.now() - this.#listedMs);
    if (sinceMs >= LIST_INTERVAL_MS || (hasUnknown && sinceMs >= MIN_LIST_INTERVAL_MS)) {
      // A day may have begun, which changes the figures without any change on the disk.
      this.#noteChange();
      await this.#list();
      return;
    }
    if (Math.abs(clock.now() - this.#savedMs) >= SAVE_INTERVAL_MS) await this.#save(clock.now());
    this.#schedule();
  }

  #countChangedSoon(): void {
    const { clock } = this.#deps;
    if (this.#isStopped || this.#isListing || this.#changed.size === 0 || this.#cancelCount !== null) return;
    // A clock that was set back must not put it off.
    const restMs = Math.min(this.#restUntilMs - clock.now(), MAX_REST_MS);
    this.#cancelCount = clock.after(Math.max(restMs, SETTLE_MS), () => {
      void this.#countChanged();
    });
  }

  async #countChanged(): Promise<void> {
    const { counter, clock } = this.#deps;
    await counter.idle();
    const filePaths = [...this.#changed];
    this.#changed.clear();
    const startMs = clock.now();
    if (!this.#isStopped) await counter.countChanged(filePaths).catch(() => undefined);
    const endMs = clock.now();
    this.#restUntilMs = endMs + Math.min(Math.max(REST_FACTOR * (endMs - startMs), MIN_REST_MS), MAX_REST_MS);
    this.#cancelCount = null;
    this.#countChangedSoon();
  }

  async #save(nowMs: number): Promise<void> {
    this.#savedMs = nowMs;
    await this.#deps.counter.save();
  }

  #noteChange(): void {
    this.#changes++;
    if (this.#isStopped || this.#isNotifying || this.#cancelNotify !== null) return;
    this.#cancelNotify = this.#deps.clock.after(NOTIFY_INTERVAL_MS, () => {
      this.#cancelNotify = null;
      void this.#notify();
    });
  }

  async #notify(): Promise<void> {
    this.#isNotifying = true;
    const sent = this.#changes;
    // If the extension does not answer, it is gone.
    await this.#deps.notify().catch(() => undefined);
    this.#isNotifying = false;
    if (this.#changes !== sent) this.#noteChange();
  }
}

import type { LiveStatus } from '../../protocol/session';
import type { Clock } from '../util/scheduling';

/** The registry consists of one small file per running client, so frequent reading is cheap. */
const LIVE_POLL_MS = 3000;

/** Polls the registry of running sessions and reports those that started, stopped, or became busy or idle. */
export class LiveWatch {
  #live: ReadonlyMap<string, LiveStatus> = new Map();
  #cancelTimer: (() => void) | null = null;
  #state: 'new' | 'watching' | 'stopped' = 'new';
  readonly #read: () => Promise<ReadonlyMap<string, LiveStatus>>;
  readonly #clock: Clock;
  readonly #onChange: (changedSessionIds: ReadonlySet<string>) => void;

  constructor(
    read: () => Promise<ReadonlyMap<string, LiveStatus>>,
    clock: Clock,
    onChange: (changedSessionIds: ReadonlySet<string>) => void,
  ) {
    this.#read = read;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get live(): ReadonlyMap<string, LiveStatus> {
    return this.#live;
  }

  /** Reads the registry and starts polling it. Rejects if this first reading fails. */
  async start(): Promise<void> {
    const live = await this.#read();
    if (this.#state === 'stopped') return;
    this.#live = live;
    if (this.#state === 'watching') return;
    this.#state = 'watching';
    this.#schedule();
  }

  /** Stops for good. */
  stop(): void {
    this.#state = 'stopped';
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }

  #schedule(): void {
    this.#cancelTimer = this.#clock.after(LIVE_POLL_MS, () => {
      void this.#poll();
    });
  }

  async #poll(): Promise<void> {
    // A failed reading says nothing about the sessions, so the previous result stays.
    const live = await this.#read().catch(() => this.#live);
    if (this.#state !== 'watching') return;
    const changed = changedIds(this.#live, live);
    this.#live = live;
    if (changed.size > 0) this.#onChange(changed);
    this.#schedule();
  }
}

function changedIds(before: ReadonlyMap<string, LiveStatus>, after: ReadonlyMap<string, LiveStatus>): Set<string> {
  const ids = new Set([...before.keys(), ...after.keys()]);
  return new Set([...ids].filter((id) => before.get(id) !== after.get(id)));
}

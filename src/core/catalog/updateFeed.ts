import type { SessionsUpdate } from '../../shared/api/worker';
import type { Clock } from './clock';
import type { AssembledUpdate } from './updateAssembler';

/** At most four rounds of updates a second while a scan runs. */
const UPDATE_INTERVAL_MS = 250;

export interface UpdateFeedParts {
  readonly configDir: string;
  readonly assemble: () => AssembledUpdate;
  /** Resolves once the host has taken it. */
  readonly send: (update: SessionsUpdate) => void | Promise<void>;
  readonly nextRevision: () => number;
  readonly clock: Clock;
}

/**
 * Sends what changed: now and then what changes often, at once what matters. The next update waits until the host has
 * taken the one before, so that a busy host is never flooded, and gets its turns in between.
 */
export class UpdateFeed {
  readonly #parts: UpdateFeedParts;
  #lastSentMs = -Infinity;
  #cancelTimer: (() => void) | null = null;
  #sending: Promise<void> | null = null;
  /** More is to be told once the host has taken what is on its way. */
  #isDue = false;
  #isClosed = false;

  constructor(parts: UpdateFeedParts) {
    this.#parts = parts;
  }

  sendSoon(): void {
    if (this.#cancelTimer !== null) return;
    const waitMs = this.#lastSentMs + UPDATE_INTERVAL_MS - this.#parts.clock.now();
    if (waitMs <= 0) {
      void this.sendNow();
      return;
    }
    this.#cancelTimer = this.#parts.clock.after(waitMs, () => {
      void this.sendNow();
    });
  }

  /** Resolves once the host has taken everything that there was to tell. */
  sendNow(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    if (this.#isClosed) return Promise.resolve();
    this.#isDue = true;
    this.#sending ??= this.#sendWhatIsDue();
    return this.#sending;
  }

  /** Nothing is sent from here on. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }

  async #sendWhatIsDue(): Promise<void> {
    const { configDir, assemble, nextRevision, clock } = this.#parts;
    while (this.#isDue && !this.#isClosed) {
      const { update, hasMore } = assemble();
      this.#isDue = hasMore;
      this.#lastSentMs = clock.now();
      await this.#deliver({ revision: nextRevision(), configDir, ...update });
    }
    this.#sending = null;
  }

  async #deliver(update: SessionsUpdate): Promise<void> {
    try {
      await this.#parts.send(update);
    } catch {
      // A host that cannot answer is gone: there is nobody to tell.
    }
  }
}

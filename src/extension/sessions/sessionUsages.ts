import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionUsage } from '../../protocol/usage';
import { Disposable, Emitter } from '../lifetime';

/** How long a tooltip waits for the usage figures. */
const MAX_WAIT_MS = 250;

/** Shares one count per session among all callers; a slow count is delivered later. */
export class SessionUsages extends Disposable {
  readonly #count: (filePath: string) => Promise<SessionUsage | null>;
  readonly #late = this._register(new Emitter<string>());
  readonly #maxWaitMs: number;
  /** Keyed by path: figures that arrived too late for their callers; the next caller gets them. */
  readonly #arrived = new Map<string, SessionUsage>();
  readonly #counting = new Set<string>();

  /** Fires when the usage of a session is available after a caller stopped waiting for it. */
  readonly onLate = this.#late.event;

  constructor(count: (filePath: string) => Promise<SessionUsage | null>, maxWaitMs = MAX_WAIT_MS) {
    super();
    this.#count = count;
    this.#maxWaitMs = maxWaitMs;
  }

  /** Null if the usage is not available soon, or not at all. Never rejects. */
  async soon(filePath: string): Promise<SessionUsage | null> {
    const arrived = this.#arrived.get(filePath);
    if (arrived !== undefined) {
      this.#arrived.delete(filePath);
      return arrived;
    }
    if (this.#counting.has(filePath)) return null;
    this.#counting.add(filePath);
    let isLate = false;
    // On an error, the tooltip omits the figures.
    const counted = this.#count(filePath)
      .catch(() => null)
      .then((usage) => {
        this.#counting.delete(filePath);
        if (!isLate || usage === null || this.isDisposed) return usage;
        this.#arrived.set(filePath, usage);
        this.#late.fire(filePath);
        return usage;
      });
    return Promise.race([
      counted,
      sleep(this.#maxWaitMs, null, { ref: false }).then(() => {
        isLate = true;
        return null;
      }),
    ]);
  }
}

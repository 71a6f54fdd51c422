import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionUsage } from '../../protocol/usage';
import { Disposable, Emitter } from '../lifetime';

/** A person who waits for a tooltip waits so long for one of its lines. */
const PATIENCE_MS = 250;

/** Counts come once for all that ask; where they take long, they are told later. */
export class SessionUsages extends Disposable {
  readonly #count: (filePath: string) => Promise<SessionUsage | null>;
  readonly #late = this._register(new Emitter<string>());
  readonly #patienceMs: number;
  /** By path: what came after nobody waited for it any more; the next who asks gets it. */
  readonly #arrived = new Map<string, SessionUsage>();
  readonly #counting = new Set<string>();

  /** What a session used is known by now, and was not when it was asked for. */
  readonly onLate = this.#late.event;

  constructor(count: (filePath: string) => Promise<SessionUsage | null>, patienceMs = PATIENCE_MS) {
    super();
    this.#count = count;
    this.#patienceMs = patienceMs;
  }

  /** Null when it is not known soon, or not at all. Never rejects. */
  async soon(filePath: string): Promise<SessionUsage | null> {
    const arrived = this.#arrived.get(filePath);
    if (arrived !== undefined) {
      this.#arrived.delete(filePath);
      return arrived;
    }
    if (this.#counting.has(filePath)) return null;
    this.#counting.add(filePath);
    let isLate = false;
    // A tooltip without the figures says what else is known.
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
      sleep(this.#patienceMs, null, { ref: false }).then(() => {
        isLate = true;
        return null;
      }),
    ]);
  }
}

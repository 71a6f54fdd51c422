import { setTimeout as sleep } from 'node:timers/promises';
import type { Preflight } from '../../protocol/preflight';
import type { SessionUsage } from '../../protocol/usage';
import { Disposable, Emitter } from '../lifetime';

/** What is counted of a session for its tooltip. */
export interface SessionFigures {
  /** Null if its tokens cannot be counted. */
  readonly usage: SessionUsage | null;
  /** Null if its transcript cannot be read. */
  readonly preflight: Preflight | null;
}

/** How long a tooltip waits for the figures. */
const MAX_WAIT_MS = 250;

/** Shares one count per session among all callers; a slow count is delivered later. */
export class SessionUsages extends Disposable {
  readonly #count: (filePath: string) => Promise<SessionFigures | null>;
  readonly #late = this._register(new Emitter<string>());
  readonly #maxWaitMs: number;
  /** Keyed by path: figures that arrived too late for their callers; the next caller gets them. */
  readonly #arrived = new Map<string, SessionFigures>();
  readonly #counting = new Set<string>();

  /** Fires when the figures of a session are available after a caller stopped waiting for it. */
  readonly onLate = this.#late.event;

  constructor(count: (filePath: string) => Promise<SessionFigures | null>, maxWaitMs = MAX_WAIT_MS) {
    super();
    this.#count = count;
    this.#maxWaitMs = maxWaitMs;
  }

  /** Null if they are not available soon, or not at all. Never rejects. */
  async soon(filePath: string): Promise<SessionFigures | null> {
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
      .then((figures) => {
        this.#counting.delete(filePath);
        if (!isLate || figures === null || this.isDisposed) return figures;
        this.#arrived.set(filePath, figures);
        this.#late.fire(filePath);
        return figures;
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

import type { SessionsSnapshot } from '../../shared/api/worker';
import type { Clock } from './clock';

/** At most four snapshots a second while a scan runs. */
const SNAPSHOT_INTERVAL_MS = 250;

/** Sends whole snapshots with a rising revision: what changes often is sent now and then, what matters at once. */
export class SnapshotFeed {
  readonly #assemble: (revision: number) => SessionsSnapshot;
  readonly #send: (snapshot: SessionsSnapshot) => void;
  readonly #clock: Clock;
  #revision = 0;
  #lastSentMs = -Infinity;
  #cancelTimer: (() => void) | null = null;

  constructor(
    assemble: (revision: number) => SessionsSnapshot,
    send: (snapshot: SessionsSnapshot) => void,
    clock: Clock,
  ) {
    this.#assemble = assemble;
    this.#send = send;
    this.#clock = clock;
  }

  sendSoon(): void {
    if (this.#cancelTimer !== null) return;
    const waitMs = this.#lastSentMs + SNAPSHOT_INTERVAL_MS - this.#clock.now();
    if (waitMs <= 0) {
      this.sendNow();
      return;
    }
    this.#cancelTimer = this.#clock.after(waitMs, () => {
      this.sendNow();
    });
  }

  sendNow(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#lastSentMs = this.#clock.now();
    this.#revision++;
    this.#send(this.#assemble(this.#revision));
  }
}

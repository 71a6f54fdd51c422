import type { Alarm, AlarmsSnapshot } from '../../protocol/channels/alarms';
import { Disposable } from '../lifetime';

export interface AlarmTellerDeps {
  /** The ids that this window is to tell; see `alarmsChannel`. */
  readonly claim: (keys: Alarm['keys']) => Promise<readonly string[]>;
  readonly tell: (alarm: Alarm) => void;
  readonly log: (message: string) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** A window whose folders an alarm does not concern leaves it so long to one that it concerns. */
const LEAVE_MS = 20_000;
/** Time between two attempts to tell what may not be told yet. */
const AGAIN_MS = 3_600_000;

/** Decides which alarms this window tells, and when: each is told by one window, once. */
export class AlarmTeller extends Disposable {
  readonly #deps: AlarmTellerDeps;
  /** When the window asked for an incident last, in milliseconds since the epoch. */
  readonly #asked = new Map<string, number>();
  #latest: readonly Alarm[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: AlarmTellerDeps) {
    super();
    this.#deps = deps;
    this._register({
      dispose: () => {
        clearTimeout(this.#timer);
      },
    });
  }

  update({ alarms }: AlarmsSnapshot): void {
    this.#latest = alarms;
    this.#tell(({ isOfWindow }) => isOfWindow);
    if (alarms.every(({ isOfWindow }) => isOfWindow) || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#tell(() => true);
    }, LEAVE_MS);
  }

  #tell(isDue: (alarm: Alarm) => boolean): void {
    for (const alarm of this.#latest.filter(isDue)) {
      this.#ask(alarm).catch((error: unknown) => {
        if (!this.isDisposed) this.#deps.log(`Failed to tell an alarm: ${String(error)}`);
      });
    }
  }

  async #ask(alarm: Alarm): Promise<void> {
    const nowMs = this.#deps.now();
    const keys = alarm.keys.filter(({ id, pauseMs }) => {
      const askedMs = this.#asked.get(id);
      return askedMs === undefined || (pauseMs > 0 && Math.abs(nowMs - askedMs) >= AGAIN_MS);
    });
    if (keys.length === 0) return;
    for (const { id } of keys) this.#asked.set(id, nowMs);
    const claimed = new Set(await this.#deps.claim(keys));
    if (claimed.size === 0 || this.isDisposed) return;
    if (alarm.kind !== 'expiring') this.#deps.tell(alarm);
    else this.#deps.tell({ ...alarm, sessions: alarm.sessions.filter(({ alarmId }) => claimed.has(alarmId)) });
  }
}

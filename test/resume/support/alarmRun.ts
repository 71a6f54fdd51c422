import { setTimeout as delay } from 'node:timers/promises';
import { ClientSavings, type Savings, thisMachine } from '../../rooms/providers';

/** As often as the worker. */
const LOOK_MS = 1_600;

/** Looks at a config folder as the worker does, and notes what it is told. */
export class AlarmRun {
  readonly #savings: ClientSavings;
  readonly #running: Promise<void>;
  #isOver = false;
  #causedMs = Date.now();
  /** What was said, with the seconds since the cause. */
  readonly told = new Map<string, number>();
  looks = 0;

  constructor(configDir: string) {
    this.#savings = new ClientSavings({ configDir, machine: thisMachine(), now: Date.now });
    this.#running = this.#run();
  }

  /** What is told from now on has its cause now. */
  cause(): void {
    this.#causedMs = Date.now();
  }

  /** Resolves when it has looked at everything as it is now. A look that is under way may have seen less. */
  async sees(): Promise<void> {
    const { looks } = this;
    while (this.looks < looks + 2) await delay(50);
  }

  /** Resolves with the seconds until it was said; rejects after 40 s. */
  async says(alarm: string): Promise<number> {
    for (const end = Date.now() + 40_000; Date.now() < end;) {
      const seconds = this.told.get(alarm);
      if (seconds !== undefined) return seconds;
      await delay(50);
    }
    throw new Error(`${alarm} was not said; said: ${[...this.told.keys()].join(', ') || 'nothing'}`);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      this.#note(await this.#savings.look());
      this.looks++;
      await delay(LOOK_MS);
    }
  }

  #note({ unsaved, shared }: Savings): void {
    const alarms = [...unsaved.map(({ cause }) => cause), ...shared.map(() => 'two-writers')];
    for (const alarm of alarms) if (!this.told.has(alarm)) this.told.set(alarm, (Date.now() - this.#causedMs) / 1000);
  }
}

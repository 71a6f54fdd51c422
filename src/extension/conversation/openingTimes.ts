import type { PageTimes } from '../../protocol/channels/panel';

/** A step in the extension host, from the command to the first screen. */
export type OpeningStep = 'panel made' | 'file read' | 'rows read' | 'page asked' | 'page answered';

/**
 * Times of the steps from the command to a panel's first screen, in milliseconds since the epoch. The page uses its own
 * clock, which equals the extension host's if both run on one machine.
 */
export class OpeningTimes {
  readonly #steps = new Map<string, number>();

  constructor(
    private readonly now: () => number,
    private readonly startedMs = now(),
  ) {}

  /** A repeated step belongs to another page and is ignored. */
  note(step: OpeningStep): void {
    if (!this.#steps.has(step)) this.#steps.set(step, this.now());
  }

  /** One line with each step and its milliseconds since the command, in order. */
  summary({ beganMs, ranMs, answeredMs, drawnMs, paintedMs }: PageTimes): string {
    const steps = [
      ...this.#steps,
      ...Object.entries({
        'page began': beganMs,
        'script ran': ranMs,
        'answer there': answeredMs,
        'rows drawn': drawnMs,
        painted: paintedMs,
      }),
    ];
    return steps
      .sort(([, one], [, other]) => one - other)
      .map(([step, atMs]) => `${step} ${String(Math.round(atMs - this.startedMs))}`)
      .join(', ');
  }
}

import type { ConversationCalls } from '../../protocol/channels/conversation';
import type { PageTimes } from '../../protocol/channels/panel';
import type { DisposableLike } from '../lifetime';

/** Tracks which conversations the worker keeps open: each for as long as there is a hold on it. */
export class OpenConversations {
  readonly #calls: Pick<ConversationCalls, 'closeConversation'>;
  readonly #holdCounts = new Map<string, number>();

  constructor(calls: Pick<ConversationCalls, 'closeConversation'>) {
    this.#calls = calls;
  }

  /** Does not open the conversation. The worker closes it when the last hold is disposed. */
  hold(filePath: string): DisposableLike {
    this.#holdCounts.set(filePath, (this.#holdCounts.get(filePath) ?? 0) + 1);
    let isHeld = true;
    return {
      dispose: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#release(filePath);
      },
    };
  }

  #release(filePath: string): void {
    const left = (this.#holdCounts.get(filePath) ?? 0) - 1;
    if (left > 0) {
      this.#holdCounts.set(filePath, left);
      return;
    }
    this.#holdCounts.delete(filePath);
    // If the worker thread is gone, nothing is open.
    this.#calls.closeConversation(filePath).catch(() => undefined);
  }
}

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

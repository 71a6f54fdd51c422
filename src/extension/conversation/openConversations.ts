import type { ConversationCalls } from '../../protocol/channels/conversation';
import type { PageTimes } from '../../protocol/channels/panel';
import type { DisposableLike } from '../lifetime';

/** Which conversations the worker keeps open: each for as long as somebody holds it. */
export class OpenConversations {
  readonly #calls: Pick<ConversationCalls, 'closeConversation'>;
  readonly #holders = new Map<string, number>();

  constructor(calls: Pick<ConversationCalls, 'closeConversation'>) {
    this.#calls = calls;
  }

  /** Opens nothing by itself. The worker closes the conversation when the last hold is let go of. */
  hold(filePath: string): DisposableLike {
    this.#holders.set(filePath, (this.#holders.get(filePath) ?? 0) + 1);
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
    const left = (this.#holders.get(filePath) ?? 0) - 1;
    if (left > 0) {
      this.#holders.set(filePath, left);
      return;
    }
    this.#holders.delete(filePath);
    // A thread that is gone holds nothing open.
    this.#calls.closeConversation(filePath).catch(() => undefined);
  }
}

/** On the way from the command to the first screen, in the host. */
export type OpeningStep = 'panel made' | 'file read' | 'rows read' | 'page asked' | 'page answered';

/**
 * When what happened, from the command to the first screen of a panel. Milliseconds since the epoch: the page tells by its
 * own clock, which is the host's one where both run on one machine.
 */
export class OpeningTimes {
  readonly #steps = new Map<string, number>();

  constructor(
    private readonly now: () => number,
    private readonly startedMs = now(),
  ) {}

  /** What happens again is another page's. */
  note(step: OpeningStep): void {
    if (!this.#steps.has(step)) this.#steps.set(step, this.now());
  }

  /** One line: what took place so many milliseconds after the command, in this order. */
  tell({ beganMs, ranMs, answeredMs, drawnMs, paintedMs }: PageTimes): string {
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

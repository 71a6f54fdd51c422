import type { ConversationCalls } from '../../protocol/channels/conversation';
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

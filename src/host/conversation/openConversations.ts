import type { ConversationsApi } from '../../shared/api/conversation';
import type { DisposableLike } from '../lifetime/disposable';

/** Which conversations the worker keeps open: each for as long as somebody holds it. */
export class OpenConversations {
  readonly #calls: Pick<ConversationsApi, 'closeConversation'>;
  readonly #holders = new Map<string, number>();

  constructor(calls: Pick<ConversationsApi, 'closeConversation'>) {
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

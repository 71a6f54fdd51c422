/** Work that must not be cut: what waits for it to end, and refuses what would begin after that. */
export class UnfinishedWork {
  readonly #isClosing: () => boolean;
  readonly #running = new Set<Promise<unknown>>();

  constructor(isClosing: () => boolean) {
    this.#isClosing = isClosing;
  }

  /** The same function, its calls kept until they end. Rejects once everything is being ended. */
  keep<A extends readonly unknown[], T>(work: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
    return async (...args) => {
      if (this.#isClosing()) throw new Error('Refused: the extension is shutting down');
      const running = work(...args);
      this.#running.add(running);
      try {
        return await running;
      } finally {
        this.#running.delete(running);
      }
    };
  }

  /** Resolves when nothing of it runs any more, however it ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}

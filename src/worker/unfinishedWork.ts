/** Tracks work that must not be interrupted: waits for it to end, and refuses work that would start after that. */
export class UnfinishedWork {
  readonly #isClosing: () => boolean;
  readonly #running = new Set<Promise<unknown>>();

  constructor(isClosing: () => boolean) {
    this.#isClosing = isClosing;
  }

  /** Returns the same function with its calls tracked until they end. Calls reject once shutdown has begun. */
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

  /** Resolves when none of the work is running, whether it succeeded or failed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}

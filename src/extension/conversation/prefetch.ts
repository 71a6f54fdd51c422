/** An answer requested in advance, never older than the last known change. */
export class Prefetch<T> {
  #pending: Promise<T> | null = null;

  /** @param ask  must not reject */
  constructor(private readonly ask: () => Promise<T>) {}

  begin(): void {
    this.#pending ??= this.ask();
  }

  /** Discards the prefetched answer. */
  forget(): void {
    this.#pending = null;
  }

  /** Returns the prefetched answer; it is returned only once. */
  async take(): Promise<T> {
    for (;;) {
      const pending = (this.#pending ??= this.ask());
      const answer = await pending;
      if (this.#pending !== pending) continue;
      this.#pending = null;
      return answer;
    }
  }
}

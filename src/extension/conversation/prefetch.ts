/** An answer requested in advance, never older than the last known change. */
export class Prefetch<T> {
  #asked: Promise<T> | null = null;

  /** @param ask  must not reject */
  constructor(private readonly ask: () => Promise<T>) {}

  begin(): void {
    this.#asked ??= this.ask();
  }

  /** Discards the prefetched answer. */
  forget(): void {
    this.#asked = null;
  }

  /** Returns the prefetched answer; it is returned only once. */
  async take(): Promise<T> {
    for (;;) {
      const asked = (this.#asked ??= this.ask());
      const answer = await asked;
      if (this.#asked !== asked) continue;
      this.#asked = null;
      return answer;
    }
  }
}

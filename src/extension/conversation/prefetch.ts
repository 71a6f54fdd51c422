/** An answer that is asked for before it is wanted, and is never older than the last change that was told of. */
export class Prefetch<T> {
  #asked: Promise<T> | null = null;

  /** @param ask  never rejects */
  constructor(private readonly ask: () => Promise<T>) {}

  begin(): void {
    this.#asked ??= this.ask();
  }

  /** What was asked for is void. */
  forget(): void {
    this.#asked = null;
  }

  /** What was asked for last; it is given once. */
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

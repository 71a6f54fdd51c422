/** What holds something that has to be let go of. The shape of VS Code's own. */
export interface DisposableLike {
  dispose(): unknown;
}

/** Base of what lives for a while: owns what it registers, and lets go of it in reverse order, once. */
export abstract class Disposable implements DisposableLike {
  #owned: DisposableLike[] = [];
  #isDisposed = false;

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    const owned = this.#owned.reverse();
    this.#owned = [];
    for (const each of owned) each.dispose();
  }

  /** Registered too late, it is let go of at once. */
  protected _register<T extends DisposableLike>(owned: T): T {
    if (this.#isDisposed) owned.dispose();
    else this.#owned.push(owned);
    return owned;
  }
}

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

/** Subscribes to something; the result ends the subscription. Fits wherever VS Code wants an `Event`. */
export type Listen<T> = (listener: (value: T) => unknown) => DisposableLike;

/** VS Code's event emitter for code that runs without VS Code. */
export class Emitter<T> implements DisposableLike {
  #listeners: ((value: T) => unknown)[] = [];

  readonly event: Listen<T> = (listener) => {
    this.#listeners = [...this.#listeners, listener];
    return {
      dispose: () => {
        this.#listeners = this.#listeners.filter((each) => each !== listener);
      },
    };
  };

  fire(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }

  dispose(): void {
    this.#listeners = [];
  }
}

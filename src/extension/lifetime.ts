/** An object that must be disposed. Compatible with VS Code's own type. */
export interface DisposableLike {
  dispose(): unknown;
}

/** Base class that owns what it registers and disposes it once, in reverse order. */
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

  /** If this object is already disposed, `owned` is disposed at once. */
  protected _register<T extends DisposableLike>(owned: T): T {
    if (this.#isDisposed) owned.dispose();
    else this.#owned.push(owned);
    return owned;
  }
}

/** Subscribes to an event; disposing the result unsubscribes. Can be used as a VS Code `Event`. */
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

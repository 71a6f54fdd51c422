import type { DisposableLike } from './disposable';

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

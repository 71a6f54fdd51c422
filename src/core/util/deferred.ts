/** A promise with what settles it. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  /** Only the first call of `resolve` and `reject` counts. */
  resolve: (value: T) => void = () => undefined;
  reject: (reason: unknown) => void = () => undefined;

  constructor() {
    this.promise = new Promise<T>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

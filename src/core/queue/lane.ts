/** A place in a lane. */
export interface LanePlace<T> {
  readonly value: T;
  before: LanePlace<T> | null;
  after: LanePlace<T> | null;
}

/** First in, first out, but anyone may step out of the line. Each step costs the same, however long the line is. */
export class Lane<T> {
  #first: LanePlace<T> | null = null;
  #last: LanePlace<T> | null = null;

  push(value: T): LanePlace<T> {
    const place: LanePlace<T> = { value, before: this.#last, after: null };
    if (this.#last === null) this.#first = place;
    else this.#last.after = place;
    this.#last = place;
    return place;
  }

  /** `place` is one of this lane, and leaves it once. */
  remove({ before, after }: LanePlace<T>): void {
    if (before === null) this.#first = after;
    else before.after = after;
    if (after === null) this.#last = before;
    else after.before = before;
  }

  /** From the one that waits longest. Nobody may leave or join meanwhile. */
  *[Symbol.iterator](): Generator<T> {
    for (let place = this.#first; place !== null; place = place.after) yield place.value;
  }
}

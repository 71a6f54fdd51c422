/** Where the messages of a transcript lie in the columns, by their places in it. -1 is one that is gone. */
export class FileRecords {
  /** Records from here on, one behind the other, are those of the first places. */
  readonly #start: number;
  readonly #count: number;
  /** Those of the places that follow. */
  #others: number[] | null = null;
  /** First places whose records lie elsewhere, or are gone: hardly ever any. */
  #moved: Map<number, number> | null = null;

  constructor(start: number, count: number) {
    this.#start = start;
    this.#count = count;
  }

  get count(): number {
    return this.#count + (this.#others?.length ?? 0);
  }

  at(place: number): number {
    if (place >= this.#count) return this.#others?.[place - this.#count] ?? -1;
    return this.#moved?.get(place) ?? this.#start + place;
  }

  /** `place` is at most the count. */
  set(place: number, record: number): void {
    if (place >= this.#count) (this.#others ??= [])[place - this.#count] = record;
    else this.#moved = (this.#moved ?? new Map<number, number>()).set(place, record);
  }

  /** Those that are not gone. */
  *[Symbol.iterator](): Generator<number> {
    for (let place = 0; place < this.count; place++) {
      const record = this.at(place);
      if (record >= 0) yield record;
    }
  }
}

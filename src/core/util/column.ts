const CHUNK_BITS = 15;
const CHUNK_LENGTH = 1 << CHUNK_BITS;
const CHUNK_MASK = CHUNK_LENGTH - 1;

type TypedArray = Int32Array | Uint32Array | Float64Array;

/**
 * A growable column of numbers. It grows by whole chunks, so that a table of millions of rows never holds an old and a
 * doubled copy of itself at the same time.
 */
export class Column<T extends TypedArray> {
  readonly #chunks: T[] = [];
  #length = 0;

  constructor(private readonly create: (length: number) => T) {}

  static int32(): Column<Int32Array> {
    return new Column((length) => new Int32Array(length));
  }

  static uint32(): Column<Uint32Array> {
    return new Column((length) => new Uint32Array(length));
  }

  static float64(): Column<Float64Array> {
    return new Column((length) => new Float64Array(length));
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): number {
    const at = this.#length++;
    let chunk = this.#chunks[at >>> CHUNK_BITS];
    if (chunk === undefined) {
      chunk = this.create(CHUNK_LENGTH);
      this.#chunks.push(chunk);
    }
    chunk[at & CHUNK_MASK] = value;
    return at;
  }

  /** `at` must be below `length`. */
  get(at: number): number {
    return this.#chunks[at >>> CHUNK_BITS]?.[at & CHUNK_MASK] ?? 0;
  }

  /** All values in one array, which the column does not share. */
  toArray(): T {
    const all = this.create(this.#length);
    for (let at = 0; at < this.#length; at++) all[at] = this.get(at);
    return all;
  }
}

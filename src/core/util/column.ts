export const CHUNK_BITS = 15;
/** Numbers in a whole chunk. */
export const CHUNK_LENGTH = 1 << CHUNK_BITS;
export const CHUNK_MASK = CHUNK_LENGTH - 1;
/** What the first chunk begins with: most transcripts are short, and a table has many columns. */
const FIRST_LENGTH = 256;

type TypedArray = Int32Array | Uint32Array | Float64Array;

/**
 * A growable column of numbers. Past its first chunk, which doubles until it is whole, it grows by whole chunks, so that a
 * table of millions of rows never holds an old and a doubled copy of itself at the same time.
 */
export class Column<T extends TypedArray> {
  readonly #chunks: T[];
  #length: number;

  /** `chunks` hold `length` numbers, all but the last one whole. */
  constructor(
    private readonly create: (length: number) => T,
    chunks: T[] = [],
    length = 0,
  ) {
    this.#chunks = chunks;
    this.#length = length;
  }

  static int32(chunks?: Int32Array[], length?: number): Column<Int32Array> {
    return new Column((size) => new Int32Array(size), chunks, length);
  }

  static uint32(chunks?: Uint32Array[], length?: number): Column<Uint32Array> {
    return new Column((size) => new Uint32Array(size), chunks, length);
  }

  static float64(chunks?: Float64Array[], length?: number): Column<Float64Array> {
    return new Column((size) => new Float64Array(size), chunks, length);
  }

  get length(): number {
    return this.#length;
  }

  /**
   * The chunks, which change as the column grows. For hot loops over several columns: an access that is written out where
   * it happens is compiled for its one kind of array, `get` for all of them.
   */
  get chunks(): readonly T[] {
    return this.#chunks;
  }

  push(value: number): number {
    const at = this.#length++;
    const place = at & CHUNK_MASK;
    let chunk = this.#chunks[at >>> CHUNK_BITS];
    if (chunk === undefined || place >= chunk.length) chunk = this.#grow(at >>> CHUNK_BITS);
    chunk[place] = value;
    return at;
  }

  /** `at` must be below `length`. */
  set(at: number, value: number): void {
    const chunk = this.#chunks[at >>> CHUNK_BITS];
    if (chunk !== undefined) chunk[at & CHUNK_MASK] = value;
  }

  /** `at` must be below `length`. */
  get(at: number): number {
    return this.#chunks[at >>> CHUNK_BITS]?.[at & CHUNK_MASK] ?? 0;
  }

  #grow(index: number): T {
    const short = this.#chunks[index];
    const first = short === undefined ? FIRST_LENGTH : short.length * 2;
    const grown = this.create(index === 0 ? first : CHUNK_LENGTH);
    if (short !== undefined) grown.set(short);
    this.#chunks[index] = grown;
    return grown;
  }

  /** All values in one array, which the column does not share. */
  toArray(): T {
    const all = this.create(this.#length);
    for (let at = 0; at < this.#length; at++) all[at] = this.get(at);
    return all;
  }
}

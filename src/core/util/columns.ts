export const CHUNK_BITS = 15;
/** Numbers in a full chunk. */
export const CHUNK_LENGTH = 1 << CHUNK_BITS;
export const CHUNK_MASK = CHUNK_LENGTH - 1;
/** Initial size of the first chunk. Small, because most transcripts are short and a table has many columns. */
const FIRST_LENGTH = 256;

type TypedArray = Int32Array | Uint32Array | Float64Array;

/**
 * A growable column of numbers. The first chunk doubles until it is full; after that the column grows by full chunks, so that a
 * table of millions of rows never holds the original and a doubled copy of itself at the same time.
 */
export class Column<T extends TypedArray> {
  readonly #chunks: T[];
  #length: number;

  /** `chunks` hold `length` numbers; all but the last are full. */
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

  /** The numbers of one array, which the column shares. */
  static ofUint32(all: Uint32Array): Column<Uint32Array> {
    return Column.uint32(
      chunksOf(all.length, (from, to) => all.subarray(from, to)),
      all.length,
    );
  }

  /** Like `ofUint32`. */
  static ofInt32(all: Int32Array): Column<Int32Array> {
    return Column.int32(
      chunksOf(all.length, (from, to) => all.subarray(from, to)),
      all.length,
    );
  }

  get length(): number {
    return this.#length;
  }

  /**
   * The chunks, which change as the column grows. For hot loops over several columns: V8 compiles an inline access for its one
   * kind of array, but `get` for all of them.
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

  /** A copy of all values in one array. */
  toArray(): T {
    const all = this.create(this.#length);
    for (let at = 0; at < this.#length; at++) all[at] = this.get(at);
    return all;
  }
}

function chunksOf<T>(length: number, part: (from: number, to: number) => T): T[] {
  const chunks: T[] = [];
  for (let at = 0; at < length; at += CHUNK_LENGTH) chunks.push(part(at, at + CHUNK_LENGTH));
  return chunks;
}

/** A set of whole numbers below a bound, at one bit each, so that millions of rows fit; a `Set` would take 40 bytes per row. */
export class BitSet {
  #words: Uint32Array;

  /** Members are at least 0 and below `bound`. */
  constructor(bound: number) {
    this.#words = new Uint32Array((bound >>> 5) + 1);
  }

  copy(): BitSet {
    const copy = new BitSet(0);
    copy.#words = this.#words.slice();
    return copy;
  }

  /** Raises the bound. Does nothing if it is not higher. */
  extend(bound: number): void {
    const length = (bound >>> 5) + 1;
    if (length <= this.#words.length) return;
    const words = new Uint32Array(Math.max(length, this.#words.length * 2));
    words.set(this.#words);
    this.#words = words;
  }

  add(member: number): void {
    const at = member >>> 5;
    this.#words[at] = (this.#words[at] ?? 0) | (1 << (member & 31));
  }

  delete(member: number): void {
    const at = member >>> 5;
    this.#words[at] = (this.#words[at] ?? 0) & ~(1 << (member & 31));
  }

  has(member: number): boolean {
    return ((this.#words[member >>> 5] ?? 0) & (1 << (member & 31))) !== 0;
  }

  get isEmpty(): boolean {
    return this.#words.every((word) => word === 0);
  }

  /** Removes the members of `other`, which has the same bound. */
  deleteAll(other: BitSet): void {
    for (let at = 0; at < this.#words.length; at++) this.#words[at] = (this.#words[at] ?? 0) & ~(other.#words[at] ?? 0);
  }
}

/** Assigns numbers to distinct values, counting from 0. */
export class Numbering<Value> {
  readonly #values: Value[];
  readonly #numbers: Map<Value, number>;

  /** @param values  values that already have numbers, each once, in the order of their numbers */
  constructor(values: readonly Value[] = []) {
    this.#values = [...values];
    this.#numbers = new Map(values.map((value, number) => [value, number]));
  }

  /** In the order of their numbers. */
  get values(): readonly Value[] {
    return this.#values;
  }

  numberOf(value: Value): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#numbers.set(value, this.#values.length);
    return this.#values.push(value) - 1;
  }
}

const NO_ROWS: readonly number[] = [];

/** Lists of rows by key, at 8 bytes per entry and 4 per key. */
export class RowLists {
  readonly #last: Int32Array;
  readonly #row = Column.int32();
  /** The previous entry of the same list, or -1. */
  readonly #before = Column.int32();

  /** Keys are at least 0 and below `bound`. */
  constructor(bound: number) {
    this.#last = new Int32Array(bound).fill(-1);
  }

  /** Number of entries ever added. */
  get size(): number {
    return this.#row.length;
  }

  add(key: number, row: number): void {
    this.#before.push(this.#last[key] ?? -1);
    this.#last[key] = this.#row.push(row);
  }

  /** The rows of a key in the order in which they were added; the list is empty afterwards. */
  take(key: number): readonly number[] {
    if (this.#last[key] === -1) return NO_ROWS;
    const rows: number[] = [];
    for (let at = this.#last[key] ?? -1; at >= 0; at = this.#before.get(at)) rows.push(this.#row.get(at));
    this.#last[key] = -1;
    return rows.reverse();
  }
}

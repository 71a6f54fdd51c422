/** A set of whole numbers below a bound, at one bit each: millions of rows fit where a `Set` would take 40 bytes a row. */
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

  /** Members may be greater now: below `bound`. */
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

  /** `other` has the same bound. */
  deleteAll(other: BitSet): void {
    for (let at = 0; at < this.#words.length; at++) this.#words[at] = (this.#words[at] ?? 0) & ~(other.#words[at] ?? 0);
  }
}

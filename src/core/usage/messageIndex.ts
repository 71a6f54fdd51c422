import { CHUNK_BITS, CHUNK_MASK, type Column } from '../util/column';

/** Share of the slots that is filled before there are more. */
const MAX_LOAD = 0.6;
const FIRST_SLOTS = 4096;

/** Finds the first record of a message by its hash, whose two halves stand in columns. */
export class MessageIndex {
  readonly #low: Column<Uint32Array>;
  readonly #high: Column<Uint32Array>;
  /** Two numbers a slot: record + 1, or 0 when it is free, and the lower half of the hash, which saves looking it up. */
  #slots: Int32Array;
  #used = 0;

  constructor(low: Column<Uint32Array>, high: Column<Uint32Array>) {
    this.#low = low;
    this.#high = high;
    this.#slots = new Int32Array(FIRST_SLOTS * 2);
  }

  /** Makes room for so many messages at once. */
  reserve(messages: number): void {
    let slots = this.#slots.length / 2;
    while (messages > slots * MAX_LOAD) slots *= 2;
    if (slots * 2 > this.#slots.length) this.#resize(slots);
  }

  /** The first record of the message, which is `record` itself when there was none. */
  findOrAdd(record: number): number {
    if (this.#used * 2 >= this.#slots.length * MAX_LOAD) this.#resize(this.#slots.length);
    const at = this.#slotOf(record);
    const known = this.#slots[at] ?? 0;
    if (known !== 0) return known - 1;
    this.#fill(at, record);
    this.#used++;
    return record;
  }

  /** The first record of the message of `record`, which was added. */
  find(record: number): number {
    return (this.#slots[this.#slotOf(record)] ?? 0) - 1;
  }

  /** `record`, of the same message as the first one, takes its place. */
  replaceFirst(record: number): void {
    this.#fill(this.#slotOf(record), record);
  }

  /** Where the message of the record stands, or would stand. */
  #slotOf(record: number): number {
    const slots = this.#slots;
    const chunk = record >>> CHUNK_BITS;
    const place = record & CHUNK_MASK;
    const highs = this.#high.chunks;
    const low = (this.#low.chunks[chunk]?.[place] ?? 0) | 0;
    const high = highs[chunk]?.[place] ?? 0;
    const mask = slots.length - 1;
    let at = (spread(low, high) << 1) & mask;
    for (let known = (slots[at] ?? 0) - 1; known >= 0; known = (slots[at] ?? 0) - 1) {
      if (slots[at + 1] === low && highs[known >>> CHUNK_BITS]?.[known & CHUNK_MASK] === high) return at;
      at = (at + 2) & mask;
    }
    return at;
  }

  #fill(at: number, record: number): void {
    this.#slots[at] = record + 1;
    this.#slots[at + 1] = this.#low.get(record);
  }

  #resize(slots: number): void {
    const before = this.#slots;
    this.#slots = new Int32Array(slots * 2);
    for (let at = 0; at < before.length; at += 2) {
      const known = (before[at] ?? 0) - 1;
      if (known >= 0) this.#fill(this.#slotOf(known), known);
    }
  }
}

function spread(low: number, high: number): number {
  const mixed = Math.imul(low ^ (high >>> 7), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 16);
}

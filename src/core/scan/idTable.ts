import { Column } from '../util/column';

/** The id that stands for "no id". */
export const NO_ID = -1;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const FIRST_ODD = -2;

/** Share of the slots of a hash table that is filled before it grows. */
export const MAX_LOAD = 0.75;

/**
 * Gives each distinct row id a number. A canonical lower-case uuid is kept as 16 bytes and numbered 0, 1, 2 …; any
 * other string is kept as it is and numbered -2, -3 … Ids are compared exactly: an upper-case uuid is another id, as it
 * is for the client.
 */
export class IdTable {
  readonly #words = [Column.uint32(), Column.uint32(), Column.uint32(), Column.uint32()] as const;
  readonly #odd = new Map<string, number>();
  readonly #oddStrings: string[] = [];
  #slots = new Int32Array(1024).fill(NO_ID);

  /** Number of canonical uuids: ids 0 … uuidCount - 1. */
  get uuidCount(): number {
    return this.#words[0].length;
  }

  /** Number of other ids: ids -2 … -1 - oddCount. */
  get oddCount(): number {
    return this.#oddStrings.length;
  }

  intern(id: string): number {
    const words = parseUuid(id);
    if (words === null) return this.#internOdd(id);
    if (this.uuidCount >= this.#slots.length * MAX_LOAD) this.#grow();
    const slot = this.#find(words);
    const known = this.#slots[slot] ?? NO_ID;
    if (known !== NO_ID) return known;
    const added = this.#words[0].push(words[0]);
    this.#words[1].push(words[1]);
    this.#words[2].push(words[2]);
    this.#words[3].push(words[3]);
    this.#slots[slot] = added;
    return added;
  }

  has(id: string): boolean {
    const words = parseUuid(id);
    return words === null ? this.#odd.has(id) : this.#slots[this.#find(words)] !== NO_ID;
  }

  text(id: number): string | null {
    if (id === NO_ID) return null;
    if (id <= FIRST_ODD) return this.#oddStrings[FIRST_ODD - id] ?? null;
    const hex = this.#words.map((column) => column.get(id).toString(16).padStart(8, '0')).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  #internOdd(id: string): number {
    const known = this.#odd.get(id);
    if (known !== undefined) return known;
    const added = FIRST_ODD - this.#oddStrings.length;
    this.#odd.set(id, added);
    this.#oddStrings.push(id);
    return added;
  }

  #find(words: UuidWords): number {
    const mask = this.#slots.length - 1;
    let slot = hashWords(words[0], words[1], words[2], words[3]) & mask;
    for (;;) {
      const id = this.#slots[slot] ?? NO_ID;
      if (id === NO_ID) return slot;
      if (this.#words.every((column, at) => column.get(id) === words[at])) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    const grown = new Int32Array(this.#slots.length * 2).fill(NO_ID);
    const mask = grown.length - 1;
    const [a, b, c, d] = this.#words;
    for (let id = 0; id < this.uuidCount; id++) {
      let slot = hashWords(a.get(id), b.get(id), c.get(id), d.get(id)) & mask;
      while (grown[slot] !== NO_ID) slot = (slot + 1) & mask;
      grown[slot] = id;
    }
    this.#slots = grown;
  }
}

type UuidWords = readonly [number, number, number, number];

function parseUuid(id: string): UuidWords | null {
  if (id.length !== 36 || !UUID.test(id)) return null;
  return [
    parseInt(id.slice(0, 8), 16),
    parseInt(id.slice(9, 13) + id.slice(14, 18), 16),
    parseInt(id.slice(19, 23) + id.slice(24, 28), 16),
    parseInt(id.slice(28), 16),
  ];
}

function hashWords(a: number, b: number, c: number, d: number): number {
  let hash = Math.imul(a ^ (a >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ b ^ (hash >>> 12), 0x297a2d39);
  hash = Math.imul(hash ^ c ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ d ^ (hash >>> 12), 0x297a2d39);
  return hash ^ (hash >>> 15);
}

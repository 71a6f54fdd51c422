import { NON_STRING_ID } from '../providers/claude/format/chainRow';
import { Column } from '../util/columns';

/** The id that stands for "no id". */
export const NO_ID = -1;
/** Ids that are not canonical uuids count down from here. */
const FIRST_ODD = -2;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Fraction of a hash table's slots that may be filled before it grows. */
export const MAX_LOAD = 0.75;
const FIRST_SLOTS = 1024;

/**
 * Assigns a number to each distinct row id. A canonical lower-case uuid is stored as 16 bytes and numbered 0, 1, 2 …; any other
 * string is stored unchanged and numbered -2, -3 … Ids are compared exactly: like the client, it treats an upper-case uuid as a
 * different id.
 */
export class IdTable {
  /** Four numbers per id, the most significant first. */
  readonly #words: Column<Uint32Array>;
  readonly #odd: OddIds;
  /** Created at the first search, because a table that was filled elsewhere is seldom searched. */
  #slots: Int32Array | null = null;

  /** With arguments: a table of ids that already have numbers. */
  constructor(words = Column.uint32(), odd = new OddIds()) {
    this.#words = words;
    this.#odd = odd;
  }

  /** Number of canonical uuids: ids 0 … uuidCount - 1. */
  get uuidCount(): number {
    return this.#words.length >>> 2;
  }

  /** Number of other ids: ids -2 … -1 - oddCount. */
  get oddCount(): number {
    return this.#odd.count;
  }

  /** A number that no id has, until the next one is interned. */
  get unusedId(): number {
    return FIRST_ODD - this.#odd.count;
  }

  intern(id: string): number {
    const words = parseUuid(id);
    if (words === null) return this.#odd.intern(id);
    const slots = this.#slotsFor(this.uuidCount + 1);
    const slot = this.#find(slots, words);
    const known = slots[slot] ?? NO_ID;
    if (known !== NO_ID) return known;
    const added = this.uuidCount;
    for (const word of words) this.#words.push(word);
    slots[slot] = added;
    return added;
  }

  has(id: string): boolean {
    const words = parseUuid(id);
    if (words === null) return this.#odd.has(id);
    const slots = this.#slotsFor(this.uuidCount);
    return slots[this.#find(slots, words)] !== NO_ID;
  }

  text(id: number): string | null {
    if (id === NO_ID) return null;
    if (id < NO_ID) return this.#odd.text(id);
    return uuidText(this.#word(id, 0), this.#word(id, 1), this.#word(id, 2), this.#word(id, 3));
  }

  /** Whether the id is a string in the file. */
  isString(id: number): boolean {
    return id >= 0 || (id < NO_ID && this.#odd.isString(id));
  }

  #word(id: number, word: number): number {
    return this.#words.get(id * 4 + word);
  }

  #find(slots: Int32Array, [a, b, c, d]: UuidWords): number {
    const mask = slots.length - 1;
    let slot = hashWords(a, b, c, d) & mask;
    for (;;) {
      const id = slots[slot] ?? NO_ID;
      if (id === NO_ID) return slot;
      const isSame = this.#word(id, 0) === a && this.#word(id, 1) === b && this.#word(id, 2) === c;
      if (isSame && this.#word(id, 3) === d) return slot;
      slot = (slot + 1) & mask;
    }
  }

  /** Slots for `count` ids, with all known ids entered. */
  #slotsFor(count: number): Int32Array {
    let slots = this.#slots;
    if (slots !== null && count <= slots.length * MAX_LOAD) return slots;
    let length = slots?.length ?? FIRST_SLOTS;
    while (count > length * MAX_LOAD) length *= 2;
    slots = new Int32Array(length).fill(NO_ID);
    const mask = length - 1;
    for (let id = 0; id < this.uuidCount; id++) {
      let slot = hashWords(this.#word(id, 0), this.#word(id, 1), this.#word(id, 2), this.#word(id, 3)) & mask;
      while (slots[slot] !== NO_ID) slot = (slot + 1) & mask;
      slots[slot] = id;
    }
    this.#slots = slots;
    return slots;
  }
}

/** The four numbers of a uuid, the most significant first. */
export type UuidWords = readonly [number, number, number, number];

/** Null for any string that is not a canonical lower-case uuid. */
export function parseUuid(id: string): UuidWords | null {
  if (id.length !== 36 || !UUID.test(id)) return null;
  return [
    parseInt(id.slice(0, 8), 16),
    parseInt(id.slice(9, 13) + id.slice(14, 18), 16),
    parseInt(id.slice(19, 23) + id.slice(24, 28), 16),
    parseInt(id.slice(28), 16),
  ];
}

const UUID_BYTES = Buffer.alloc(16);

/** The uuid of four numbers, the most significant first. */
function uuidText(a: number, b: number, c: number, d: number): string {
  UUID_BYTES.writeUInt32BE(a, 0);
  UUID_BYTES.writeUInt32BE(b, 4);
  UUID_BYTES.writeUInt32BE(c, 8);
  UUID_BYTES.writeUInt32BE(d, 12);
  const hex = UUID_BYTES.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function hashWords(a: number, b: number, c: number, d: number): number {
  let hash = Math.imul(a ^ (a >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ b ^ (hash >>> 12), 0x297a2d39);
  hash = Math.imul(hash ^ c ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ d ^ (hash >>> 12), 0x297a2d39);
  return hash ^ (hash >>> 15);
}

/** Row ids that are not canonical uuids, numbered -2, -3 … */
export class OddIds {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];

  get count(): number {
    return this.#texts.length;
  }

  intern(id: string): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    const added = FIRST_ODD - this.#texts.length;
    this.#numbers.set(id, added);
    this.#texts.push(id);
    return added;
  }

  has(id: string): boolean {
    return this.#numbers.has(id);
  }

  isString(id: number): boolean {
    return this.#texts[FIRST_ODD - id]?.startsWith(NON_STRING_ID) === false;
  }

  text(id: number): string | null {
    const text = this.#texts[FIRST_ODD - id] ?? null;
    return text?.startsWith(NON_STRING_ID) === true ? text.slice(NON_STRING_ID.length) : text;
  }
}

/** A 64-bit hash of a message id or tool-call id, as two 32-bit numbers. */
export interface KeyHash {
  readonly low: number;
  readonly high: number;
}

/** Hashes four characters at a time. wasm/assembly/keys.ts implements the same hash for ASCII ids, which every client writes. */
export function keyHash(key: string): KeyHash {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let at = 0; at < key.length; at += 4) {
    const word = wordAt(key, at);
    low = Math.imul(low ^ word, 0x01000193);
    low ^= low >>> 15;
    high = Math.imul(high ^ (word + at), 0x5bd1e995);
    high ^= high >>> 13;
  }
  return { low: (low ^ key.length) >>> 0, high: high >>> 0 };
}

/** Four characters as one number: the four bytes if they are ASCII, otherwise a mix. */
function wordAt(key: string, at: number): number {
  let word = 0;
  for (let index = Math.min(key.length, at + 4) - 1; index >= at; index--) {
    const unit = key.charCodeAt(index);
    word = unit < 0x80 ? (word << 8) | unit : Math.imul(word ^ unit, 0x2c1b3c6d);
  }
  return word;
}

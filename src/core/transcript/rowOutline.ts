import { type JsonObject, parseObject } from '../util/json';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const LETTER_U = 0x75;

/** Bytes of a string that are kept: far more than any text that a fact about a row depends on. */
const KEPT_OF_STRING = 64 * 1024;
/** A row of which more must be kept, because it is long without a long string, remains unknown. */
const MAX_OUTLINE_BYTES = 64 * 1024 * 1024;
const FIRST_BYTES = 256 * 1024;

const ESCAPED = tableOf('"\\/bfnrtu');
const HEX = tableOf('0123456789abcdefABCDEF');
/** Bytes of a string that need no look at their neighbours. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);

const HASH_START = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;

/**
 * A row that is too long to be held. `row`: the row with its long strings shortened. `torn`: the line is not one JSON object.
 * `unknown`: only holding the row could tell.
 */
export type OutlinedRow =
  | {
      readonly kind: 'row';
      readonly object: JsonObject;
      /** The text of the object. */
      readonly bytes: Buffer;
      /** The offset in the row of an offset in `bytes`, outside the strings that were shortened. */
      readonly offsetOf: (at: number) => number;
    }
  | { readonly kind: 'torn' | 'unknown' };

interface Shortening {
  /** Offset in the outline of the first byte after the shortened text. */
  readonly end: number;
  /** How many bytes the row is longer up to here. */
  readonly shift: number;
}

/**
 * Reads a row of any length in bounded memory: everything except the ends of its long strings is kept. A hash takes their place,
 * so that different rows have different outlines. The strings are checked as JSON.parse checks them, and JSON.parse checks the rest.
 */
export class RowOutline {
  #kind: 'open' | 'torn' | 'unknown' = 'open';
  #kept = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;
  #isFirst = true;
  #isInString = false;
  #stringBytes = 0;
  #isEscaped = false;
  #hexLeft = 0;
  #isShortening = false;
  #shortenedBytes = 0;
  #hash = HASH_START;
  readonly #shortenings: Shortening[] = [];

  /** The next bytes of the row. They are needed only during the call. */
  push(bytes: Uint8Array): void {
    if (this.#isFirst && bytes.length > 0) {
      this.#isFirst = false;
      // Padding before the row: whether the client sees it depends on more than its outline.
      if (bytes[0] !== OPEN_BRACE) this.#giveUp('unknown');
    }
    let from = 0;
    for (let at = 0; at < bytes.length && this.#kind === 'open';) {
      if (!this.#isInString) {
        const quote = bytes.indexOf(QUOTE, at);
        if (quote < 0) break;
        this.#isInString = true;
        this.#stringBytes = 0;
        at = quote + 1;
      } else if (!this.#isShortening && this.#mayShorten(bytes[at] ?? 0)) {
        this.#keep(bytes, from, at);
        this.#isShortening = true;
        this.#shortenedBytes = 0;
        this.#hash = HASH_START;
      } else {
        at = this.#readString(bytes, at);
        if (this.#endShortening()) from = at - 1;
      }
    }
    if (this.#kind === 'open' && !this.#isShortening) this.#keep(bytes, from, bytes.length);
  }

  /** Call it after the last byte of the row. */
  end(): OutlinedRow {
    if (this.#kind !== 'open') return { kind: this.#kind };
    const bytes = this.#kept.subarray(0, this.#length);
    const object = this.#isInString ? null : parseObject(bytes.toString('utf8'));
    if (object === null) return { kind: 'torn' };
    const shortenings = this.#shortenings;
    return {
      kind: 'row',
      object,
      bytes,
      offsetOf: (at) => at + (shortenings.findLast(({ end }) => end <= at)?.shift ?? 0),
    };
  }

  /** No character and no escape sequence is divided. */
  #mayShorten(byte: number): boolean {
    return this.#stringBytes >= KEPT_OF_STRING && !this.#isEscaped && this.#hexLeft === 0 && (byte & 0xc0) !== 0x80;
  }

  /**
   * Reads on in a string up to its closing quote, or to where it is long enough to be shortened. Returns the offset of the first
   * byte that was not read.
   */
  #readString(bytes: Uint8Array, from: number): number {
    const end = this.#isShortening
      ? bytes.length
      : Math.min(bytes.length, from + Math.max(KEPT_OF_STRING - this.#stringBytes, 1));
    let hash = this.#hash;
    let at = from;
    while (at < end) {
      const byte = bytes[at] ?? 0;
      if (this.#hexLeft > 0) {
        if (HEX[byte] === 0) return this.#giveUp('torn');
        this.#hexLeft--;
      } else if (this.#isEscaped) {
        if (ESCAPED[byte] === 0) return this.#giveUp('torn');
        this.#isEscaped = false;
        if (byte === LETTER_U) this.#hexLeft = 4;
      } else if (PLAIN[byte] === 0) {
        if (byte === QUOTE) {
          this.#isInString = false;
          break;
        }
        if (byte !== BACKSLASH) return this.#giveUp('torn');
        this.#isEscaped = true;
      } else {
        // Nearly all bytes of a long string.
        while (at < end && PLAIN[bytes[at] ?? 0] === 1) hash = Math.imul(hash ^ (bytes[at++] ?? 0), HASH_FACTOR);
        continue;
      }
      hash = Math.imul(hash ^ byte, HASH_FACTOR);
      at++;
    }
    this.#hash = hash;
    this.#stringBytes += at - from;
    if (this.#isShortening) this.#shortenedBytes += at - from;
    return this.#isInString ? at : at + 1;
  }

  /** False if no string that is shortened has ended. */
  #endShortening(): boolean {
    if (this.#isInString || !this.#isShortening) return false;
    this.#isShortening = false;
    const mark = Buffer.from(`…${(this.#hash >>> 0).toString(16)}`);
    this.#keep(mark, 0, mark.length);
    const shift = (this.#shortenings.at(-1)?.shift ?? 0) + this.#shortenedBytes - mark.length;
    this.#shortenings.push({ end: this.#length, shift });
    return true;
  }

  #keep(bytes: Uint8Array, from: number, to: number): void {
    const length = this.#length + to - from;
    if (length > MAX_OUTLINE_BYTES) {
      this.#giveUp('unknown');
      return;
    }
    if (length > this.#kept.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, 2 * this.#kept.length));
      this.#kept.copy(grown, 0, 0, this.#length);
      this.#kept = grown;
    }
    this.#kept.set(bytes.subarray(from, to), this.#length);
    this.#length = length;
  }

  /** Returns an offset behind all bytes. */
  #giveUp(kind: 'torn' | 'unknown'): number {
    this.#kind = kind;
    this.#kept = Buffer.alloc(0);
    this.#length = 0;
    return Infinity;
  }
}

function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) table[byte] = 1;
  return table;
}

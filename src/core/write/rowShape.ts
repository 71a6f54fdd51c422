/** Fields of a row whose values a repair may change. */
export const REPAIRED_FIELDS: readonly string[] = ['parentUuid', 'uuid', 'sourceToolAssistantUUID'];

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;

/** Longer names are not kept: no repaired field has one. */
const MAX_NAME_BYTES = Math.max(...REPAIRED_FIELDS.map((name) => name.length)) + 1;

type Place = 'name' | 'colon' | 'value' | 'behind';

/**
 * Where in a row the next byte stands, as far as an undo must know. Bounded memory for rows of any length. Takes torn
 * rows and text that is no JSON as it comes: a line feed always starts afresh.
 */
export class RowShape {
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** Within the row's own object: what is awaited or being read. */
  #place: Place = 'name';
  #name = '';

  /** Between rows. */
  get isOutside(): boolean {
    return this.#depth === 0;
  }

  /** In the value of a field that a repair may change, or just before it. */
  get isInRepairedValue(): boolean {
    return this.#depth === 1 && this.#place === 'value' && REPAIRED_FIELDS.includes(this.#name);
  }

  get isInString(): boolean {
    return this.#inString;
  }

  get isEscaped(): boolean {
    return this.#isEscaped;
  }

  /** The value was stepped over. */
  endValue(): void {
    this.#inString = false;
    this.#isEscaped = false;
    this.#place = 'behind';
  }

  reset(): void {
    this.#depth = 0;
    this.#inString = false;
    this.#isEscaped = false;
    this.#place = 'name';
    this.#name = '';
  }

  feed(bytes: Buffer): void {
    // What precedes the last line feed leaves no trace.
    const newline = bytes.lastIndexOf(NEWLINE);
    if (newline >= 0) this.reset();
    for (let at = newline + 1; at < bytes.length; at++) this.#step(bytes[at] ?? 0);
  }

  #step(byte: number): void {
    if (this.#depth === 0) {
      if (byte !== OPEN_BRACE && byte !== OPEN_BRACKET) return;
      this.#depth = 1;
      this.#place = 'name';
    } else if (this.#inString) this.#stepInString(byte);
    else if (byte === QUOTE) {
      this.#inString = true;
      if (this.#depth === 1 && this.#place === 'name') this.#name = '';
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      this.#depth--;
      if (this.#depth === 0) this.reset();
      else if (this.#depth === 1) this.#place = 'behind';
    } else if (this.#depth === 1) {
      if (byte === COLON && this.#place === 'colon') this.#place = 'value';
      else if (byte === COMMA) this.#place = 'name';
    }
  }

  #stepInString(byte: number): void {
    const isEnd = byte === QUOTE && !this.#isEscaped;
    this.#isEscaped = byte === BACKSLASH && !this.#isEscaped;
    if (isEnd) this.#inString = false;
    if (this.#depth > 1) return;
    if (isEnd) this.#place = this.#place === 'name' ? 'colon' : 'behind';
    else if (this.#place === 'name' && this.#name.length < MAX_NAME_BYTES) this.#name += String.fromCharCode(byte);
  }
}

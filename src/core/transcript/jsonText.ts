const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const LETTER_U = 0x75;

/** What may come next. */
type Wanted = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd';

const ESCAPED: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrtu'));
const SCALAR_BYTES: ReadonlySet<number> = new Set(Buffer.from('+-.0123456789Eaeflnrstu'));
const SCALAR = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const HEX = /^[0-9a-fA-F]{4}$/;

/** The state of a value after a line: it goes on, or it is not JSON. If it ended, `read` returns where. */
export const OPEN = -1;
export const BROKEN = -2;

/** Follows one JSON object or array over several lines, by the grammar of JSON.parse. Keeps none of its bytes. */
export class JsonText {
  /** The closing bytes of the objects and arrays that are open, outermost first. */
  readonly #closers: number[] = [];
  #wanted: Wanted = 'value';

  /** Reads the next line, without its newline. Returns the offset after the last byte of the value, `OPEN` or `BROKEN`. */
  read(line: Buffer, from = 0): number {
    let at = from;
    while (at < line.length) {
      const byte = line[at] ?? 0;
      if (byte === 0x20 || byte === 0x09 || byte === 0x0d) {
        at++;
        continue;
      }
      at = this.#token(line, at, byte);
      if (at < 0) return BROKEN;
      if (this.#closers.length === 0) return at;
    }
    return OPEN;
  }

  /** Returns the offset after the token, or `BROKEN`. */
  #token(line: Buffer, at: number, byte: number): number {
    switch (this.#wanted) {
      case 'commaOrEnd':
        if (byte !== COMMA) return this.#close(byte, at);
        this.#wanted = this.#isInObject() ? 'key' : 'value';
        return at + 1;
      case 'colon':
        this.#wanted = 'value';
        return byte === COLON ? at + 1 : BROKEN;
      case 'key':
      case 'keyOrEnd':
        if (byte !== QUOTE) return this.#wanted === 'key' ? BROKEN : this.#close(byte, at);
        this.#wanted = 'colon';
        return stringEnd(line, at);
      case 'valueOrEnd':
        return byte === CLOSE_BRACKET ? this.#close(byte, at) : this.#value(line, at, byte);
      case 'value':
        return this.#value(line, at, byte);
    }
  }

  #value(line: Buffer, at: number, byte: number): number {
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      this.#closers.push(byte === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET);
      this.#wanted = byte === OPEN_BRACE ? 'keyOrEnd' : 'valueOrEnd';
      return at + 1;
    }
    if (this.#closers.length === 0) return BROKEN;
    this.#wanted = 'commaOrEnd';
    if (byte === QUOTE) return stringEnd(line, at);
    let end = at;
    while (SCALAR_BYTES.has(line[end] ?? 0)) end++;
    return SCALAR.test(line.toString('latin1', at, end)) ? end : BROKEN;
  }

  #close(byte: number, at: number): number {
    if (this.#closers.pop() !== byte) return BROKEN;
    this.#wanted = 'commaOrEnd';
    return at + 1;
  }

  #isInObject(): boolean {
    return this.#closers.at(-1) === CLOSE_BRACE;
  }
}

/** `from` is the offset of the opening quote. Returns the offset after the closing one, or `BROKEN`: no string spans lines. */
function stringEnd(line: Buffer, from: number): number {
  for (let at = from + 1; at < line.length; at++) {
    const byte = line[at] ?? 0;
    if (byte === QUOTE) return at + 1;
    if (byte < 0x20) return BROKEN;
    if (byte !== BACKSLASH) continue;
    const escaped = line[++at] ?? 0;
    if (!ESCAPED.has(escaped)) return BROKEN;
    if (escaped !== LETTER_U) continue;
    if (!HEX.test(line.toString('latin1', at + 1, at + 5))) return BROKEN;
    at += 4;
  }
  return BROKEN;
}

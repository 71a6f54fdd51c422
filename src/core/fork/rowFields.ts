const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;

/** Where a field of a row stands, in bytes from the row's brace. */
export interface RowField {
  readonly keyStart: number;
  readonly start: number;
  readonly end: number;
}

export interface RowFields {
  /** By name; of a name that stands twice the last counts, as it does for JSON.parse. */
  readonly fields: ReadonlyMap<string, RowField>;
  /** Offset of the closing brace; what follows on the line is not the row's. */
  readonly close: number;
}

/**
 * Finds the wanted top-level fields of the JSON object that the bytes begin with, in one pass whatever its length. Null when
 * the object is not closed. Knows strings and brackets, not grammar: for objects that were parsed before.
 */
export function rowFields(bytes: Buffer, wanted: ReadonlySet<string>): RowFields | null {
  const fields = new Map<string, RowField>();
  let at = skipSpaces(bytes, 1);
  for (;;) {
    if (bytes[at] === CLOSE_BRACE) return { fields, close: at };
    if (bytes[at] !== QUOTE) return null;
    const keyStart = at;
    const keyEnd = stringEnd(bytes, at);
    at = skipSpaces(bytes, keyEnd);
    if (bytes[at] !== COLON) return null;
    const start = skipSpaces(bytes, at + 1);
    const end = valueEnd(bytes, start);
    const name = nameOf(bytes, keyStart + 1, keyEnd - 1);
    if (wanted.has(name)) fields.set(name, { keyStart, start, end });
    at = skipSpaces(bytes, end);
    if (bytes[at] === COMMA) at = skipSpaces(bytes, at + 1);
  }
}

function nameOf(bytes: Buffer, from: number, to: number): string {
  const name = bytes.toString('utf8', from, to);
  // SAFETY: a JSON string is a string.
  return name.includes('\\') ? (JSON.parse(`"${name}"`) as string) : name;
}

function skipSpaces(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0a || bytes[at] === 0x0d) at++;
  return at;
}

/** `from` is at the opening quote; the end is behind the closing one, or behind the bytes. */
function stringEnd(bytes: Buffer, from: number): number {
  for (let at = from + 1; ;) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return bytes.length;
    let slashes = 0;
    while (bytes[quote - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function valueEnd(bytes: Buffer, from: number): number {
  let depth = 0;
  let at = from;
  while (at < bytes.length) {
    switch (bytes[at]) {
      case QUOTE:
        at = stringEnd(bytes, at);
        if (depth === 0) return at;
        continue;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth++;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (depth === 0) return at;
        if (--depth === 0) return at + 1;
        break;
      case COMMA:
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
        if (depth === 0) return at;
        break;
      default:
    }
    at++;
  }
  return at;
}

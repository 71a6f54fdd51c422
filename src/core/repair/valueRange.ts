const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPENERS: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSERS: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Where in the bytes of one valid JSON object the value of a top-level key stands. Of a key that stands twice, the last
 * counts, as it does for JSON.parse. Null when the object does not have the key.
 */
export function valueRange(bytes: Buffer, key: string): ByteRange | null {
  let found: ByteRange | null = null;
  let at = skipSpaces(bytes, 0) + 1;
  for (;;) {
    at = skipSpaces(bytes, at);
    if (bytes[at] === COMMA) at = skipSpaces(bytes, at + 1);
    if (bytes[at] !== QUOTE) return found;
    const keyEnd = stringEnd(bytes, at);
    const name: unknown = JSON.parse(bytes.toString('utf8', at, keyEnd));
    at = skipSpaces(bytes, keyEnd);
    if (bytes[at] !== COLON) return found;
    const start = skipSpaces(bytes, at + 1);
    const end = valueEnd(bytes, start);
    if (name === key) found = { start, end };
    at = end;
  }
}

function skipSpaces(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && SPACES.has(bytes[at] ?? 0)) at++;
  return at;
}

/** `from` is at the opening quote; the end is behind the closing one. */
function stringEnd(bytes: Buffer, from: number): number {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

function valueEnd(bytes: Buffer, from: number): number {
  let depth = 0;
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      at = stringEnd(bytes, at);
      if (depth === 0) return at;
      continue;
    }
    if (depth === 0 && (byte === COMMA || CLOSERS.has(byte) || SPACES.has(byte))) return at;
    if (OPENERS.has(byte)) depth++;
    if (CLOSERS.has(byte) && --depth === 0) return at + 1;
    at++;
  }
  return at;
}

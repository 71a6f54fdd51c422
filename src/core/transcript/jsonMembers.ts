const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const OPENERS: ReadonlySet<number> = new Set([OPEN_OBJECT, 0x5b]);
const CLOSERS: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Offsets of the first byte and of the first byte after the last. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A key with its value, or an element of a list. */
export interface JsonMember extends ByteRange {
  /** Null for an element of a list. */
  readonly key: string | null;
  readonly value: ByteRange;
}

/**
 * Where the members of an object, or the elements of a list, are in bytes that are valid JSON; `at` is the offset of its bracket, or of
 * white space before it. Empty for any other value. Nothing is decoded but the keys, and the depth of the values does not matter.
 */
export function membersOf(bytes: Buffer, at = 0): readonly JsonMember[] {
  const open = skipSpaces(bytes, at);
  if (!OPENERS.has(bytes[open] ?? 0)) return [];
  const isObject = bytes[open] === OPEN_OBJECT;
  const members: JsonMember[] = [];
  let next = open + 1;
  for (;;) {
    const start = skipSpaces(bytes, skipComma(bytes, next));
    if (start >= bytes.length || CLOSERS.has(bytes[start] ?? 0)) return members;
    const named = isObject ? keyAt(bytes, start) : { key: null, end: start };
    if (named === null) return members;
    const from = skipSpaces(bytes, named.end);
    const value = { start: from, end: valueEnd(bytes, from) };
    members.push({ key: named.key, start, end: value.end, value });
    next = value.end;
  }
}

/**
 * The byte range of a key's value in the valid JSON object that starts at `at`. If a key occurs twice, the last one counts, as in
 * JSON.parse. Null if the object does not have the key.
 */
export function valueRange(bytes: Buffer, key: string, at = 0): ByteRange | null {
  return membersOf(bytes, at).findLast((member) => member.key === key)?.value ?? null;
}

/** `end` is behind the colon. */
function keyAt(bytes: Buffer, at: number): { readonly key: string; readonly end: number } | null {
  if (bytes[at] !== QUOTE) return null;
  const end = stringEnd(bytes, at);
  const colon = skipSpaces(bytes, end);
  if (bytes[colon] !== COLON) return null;
  const key: unknown = JSON.parse(bytes.toString('utf8', at, end));
  return { key: String(key), end: colon + 1 };
}

function skipComma(bytes: Buffer, from: number): number {
  const at = skipSpaces(bytes, from);
  return bytes[at] === COMMA ? at + 1 : at;
}

function skipSpaces(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && SPACES.has(bytes[at] ?? 0)) at++;
  return at;
}

/** `from` is the offset of the opening quote; the result is the offset after the closing quote. */
function stringEnd(bytes: Buffer, from: number): number {
  for (let quote = bytes.indexOf(QUOTE, from + 1); quote >= 0; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let before = quote - 1;
    while (bytes[before] === BACKSLASH) before--;
    const isEscaped = (quote - 1 - before) % 2 === 1;
    if (!isEscaped) return quote + 1;
  }
  return bytes.length + 1;
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

// Checks JSON exactly as JSON.parse does, byte by byte, up to the newline that ends the row. A newline stops every loop, because
// it is a control character in a string and does not count as white space outside. Every function takes the address of what it
// reads and returns the address after it, or 0 if the row is not plain: JSON.parse then decides.

/** Rows with deeper nesting are left to JSON.parse. */
const MAX_DEPTH: u32 = 500;

export const QUOTE: u32 = 0x22;
export const BACKSLASH: u32 = 0x5c;
export const OPEN_BRACE: u32 = 0x7b;
export const CLOSE_BRACE: u32 = 0x7d;
export const OPEN_BRACKET: u32 = 0x5b;
export const CLOSE_BRACKET: u32 = 0x5d;
export const COLON: u32 = 0x3a;
export const COMMA: u32 = 0x2c;
export const NEWLINE: u32 = 0x0a;

/** Whether a string that was skipped since this was last set to false contains a backslash. */
export let sawBackslash: bool = false;

export function forgetBackslash(): void {
  sawBackslash = false;
}

export function skipSpace(at: usize): usize {
  return load<u8>(at) > 32 ? at : skipSpaces(at);
}

function skipSpaces(at: usize): usize {
  let byte = load<u8>(at);
  while (byte == 0x20 || byte == 0x09 || byte == 0x0d) byte = load<u8>(++at);
  return at;
}

/** The colon after a key and the white space around it. */
export function skipColon(at: usize): usize {
  at = skipSpace(at);
  return load<u8>(at) == COLON ? skipSpace(at + 1) : 0;
}

/** Skips a string, starting after its opening quote. */
export function skipString(at: usize): usize {
  let stops = stopsAt(at);
  // Most strings, such as names, ids and times, end within 48 bytes.
  if (stops == 0) {
    at += 16;
    stops = stopsAt(at);
    if (stops == 0) {
      at += 16;
      stops = stopsAt(at);
      if (stops == 0) return skipLongString(at + 16);
    }
  }
  const stop = at + <usize>ctz(stops);
  const byte = load<u8>(stop);
  if (byte == QUOTE) return stop + 1;
  return byte == BACKSLASH ? skipLongString(at) : 0;
}

/** One bit for each of 16 bytes, set for a quote, a backslash or a control character. */
function stopsAt(at: usize): i32 {
  const bytes = v128.load(at);
  return i8x16.bitmask(v128.or(isStop(bytes), is(bytes, BACKSLASH)));
}

/** Skips 64 bytes at a time; finds all escaped quotes of a block at once. */
function skipLongString(at: usize): usize {
  // Set if the last byte of the previous block was a backslash that escapes the first byte of this block.
  let carry: u64 = 0;
  const ODD: u64 = 0xaaaaaaaaaaaaaaaa;
  while (true) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);
    const backslashes = mask(is(a, BACKSLASH), is(b, BACKSLASH), is(c, BACKSLASH), is(d, BACKSLASH));
    const stops = mask(isStop(a), isStop(b), isStop(c), isStop(d));
    if ((backslashes | carry) == 0) {
      if (stops != 0) return behindQuote(at + <usize>ctz(stops));
      at += 64;
      continue;
    }
    // In a run of backslashes, every second one, counted from its start, is escaped by the one before it.
    const starts = backslashes & ~carry;
    const follows = starts << 1;
    const runs = ((follows | ODD) - starts) ^ ODD;
    const escaped = runs ^ (backslashes | carry);
    const usual = mask(isUsualEscape(a), isUsualEscape(b), isUsualEscape(c), isUsualEscape(d));
    const controls = stops & ~usual;
    const ends = (stops & ~escaped) | controls;
    // The bytes before the end of the string; all 64 if the end is not in this block.
    const inside = (ends & (0 - ends)) - 1;
    if (((backslashes | carry) & inside) != 0) sawBackslash = true;
    carry = (runs & backslashes) >> 63;
    const unusual = escaped & ~usual & inside;
    if (unusual != 0 && !areEscapes(at, unusual)) return 0;
    if (ends != 0) return behindQuote(at + <usize>ctz(ends));
    at += 64;
  }
}

function behindQuote(at: usize): usize {
  return load<u8>(at) == QUOTE ? at + 1 : 0;
}

/** The bytes in the mask follow a backslash: whether JSON allows each of them there. */
function areEscapes(at: usize, positions: u64): bool {
  for (; positions != 0; positions &= positions - 1) {
    const escape = at + <usize>ctz(positions);
    switch (load<u8>(escape)) {
      case 0x62: // b
      case 0x72: // r
        break;
      case 0x75: // u
        for (let digit: usize = 1; digit <= 4; digit++) if (!isHexDigit(load<u8>(escape + digit))) return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

function isHexDigit(byte: u32): bool {
  return byte - 0x30 < 10 || (byte | 0x20) - 0x61 < 6;
}

/** Any value. */
export function skipValue(at: usize, depth: u32 = 0): usize {
  const byte = <u32>load<u8>(at);
  if (byte == QUOTE) return skipString(at + 1);
  if (byte == OPEN_BRACE) return skipObject(at, depth + 1);
  if (byte == OPEN_BRACKET) return skipArray(at, depth + 1);
  return skipScalar(at, byte);
}

export function skipObject(at: usize, depth: u32): usize {
  if (depth > MAX_DEPTH) return 0;
  at = skipSpace(at + 1);
  if (load<u8>(at) == CLOSE_BRACE) return at + 1;
  while (true) {
    if (load<u8>(at) != QUOTE) return 0;
    at = skipString(at + 1);
    if (at == 0) return 0;
    at = skipColon(at);
    if (at == 0) return 0;
    at = load<u8>(at) == QUOTE ? skipString(at + 1) : skipValue(at, depth);
    if (at == 0) return 0;
    at = skipSpace(at);
    const byte = <u32>load<u8>(at);
    if (byte != COMMA) return byte == CLOSE_BRACE ? at + 1 : 0;
    at = skipSpace(at + 1);
  }
}

export function skipArray(at: usize, depth: u32): usize {
  if (depth > MAX_DEPTH) return 0;
  at = skipSpace(at + 1);
  if (load<u8>(at) == CLOSE_BRACKET) return at + 1;
  while (true) {
    at = load<u8>(at) == QUOTE ? skipString(at + 1) : skipValue(at, depth);
    if (at == 0) return 0;
    at = skipSpace(at);
    const byte = <u32>load<u8>(at);
    if (byte != COMMA) return byte == CLOSE_BRACKET ? at + 1 : 0;
    at = skipSpace(at + 1);
  }
}

/** true, false, null or a number. */
function skipScalar(at: usize, byte: u32): usize {
  const word = load<u32>(at);
  if (word == 0x6c6c756e) return at + 4; // null
  if (word == 0x65757274) return at + 4; // true
  if (word == 0x736c6166 && load<u8>(at, 4) == 0x65) return at + 5; // false
  return skipNumber(at, byte);
}

function skipNumber(at: usize, byte: u32): usize {
  if (byte == 0x2d) byte = <u32>load<u8>(++at);
  if (byte == 0x30) at++;
  else {
    at = skipDigits(at);
    if (at == 0) return 0;
  }
  if (load<u8>(at) == 0x2e) {
    at = skipDigits(at + 1);
    if (at == 0) return 0;
  }
  if ((load<u8>(at) | 0x20) == 0x65) {
    const sign = load<u8>(at, 1);
    at = skipDigits(at + (sign == 0x2b || sign == 0x2d ? 2 : 1));
  }
  return at;
}

/** Skips one or more digits. */
function skipDigits(at: usize): usize {
  if (!isDigit(load<u8>(at))) return 0;
  do at++;
  while (isDigit(load<u8>(at)));
  return at;
}

export function isDigit(byte: u32): bool {
  return byte - 0x30 < 10;
}

export function isTrue(at: usize): bool {
  return load<u32>(at) == 0x65757274;
}

/** Whether the value is null or false. */
export function isNothing(at: usize): bool {
  return isNull(at) || load<u32>(at) == 0x736c6166;
}

export function isNull(at: usize): bool {
  return load<u32>(at) == 0x6c6c756e;
}

function is(bytes: v128, byte: u32): v128 {
  return i8x16.eq(bytes, i8x16.splat(<i8>byte));
}

/** A quote or a control character: both are at most 0x20 if bit 1 is flipped, and no other character is. */
function isStop(bytes: v128): v128 {
  return i8x16.le_u(v128.xor(bytes, i8x16.splat(2)), i8x16.splat(0x20));
}

/** The last characters of all escapes except \b, \r and \u; no two of them have the same low four bits. */
function isUsualEscape(bytes: v128): v128 {
  //                              "           t     f                    \           n     /
  const byLowBits = i8x16(1, 0, 0x22, 0, 0x74, 0, 0x66, 0, 0, 0, 0, 0, 0x5c, 0, 0x6e, 0x2f);
  return i8x16.eq(i8x16.swizzle(byLowBits, v128.and(bytes, i8x16.splat(0x0f))), bytes);
}

function mask(a: v128, b: v128, c: v128, d: v128): u64 {
  return (
    (<u64>(<u32>i8x16.bitmask(a))) |
    ((<u64>(<u32>i8x16.bitmask(b))) << 16) |
    ((<u64>(<u32>i8x16.bitmask(c))) << 32) |
    ((<u64>(<u32>i8x16.bitmask(d))) << 48)
  );
}

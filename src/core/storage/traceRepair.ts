import { ByteCursor, CHUNK_BYTES, type FileRange } from './fileBytes';

const NUL = 0x00;
const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;
const ENDS: readonly number[] = [QUOTE, CLOSE_BRACE, CLOSE_BRACKET];
/** NUL, tab, vertical tab, form feed, carriage return, space. */
const PADDING = [NUL, 0x09, 0x0b, 0x0c, 0x0d, 0x20];
const BOM = Buffer.from('\uFEFF');

/** How a transcript differs from its backup. */
export type RepairTrace =
  | {
      readonly kind: 'repaired';
      /** Offset in the transcript of the rows that were appended since the repair. */
      readonly tailStart: number;
      /** The transcript is the backup with rows appended, so there is nothing to undo. */
      readonly isUnchanged: boolean;
    }
  | { readonly kind: 'unexplained' };

/**
 * Proves that `current` is `backup` as a repair changes it, with bytes appended. Compares both side by side in bounded
 * memory. Every byte of `current` before the tail is a byte of the backup, belongs to the value of a repaired field of
 * the same row, or is a line feed that separates a row from what was on the same line; so restoring the backup loses none.
 * Only padding of the backup (NULs, byte order marks, white space around rows) may be missing.
 */
export async function traceRepair(
  backup: FileRange,
  current: FileRange,
  chunkBytes = CHUNK_BYTES,
): Promise<RepairTrace> {
  const before = new ByteCursor(backup, chunkBytes);
  const after = new ByteCursor(current, chunkBytes);
  const shape = new RowShape();
  let isUnchanged = true;
  for (;;) {
    await stepOverEqualBytes(before, after, shape);
    if (before.isAtEnd) return { kind: 'repaired', tailStart: after.position, isUnchanged };
    isUnchanged = false;
    if (!(await stepOverRepair(before, after, shape))) return { kind: 'unexplained' };
  }
}

/** Stops at the first difference, or at the end of either file. */
async function stepOverEqualBytes(before: ByteCursor, after: ByteCursor, shape: RowShape): Promise<void> {
  for (;;) {
    await before.fill();
    await after.fill();
    const count = Math.min(before.window.length, after.window.length);
    const left = before.window.subarray(0, count);
    const equal = left.equals(after.window.subarray(0, count)) ? count : firstDifference(left, after.window);
    shape.feed(left.subarray(0, equal));
    before.advance(equal);
    after.advance(equal);
    if (count === 0 || equal < count) return;
  }
}

function firstDifference(left: Buffer, right: Buffer): number {
  let at = 0;
  while (left[at] === right[at]) at++;
  return at;
}

/** Steps over one change that a repair makes; false if the difference is not such a change. */
async function stepOverRepair(before: ByteCursor, after: ByteCursor, shape: RowShape): Promise<boolean> {
  await before.fill(BOM.length);
  await after.fill(2);
  const next = before.window[0];
  const isCut = after.window[0] === NEWLINE;
  if (shape.isInRepairedValue && next !== NUL && !isCut) {
    const { isInString, isEscaped } = shape;
    shape.endValue();
    // A repair writes an id or null, whatever was there.
    const isScalar = isInString || (after.window[0] !== OPEN_BRACE && after.window[0] !== OPEN_BRACKET);
    return (
      isScalar &&
      (await stepOverValue(before, isInString, isEscaped)) &&
      (await stepOverValue(after, isInString, isEscaped))
    );
  }
  // A NUL is padding even inside a torn row, because JSON contains none.
  const mayBePadded = next === NUL || shape.isOutside || isCut;
  const padding = mayBePadded ? paddingLength(before.window, after.window[0]) : 0;
  const behind = before.window[padding];
  // What is behind a row on its line, and is no row, keeps its padding.
  const isKept = isCut && shape.isOutside && after.window[1] === next && behind !== undefined && behind !== NEWLINE;
  if (padding > 0 && !isKept) {
    before.advance(padding);
    return true;
  }
  // The next row was on the same line as this one, which may be whole or torn, or anything else was behind a whole one.
  if (isCut && next !== undefined && (next === OPEN_BRACE || shape.isOutside)) {
    after.advance(1);
    shape.reset();
    return true;
  }
  return false;
}

/** Length of the padding that is missing in the repaired file, whose next byte is `next`. */
function paddingLength(bytes: Buffer, next: number | undefined): number {
  let length = 0;
  while (bytes[length] !== next && PADDING.includes(bytes[length] ?? -1)) length++;
  return length === 0 && bytes.subarray(0, BOM.length).equals(BOM) ? BOM.length : length;
}

/**
 * Steps to the end of a value, from its start or from inside it if it is a string, number or literal. False if it has no end on
 * the line.
 */
async function stepOverValue(cursor: ByteCursor, isInString: boolean, isEscaped: boolean): Promise<boolean> {
  let inString = isInString;
  let escaped = isEscaped;
  /** Objects and lists around the next byte. */
  let depth = 0;
  for (;;) {
    await cursor.fill();
    const byte = cursor.window[0];
    if (byte === undefined || byte === NEWLINE) return false;
    if (inString) {
      inString = byte !== QUOTE || escaped;
      escaped = byte === BACKSLASH && !escaped;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (depth > 0) depth -= byte === CLOSE_BRACE || byte === CLOSE_BRACKET ? 1 : 0;
    else if (!isLiteral(byte) && byte !== 0x20) return true;
    cursor.advance(1);
    // A string, an object or a list ends with its own last byte; everything else before the next.
    if (!inString && depth === 0 && ENDS.includes(byte)) return true;
  }
}

/** Bytes of numbers, `true`, `false` and `null`. */
function isLiteral(byte: number): boolean {
  return /[\w+\-.]/.test(String.fromCharCode(byte));
}

/** Fields of a row whose values a repair may change. */
export const REPAIRED_FIELDS: readonly string[] = ['parentUuid', 'uuid', 'sourceToolAssistantUUID'];
const COMMA = 0x2c;
const COLON = 0x3a;

/** Longer names are not stored, because no repaired field has one. */
const MAX_NAME_BYTES = Math.max(...REPAIRED_FIELDS.map((name) => name.length)) + 1;

type Place = 'name' | 'colon' | 'value' | 'behind';

/**
 * The position of the next byte within a row, in the detail that an undo needs. Bounded memory for rows of any length.
 * Accepts torn rows and text that is not JSON: a line feed always starts over.
 */
class RowShape {
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** Within the row's own object: what is expected or being read. */
  #place: Place = 'name';
  #name = '';

  /** Between rows. */
  get isOutside(): boolean {
    return this.#depth === 0;
  }

  /** In the value of a field that a repair may change, or directly before it. */
  get isInRepairedValue(): boolean {
    return this.#depth === 1 && this.#place === 'value' && REPAIRED_FIELDS.includes(this.#name);
  }

  get isInString(): boolean {
    return this.#inString;
  }

  get isEscaped(): boolean {
    return this.#isEscaped;
  }

  /** Call it after stepping over the value. */
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
    // Bytes before the last line feed do not affect the state.
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

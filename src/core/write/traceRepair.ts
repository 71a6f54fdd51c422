import { ByteCursor, type FileRange } from './byteCursor';
import { CHUNK_BYTES } from './fileBytes';
import { RowShape } from './rowShape';

const NUL = 0x00;
const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
/** NUL, tab, vertical tab, form feed, carriage return, space. */
const PADDING = [NUL, 0x09, 0x0b, 0x0c, 0x0d, 0x20];
const BOM = Buffer.from('\uFEFF');

/** How a transcript came from its backup. */
export type RepairTrace =
  | {
      readonly kind: 'repaired';
      /** Where in the transcript the rows begin that were appended since the repair. */
      readonly tailStart: number;
      /** The transcript is the backup with rows appended: there is nothing to undo. */
      readonly isUnchanged: boolean;
    }
  | { readonly kind: 'unexplained' };

/**
 * Proves that `current` is `backup` as a repair changes it, with bytes appended. Walks both side by side in bounded
 * memory. Every byte of `current` before the tail is a byte of the backup, belongs to the value of a repaired field of
 * the same row, or is the line feed that parts a row from the one it was glued to; so restoring the backup loses none.
 * Of the backup only padding (NULs, byte order marks, white space around rows) may be missing.
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

/** Stops at the first difference, or where one of the files ends. */
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

/** Steps over one thing that a repair changes; false when the difference is none of these. */
async function stepOverRepair(before: ByteCursor, after: ByteCursor, shape: RowShape): Promise<boolean> {
  await before.fill(BOM.length);
  const next = before.window[0];
  const isCut = after.window[0] === NEWLINE;
  if (shape.isInRepairedValue && next !== NUL && !isCut) {
    const { isInString, isEscaped } = shape;
    shape.endValue();
    return (
      (await stepOverScalar(before, isInString, isEscaped)) && (await stepOverScalar(after, isInString, isEscaped))
    );
  }
  // A NUL is padding even inside a torn row: JSON has none.
  const padding = next === NUL || shape.isOutside || isCut ? paddingLength(before.window, after.window[0]) : 0;
  if (padding > 0) {
    before.advance(padding);
    return true;
  }
  // The row that follows was glued to this one, whole or torn.
  if (isCut && next === OPEN_BRACE) {
    after.advance(1);
    shape.reset();
    return true;
  }
  return false;
}

/** Length of the padding that the repaired file, which goes on with `next`, lacks. */
function paddingLength(bytes: Buffer, next: number | undefined): number {
  let length = 0;
  while (bytes[length] !== next && PADDING.includes(bytes[length] ?? -1)) length++;
  return length === 0 && bytes.subarray(0, BOM.length).equals(BOM) ? BOM.length : length;
}

/** Steps to the end of a string, number or literal, from its start or from within. False when it has no end. */
async function stepOverScalar(cursor: ByteCursor, isInString: boolean, isEscaped: boolean): Promise<boolean> {
  let inString = isInString;
  let escaped = isEscaped;
  for (;;) {
    await cursor.fill();
    const byte = cursor.window[0];
    if (byte === undefined || byte === NEWLINE) return false;
    if (inString) {
      cursor.advance(1);
      if (byte === QUOTE && !escaped) return true;
      escaped = byte === BACKSLASH && !escaped;
    } else if (byte === QUOTE) {
      cursor.advance(1);
      inString = true;
    } else if (isLiteral(byte) || byte === 0x20) cursor.advance(1);
    else return byte !== OPEN_BRACE && byte !== OPEN_BRACKET;
  }
}

/** Bytes of numbers, `true`, `false` and `null`. */
function isLiteral(byte: number): boolean {
  return /[\w+\-.]/.test(String.fromCharCode(byte));
}

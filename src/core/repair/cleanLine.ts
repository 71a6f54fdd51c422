import type { Splice } from '../storage/splice';
import type { DissectedLine } from '../transcript/dissectLine';

const NEWLINE = Buffer.from('\n');
const NOTHING = Buffer.alloc(0);
const NUL = 0;

export interface CleanedLine {
  /** Offsets are those of the line. */
  readonly splices: readonly Splice[];
  /** What stood there, in words, for the list of edits. */
  readonly from: string;
  readonly to: string;
}

/**
 * Puts the bytes around the rows of a line right: NULs and byte order marks go, and each row gets a line of its own. A
 * rest that is no row keeps its bytes.
 */
export function cleanLine(bytes: Buffer, line: DissectedLine): CleanedLine {
  const splices: Splice[] = [];
  let at = 0;
  let lines = 0;
  for (const { start, end } of line.objects) {
    splices.push(...cleanGap(bytes, at, start, lines > 0));
    if (hasRest(bytes, at, start)) lines++;
    lines++;
    at = end;
  }
  if (hasRest(bytes, at, bytes.length)) {
    if (lines > 0) splices.push({ offset: at, length: 0, bytes: NEWLINE });
    lines++;
  } else splices.push(...stripPadding(bytes, at, bytes.length));
  const dropped = splices.reduce((sum, splice) => sum + splice.length, 0);
  const words = [
    ...(lines > 1 ? [`${lines} pieces on one line`] : []),
    ...(dropped > 0
      ? [`${dropped} ${line.hasBom && dropped <= 3 ? 'bytes of a byte order mark' : 'stray bytes'}`]
      : []),
  ];
  return { splices, from: words.join(', '), to: lines > 1 ? `${lines} lines` : '' };
}

/** What stands between two rows, or before the first. */
function cleanGap(bytes: Buffer, from: number, to: number, isBehindRow: boolean): Splice[] {
  if (!hasRest(bytes, from, to)) {
    if (isBehindRow) return [{ offset: from, length: to - from, bytes: NEWLINE }];
    return stripPadding(bytes, from, to);
  }
  const before: Splice[] = isBehindRow ? [{ offset: from, length: 0, bytes: NEWLINE }] : [];
  return [...before, { offset: to, length: 0, bytes: NEWLINE }];
}

/** Takes out NULs and byte order marks, keeps white space. */
function stripPadding(bytes: Buffer, from: number, to: number): Splice[] {
  const splices: Splice[] = [];
  let at = from;
  while (at < to) {
    const length = strayLength(bytes, at);
    const last = splices.at(-1);
    if (length > 0 && last !== undefined && last.offset + last.length === at) {
      splices[splices.length - 1] = { ...last, length: last.length + length };
    } else if (length > 0) splices.push({ offset: at, length, bytes: NOTHING });
    at += Math.max(length, 1);
  }
  return splices;
}

function hasRest(bytes: Buffer, from: number, to: number): boolean {
  let at = from;
  while (at < to) {
    const length = strayLength(bytes, at);
    if (length === 0 && !isSpace(bytes[at] ?? 0)) return true;
    at += Math.max(length, 1);
  }
  return false;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** Length of the NUL or byte order mark at this place; 0 when there is none. */
function strayLength(bytes: Buffer, at: number): number {
  if (bytes[at] === NUL) return 1;
  return bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf ? 3 : 0;
}

import { type MessageWeight, readMessageWeight } from '../providers/claude/format/contextFacts';
import { type JsonObject, parseObject } from '../util/json';
import { dissectLine } from './dissectLine';
import { type ByteRange, membersOf, valueRange } from './jsonMembers';
import { BROKEN, JsonText, OPEN } from './jsonText';
import type { RowTable } from './rowTable';

/**
 * Longest part of a file, from the first uncounted row on, in which rows are weighed: more than any model's context takes
 * in. Rows beyond it weigh nothing.
 */
export const MAX_WEIGHED_BYTES = 8 * 1024 * 1024;
const NEWLINE = 10;
const OPEN_BRACKET = 0x5b;
const NO_ROW = -1;
/** As the types of such blocks are written. */
const MEDIA_TYPES = ['"image"', '"document"'];
/** Nearly all of a row that is longer is an image, and often the same image once more for the client to show. */
const LONG_ROW_BYTES = 64 * 1024;
const NOTHING: MessageWeight = { characters: 0, media: 0 };

/** What the rows of a transcript weigh that are after `RowTable.counted`, which no count of tokens covers. */
export interface UncountedRows {
  /** Nothing for a row that is not one of them, or is not among the first `MAX_WEIGHED_BYTES`. Parses the row. */
  weightOf(row: number): MessageWeight;
  /** Whether the row may hold an image or a document. False for a row that weighs nothing. Only searches its bytes. */
  mayHoldMedia(row: number): boolean;
}

interface Piece {
  readonly offset: number;
  readonly bytes: Buffer;
  /** The end of the last line is missing. */
  readonly isCut: boolean;
}

/** The row that `RowTable.counted` returns, and its offset in the file. */
export interface CountedRow {
  readonly row: number;
  readonly offset: number;
}

/**
 * Keeps the bytes of the uncounted rows while a file is scanned, so that they can be weighed if that ever matters. A scanner
 * adds whole lines in file order, after it has stored their rows.
 */
export class UncountedBytes {
  #pieces: Piece[] = [];
  #counted = NO_ROW;
  /** Offset of the first byte that is kept. */
  #start = 0;
  /** What was found out of rows, by offset: all of them are asked about again after each row that is appended. */
  readonly #weights = new Map<number, MessageWeight>();
  readonly #media = new Map<number, boolean>();

  /**
   * `lines` begins at `offset` and is copied as far as it is needed. `counted` is null if no row is. It may be on earlier lines, if
   * those could be read only now.
   */
  add(lines: Buffer, offset: number, counted: CountedRow | null): void {
    if (counted !== null && counted.row !== this.#counted) {
      this.#counted = counted.row;
      this.#weights.clear();
      this.#media.clear();
      // Another list, because the earlier facts hold this one.
      this.#pieces = this.#pieces.flatMap((piece) => partAfter(piece, counted.offset));
      const after = lineEnd(lines, offset, counted.offset);
      this.#start = Math.min(this.#pieces[0]?.offset ?? after, after);
    }
    const from = Math.max(offset, this.#start);
    const end = Math.min(offset + lines.length, this.#start + MAX_WEIGHED_BYTES);
    if (from >= end) return;
    const isCut = end < offset + lines.length;
    this.#pieces.push({ offset: from, bytes: Buffer.from(lines.subarray(from - offset, end - offset)), isCut });
  }

  /** The rows of the bytes that were added so far. */
  rows(table: RowTable): UncountedRows {
    const [pieces, { counted, count }] = [this.#pieces, table];
    // Lines that are appended may belong to the last row.
    const isWhole = (row: number): boolean => row < count - 1;
    return {
      weightOf: (row) => {
        if (row <= counted) return NOTHING;
        const offset = table.offset(row);
        return remembered(this.#weights, offset, isWhole(row), () => weigh(pieces, offset));
      },
      mayHoldMedia: (row) => {
        if (row <= counted) return false;
        const [from, to] = [table.offset(row), table.offsetAfter(row, Infinity)];
        return remembered(this.#media, from, isWhole(row), () => mayHoldMedia(pieces, from, to));
      },
    };
  }
}

/**
 * The rows of a file with `end` bytes, each of which is read when it is weighed. At most `MAX_WEIGHED_BYTES` follow the counted
 * row.
 *
 * @param read returns the bytes of the file from one offset to another
 */
export function uncountedInFile(
  table: RowTable,
  end: number,
  read: (from: number, to: number) => Buffer,
): UncountedRows {
  const pieces = new Map<number, Piece>();
  const pieceOf = (row: number): Piece => {
    const offset = table.offset(row);
    const piece = pieces.get(row) ?? { offset, bytes: read(offset, table.offsetAfter(row, end)), isCut: false };
    pieces.set(row, piece);
    return piece;
  };
  return {
    weightOf(row) {
      if (row <= table.counted) return NOTHING;
      const piece = pieceOf(row);
      return weigh([piece], piece.offset);
    },
    mayHoldMedia: (row) => row > table.counted && namesMedia(pieceOf(row).bytes),
  };
}

function remembered<T>(known: Map<number, T>, offset: number, isFinal: boolean, find: () => T): T {
  const found = known.get(offset) ?? find();
  if (isFinal) known.set(offset, found);
  return found;
}

function mayHoldMedia(pieces: readonly Piece[], from: number, to: number): boolean {
  return pieces.some(({ offset, bytes }) => {
    if (offset >= to || offset + bytes.length <= from) return false;
    return namesMedia(bytes.subarray(Math.max(from - offset, 0), Math.max(to - offset, 0)));
  });
}

function namesMedia(bytes: Buffer): boolean {
  return MEDIA_TYPES.some((type) => bytes.includes(type));
}

/** The lines of a piece after the one with the byte at `at`, if there are any. */
function partAfter({ offset, bytes, isCut }: Piece, at: number): Piece[] {
  const from = lineEnd(bytes, offset, at);
  return from < offset + bytes.length ? [{ offset: from, bytes: bytes.subarray(from - offset), isCut }] : [];
}

/** Offset of the line after the one with the byte at `at`; that of the first line if the byte is before it. */
function lineEnd(lines: Buffer, offset: number, at: number): number {
  if (at < offset) return offset;
  const newline = lines.indexOf(NEWLINE, at - offset);
  return offset + (newline < 0 ? lines.length : newline + 1);
}

function weigh(pieces: readonly Piece[], at: number): MessageWeight {
  const piece = pieces.findLast(({ offset }) => offset <= at);
  if (piece === undefined) return NOTHING;
  const from = at - piece.offset;
  const newline = piece.bytes.indexOf(NEWLINE, from);
  if (newline < 0 && piece.isCut) return NOTHING;
  const bytes = piece.bytes.subarray(from, newline < 0 ? piece.bytes.length : newline);
  const row =
    (bytes.length > LONG_ROW_BYTES ? weighedPart(bytes) : null) ??
    parseObject(bytes.toString('utf8')) ??
    dissectLine(bytes, false).objects[0]?.object ??
    spreadRow(pieces, at);
  return row === null ? NOTHING : readMessageWeight(row);
}

/** The content of a row's message without the data of its images, which all weigh the same. Null if it cannot be told apart. */
function weighedPart(bytes: Buffer): JsonObject | null {
  const message = valueRange(bytes, 'message');
  const content = message === null ? null : valueRange(bytes, 'content', message.start);
  return content === null ? null : parseObject(`{"message":{"content":${withoutImages(bytes, content)}}}`);
}

/** `isInner`: the content is that of a result, in which the API allows no other results. */
function withoutImages(bytes: Buffer, content: ByteRange, isInner = false): string {
  const blocks = bytes[content.start] === OPEN_BRACKET ? membersOf(bytes, content.start) : [];
  if (blocks.length === 0) return textOf(bytes, content);
  const texts = blocks.map(({ value }) => {
    const type = valueRange(bytes, 'type', value.start);
    const name = type === null ? null : textOf(bytes, type);
    const inner = name === '"tool_result"' && !isInner ? valueRange(bytes, 'content', value.start) : null;
    if (inner !== null) return `{"type":"tool_result","content":${withoutImages(bytes, inner, true)}}`;
    return name === '"image"' ? '{"type":"image"}' : textOf(bytes, value);
  });
  return `[${texts.join()}]`;
}

function textOf(bytes: Buffer, { start, end }: ByteRange): string {
  return bytes.toString('utf8', start, end);
}

/** The row of several lines that begins at `at`. Whether newlines are between the pieces makes no difference: no token spans lines. */
function spreadRow(pieces: readonly Piece[], at: number): JsonObject | null {
  const text = new JsonText();
  const lines: Buffer[] = [];
  for (const { offset, bytes } of pieces) {
    for (let from = Math.max(at - offset, 0); from < bytes.length;) {
      const newline = bytes.indexOf(NEWLINE, from);
      const line = bytes.subarray(from, newline < 0 ? bytes.length : newline);
      const end = text.read(line);
      if (end === BROKEN) return null;
      if (end !== OPEN) return parseObject(Buffer.concat([...lines, line.subarray(0, end)]).toString('utf8'));
      lines.push(line);
      from += line.length + 1;
    }
  }
  return null;
}

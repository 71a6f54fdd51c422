import { createHash } from 'node:crypto';
import type { RepairEdit } from '../../protocol/repair';
import { isChainOrNamedRow } from '../providers/claude/format/chainRow';
import type { Splice } from '../storage/splice';
import { type DissectedLine, dissectLine, type LineObject } from '../transcript/dissectLine';
import { valueRange } from '../transcript/jsonMembers';
import { LineSplitter } from '../transcript/lineSplitter';
import { RowSource } from '../transcript/rowSource';
import type { TranscriptIndex } from '../transcript/transcriptIndex';
import { rowAtLine } from '../transcript/transcriptRows';
import { openRegularHandle } from '../util/openForeignFile';
import { type DraftEdit, type LineEdit, type LinkEdit, NO_PARENT, type UuidEdit } from './repairDraft';

const CHUNK_BYTES = 256 * 1024;

const NEWLINE = Buffer.from('\n');
const NOTHING = Buffer.alloc(0);
/** NUL, vertical tab and form feed. */
const STRAY_BYTES = [0x00, 0x0b, 0x0c];
/** Space, tab, line feed and carriage return. */
const JSON_SPACES = [0x20, 0x09, 0x0a, 0x0d];

export interface LocatedEdits {
  /** In file order. */
  readonly edits: readonly RepairEdit[];
  readonly splices: readonly Splice[];
}

/** Reads the lines that a draft edits once more and turns the edits into bytes. */
export async function locateEdits(
  filePath: string,
  index: TranscriptIndex,
  draftEdits: readonly DraftEdit[],
): Promise<LocatedEdits> {
  const byLine = new Map<number, DraftEdit[]>();
  for (const edit of draftEdits) {
    const line = edit.kind === 'line' ? edit.line : index.rows.line(edit.row);
    byLine.set(line, [...(byLine.get(line) ?? []), edit]);
  }
  const names = nameRows(index, draftEdits);
  const edits: RepairEdit[] = [];
  const splices: Splice[] = [];
  const spread = new Set(Array.from(index.lineFaults.ofKind('spread'), ({ line }) => line));
  await eachLine(filePath, index.fileSize, (lineText, lineStart, line) => {
    const here = byLine.get(line);
    if (here === undefined) return;
    const row = spread.has(line) ? spreadRow(filePath, index, line) : null;
    const { bytes, offsetOf, start } = row ?? { ...lineText, start: lineStart };
    const located = new LineLocator(index, names, bytes, line).locate(here);
    edits.push(...located.edits);
    for (const splice of located.splices) splices.push({ ...splice, offset: offsetOf(splice.offset) + start });
  });
  return { edits, splices };
}

/** The text in which a line's edits are looked for: the line, or the outline of a long row. */
interface LineText {
  readonly bytes: Buffer;
  /** The offset in the line of an offset in `bytes`. */
  readonly offsetOf: (at: number) => number;
}

const asItIs = (at: number): number => at;

/** The row of several lines that begins on a line. */
function spreadRow(filePath: string, index: TranscriptIndex, line: number): (LineText & { start: number }) | null {
  const source = RowSource.open(filePath, index.fileSize);
  try {
    const start = index.rows.offset(rowAtLine(index.rows, line));
    const bytes = source.valueAt(start);
    return bytes === null ? null : { bytes, start, offsetOf: asItIs };
  } finally {
    source.close();
  }
}

/** The uuid of each row after the repair. */
type RowNames = (row: number) => string | null;

function nameRows(index: TranscriptIndex, edits: readonly DraftEdit[]): RowNames {
  const fresh = new Map<number, string>();
  for (const edit of edits) {
    if (edit.kind !== 'uuid') continue;
    const uuid = index.ids.text(index.rows.uuid(edit.row)) ?? '';
    let attempt = 0;
    let name = freshUuid(uuid, index.rows.line(edit.row), attempt);
    while (index.ids.has(name) || [...fresh.values()].includes(name)) {
      name = freshUuid(uuid, index.rows.line(edit.row), ++attempt);
    }
    fresh.set(edit.row, name);
  }
  return (row) => (row === NO_PARENT ? null : (fresh.get(row) ?? index.ids.text(index.rows.uuid(row))));
}

class LineLocator {
  readonly #dissected;
  readonly #rows: readonly LineObject[];

  constructor(
    private readonly index: TranscriptIndex,
    private readonly names: RowNames,
    private readonly bytes: Buffer,
    private readonly line: number,
  ) {
    this.#dissected = dissectLine(bytes, line === 1);
    this.#rows = this.#dissected.objects.filter((entry) => isChainOrNamedRow(entry.object));
  }

  locate(edits: readonly DraftEdit[]): LocatedEdits {
    const located: RepairEdit[] = [];
    const splices: Splice[] = [];
    for (const edit of edits) {
      const found = edit.kind === 'line' ? this.#locateLine(edit) : this.#locateValue(edit);
      located.push(found.edit);
      splices.push(...found.splices);
    }
    return { edits: located, splices: splices.sort((a, b) => a.offset - b.offset) };
  }

  #locateLine(edit: LineEdit): { edit: RepairEdit; splices: readonly Splice[] } {
    const { splices, from, to, lines } = cleanLine(this.bytes, this.#dissected);
    const left = lines > 1 ? { linesLeft: lines } : {};
    return { edit: { line: this.line, uuid: null, field: 'line', from, to, ...left, why: edit.why }, splices };
  }

  #locateValue(edit: LinkEdit | UuidEdit): { edit: RepairEdit; splices: readonly Splice[] } {
    const { index, line, names } = this;
    let ordinal = 0;
    while (ordinal < edit.row && index.rows.line(edit.row - ordinal - 1) === line) ordinal++;
    const entry = this.#rows[ordinal];
    if (entry === undefined) throw new Error(`Failed to locate an edit: line ${line} has fewer rows than were scanned`);
    const field = edit.kind === 'uuid' ? 'uuid' : edit.field;
    const to = names(edit.kind === 'uuid' ? edit.row : edit.to);
    const range = valueRange(this.bytes.subarray(entry.start, entry.end), field);
    if (range === null) throw new Error(`Failed to locate an edit: the row of line ${line} has no ${field}`);
    const splice: Splice = {
      offset: entry.start + range.start,
      length: range.end - range.start,
      bytes: Buffer.from(JSON.stringify(to)),
    };
    const uuid = index.ids.text(index.rows.uuid(edit.row));
    return { edit: { line, uuid, field, from: entry.object[field], to, why: edit.why }, splices: [splice] };
  }
}

async function eachLine(
  filePath: string,
  size: number,
  visit: (text: LineText, start: number, line: number) => void,
): Promise<void> {
  let line = 0;
  const splitter = new LineSplitter({
    line(bytes, start) {
      visit({ bytes, offsetOf: asItIs }, start, ++line);
    },
    longLine({ row }, start) {
      line++;
      if (row.kind === 'row') visit(row, start, line);
    },
  });
  const { file } = await openRegularHandle(filePath);
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let at = 0; at < size;) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(CHUNK_BYTES, size - at), at);
      if (bytesRead === 0) break;
      splitter.push(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
    splitter.end();
  } finally {
    await file.close();
  }
}

/**
 * A uuid for a row that shares its own with another. It is derived from the uuid and the row's line (RFC 9562, version 5
 * layout), so that the repair that was shown is the repair that is applied.
 */
export function freshUuid(uuid: string, line: number, attempt: number): string {
  const digest = createHash('sha1').update(`rethread ${uuid} ${line} ${attempt}`).digest();
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = digest.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

interface CleanedLine {
  /** Offsets are relative to the line. */
  readonly splices: readonly Splice[];
  /** Describes what was there before, for the list of edits. */
  readonly from: string;
  readonly to: string;
  /** How many lines are left. */
  readonly lines: number;
}

/**
 * Cleans the bytes around the rows of a line: NULs, vertical tabs, form feeds and byte order marks are removed, and each row gets a line of its own.
 * A remainder that is not a row keeps its bytes.
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
  return { splices, from: words.join(', '), to: lines > 1 ? `${lines} lines` : '', lines };
}

/** Cleans the bytes between two rows, or before the first. */
function cleanGap(bytes: Buffer, from: number, to: number, isBehindRow: boolean): Splice[] {
  if (!hasRest(bytes, from, to)) {
    if (isBehindRow) return [{ offset: from, length: to - from, bytes: NEWLINE }];
    return stripPadding(bytes, from, to);
  }
  const before: Splice[] = isBehindRow ? [{ offset: from, length: 0, bytes: NEWLINE }] : [];
  return [...before, { offset: to, length: 0, bytes: NEWLINE }];
}

/** Removes stray bytes, and keeps what JSON takes for white space. */
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

/** As JSON knows it: the client does not read a row beside any other. */
function isSpace(byte: number): boolean {
  return JSON_SPACES.includes(byte);
}

/** Length of the NUL, vertical tab, form feed or byte order mark at this offset; 0 if there is none. An undo knows these. */
function strayLength(bytes: Buffer, at: number): number {
  if (STRAY_BYTES.includes(bytes[at] ?? -1)) return 1;
  return bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf ? 3 : 0;
}

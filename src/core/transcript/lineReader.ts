import { sameMessageText } from '../providers/claude/format/sameMessage';
import { parseObject, stringField } from '../util/json';
import { type DissectedLine, dissectLine, holdsRow, type LineObject } from './dissectLine';
import { BROKEN, JsonText, OPEN } from './jsonText';
import type { LongLine } from './lineSplitter';
import type { RowCollector } from './rowCollector';
import type { ScannerOptions } from './scanner';
import type { LineFaultKind, TranscriptNotes } from './transcriptIndex';

const BRACE = 0x7b;
const BRACKET = 0x5b;
const NEWLINE = Buffer.from('\n');

/** The position of one line. */
export interface LinePlace {
  /** 1-based. */
  readonly line: number;
  /** Bytes from the start of the file to the line. */
  readonly offset: number;
  readonly hasNewline: boolean;
}

/** What the hashes of rows are of, if they are computed at all; otherwise all of them are 0. See `ScannerOptions`. */
export type HashedPart = 'nothing' | 'bytes' | 'messages';

export function hashedPart({ withHashes = true, withMessageHashes = false }: ScannerOptions): HashedPart {
  if (!withHashes) return 'nothing';
  return withMessageHashes ? 'messages' : 'bytes';
}

/** Receives what a line contains. */
export interface LineTarget {
  readonly collector: RowCollector;
  readonly notes: TranscriptNotes;
  readonly hashed: HashedPart;
}

/** A line whose value is not complete, and the lines after it. */
interface HeldLine {
  readonly bytes: Buffer;
  readonly place: LinePlace;
}

/** What stands on a line beside an object. */
type Company = Pick<DissectedLine, 'isRow' | 'hasRest'>;

const ALONE: Company = { isRow: true, hasRest: false };
const NOT_ALONE: Company = { isRow: false, hasRest: false };

interface DissectedPlace extends HeldLine {
  readonly dissected: DissectedLine;
}

/**
 * Limit of the bytes that are read once more because a value of several lines turned out not to be JSON. Only a file made for
 * this purpose reaches it; afterwards, each line is read by itself.
 */
const MAX_BYTES_AGAIN = 8 * 1024 * 1024;
/** A longer line is reported: nobody can tell whether a client reads it, and V8's longest string has 512 MiB. */
const MAX_READ_BYTES = 256 * 1024 * 1024;
const NO_LINES: readonly HeldLine[] = [];
const BOM_BYTES = Buffer.from('\uFEFF');

/**
 * Reads any line with JSON.parse: its objects go to the collector, its faults to the notes. In files up to 5 MiB, a value may
 * span lines, as for the client. (docs/format.md, "Rows of several lines")
 */
export class LineReader {
  readonly #target: LineTarget;
  /** Each line is read by itself. */
  readonly #isByLine: boolean;
  #held: HeldLine[] = [];
  #text: JsonText | null = null;
  #bytesAgain = 0;
  /** If each line is read by itself: the value that the last line began or went on with. */
  #unread: { readonly text: JsonText; readonly isRow: boolean; readonly line: number } | null = null;

  constructor(target: LineTarget, isByLine: boolean) {
    this.#target = target;
    this.#isByLine = isByLine;
  }

  /** Number of lines that were given but not read yet, because they belong to a value that is not complete. */
  get heldLines(): number {
    return this.#held.length;
  }

  /** Offset of the first of these lines; null if there are none. */
  get heldFrom(): number | null {
    return this.#held[0]?.place.offset ?? null;
  }

  /** `bytes` are needed only during the call. */
  read(bytes: Buffer, place: LinePlace): void {
    const again = this.#take({ bytes, place });
    if (again.length > 0) this.#readAgain(again);
  }

  /** Call it after the last line. */
  end(): void {
    const lines = this.#release();
    if (lines.length > 0) this.#swallow(lines);
  }

  /** Reads a line that is too long to be held. */
  readLong({ row, length }: LongLine, place: LinePlace): void {
    for (const line of this.#release()) this.#line(dissect(line));
    const { notes } = this.#target;
    if (row.kind === 'row') {
      const { object, bytes } = row;
      this.#add({ object, visibility: 'always', start: 0, end: bytes.length }, bytes, place, ALONE);
    } else if (row.kind === 'torn') addFault(notes, 'torn', false, place);
    const isKnown = row.kind === 'row';
    if (row.kind === 'unknown' || (isKnown && length > MAX_READ_BYTES))
      notes.longLines.push({ line: place.line, length, isKnown });
  }

  #readAgain(lines: readonly HeldLine[]): void {
    /** Last in, first out. */
    const waiting = lines.toReversed();
    for (let line = waiting.pop(); line !== undefined; line = waiting.pop()) {
      const again = this.#take(line);
      for (let at = again.length - 1; at >= 0; at--) waiting.push(again[at] ?? line);
    }
  }

  /** Returns the lines that must be read again. */
  #take(line: HeldLine): readonly HeldLine[] {
    if (this.#text === null) {
      if (line.bytes.length === 0) return NO_LINES;
      const dissected = dissect(line);
      if (this.#isByLine) this.#lookForRow(dissected);
      this.#text = this.#isByLine || this.#bytesAgain > MAX_BYTES_AGAIN ? null : openText(dissected);
      if (this.#text === null) this.#line(dissected);
      else this.#hold(line);
      return NO_LINES;
    }
    const end = this.#text.read(line.bytes);
    this.#hold(line);
    if (end === OPEN) return NO_LINES;
    const lines = this.#release();
    if (end !== BROKEN && this.#value(lines, end)) return NO_LINES;
    const [first, ...others] = lines;
    if (first !== undefined) this.#line(dissect(first));
    for (const { bytes } of others) this.#bytesAgain += bytes.length + 1;
    return others;
  }

  /** Notes whether lines that hold no row are one together, which the client does not read. */
  #lookForRow(line: DissectedPlace): void {
    const before = this.#unread;
    this.#unread = null;
    if (this.#target.notes.hasUnreadRow || line.dissected.objects.length > 0) return;
    const end = before?.line === line.place.line - 1 ? before.text.read(line.bytes) : BROKEN;
    if (before !== null && end === OPEN) this.#unread = { ...before, line: line.place.line };
    else if (before !== null && end !== BROKEN) this.#target.notes.hasUnreadRow = before.isRow;
    else {
      const text = openText(line);
      this.#unread = text && { text, isRow: line.bytes[startOf(line)] === BRACE, line: line.place.line };
    }
  }

  #hold({ bytes, place }: HeldLine): void {
    this.#held.push({ bytes: Buffer.from(bytes), place });
  }

  #release(): HeldLine[] {
    const lines = this.#held;
    this.#held = [];
    this.#text = null;
    return lines;
  }

  #line({ dissected, bytes, place }: DissectedPlace): void {
    for (const entry of dissected.objects) this.#add(entry, bytes, place, dissected);
    for (const kind of faultsOf(dissected)) addFault(this.#target.notes, kind, hidesRow(kind, dissected), place);
  }

  /** The lines hold one value, which ends at `end` in the last of them. False if it is not JSON. */
  #value(lines: readonly HeldLine[], end: number): boolean {
    const [first, last] = [lines[0], lines.at(-1)];
    if (first === undefined || last === undefined) return false;
    const { place } = first;
    const start = startOf(first);
    if (first.bytes[start] !== BRACE) {
      this.#swallow(lines);
      return true;
    }
    const bytes = joined([...lines.slice(0, -1).map((line) => line.bytes), last.bytes.subarray(0, end)]);
    const object = parseObject(bytes.toString('utf8', start));
    if (object === null) return false;
    const { notes } = this.#target;
    this.#add({ object, visibility: 'always', start, end: bytes.length }, bytes, place, NOT_ALONE);
    if (hasBom(first)) addFault(notes, 'bom', false, place);
    addFault(notes, 'spread', false, { ...place, hasNewline: last.place.hasNewline });
    this.#rest(last, end);
    return true;
  }

  /** What follows a value of several lines on its last line: the client does not read it. */
  #rest({ bytes: line, place }: HeldLine, from: number): void {
    const bytes = line.subarray(from);
    const { objects, hasRest, hasNuls } = dissectLine(bytes, false);
    const here = { ...place, offset: place.offset + from };
    for (const entry of objects) this.#add({ ...entry, visibility: 'never' }, bytes, here, NOT_ALONE);
    // What may have been a row is torn; anything else is other text, as behind a row of one line.
    const isTorn = objects.length === 0 && holdsRow(bytes);
    const kind = isTorn ? 'torn' : hasRest || objects.length > 0 ? 'glued' : hasNuls ? 'nul' : null;
    if (kind !== null) addFault(this.#target.notes, kind, objects.some(isTyped), place);
  }

  /**
   * The lines belong to a list, or to a value that does not end. The client reads them as part of it, also rows that are complete.
   */
  #swallow(lines: readonly HeldLine[]): void {
    const { notes } = this.#target;
    const dissectedLines = lines.map(dissect);
    const hidesRows = dissectedLines.some(({ dissected }, at) => at > 0 && dissected.objects.length > 0);
    for (const [at, { dissected, bytes, place }] of dissectedLines.entries()) {
      for (const entry of dissected.objects) this.#add({ ...entry, visibility: 'never' }, bytes, place, dissected);
      const kinds = faultsOf(dissected);
      if (at > 0) {
        if (kinds.length > 0) addFault(notes, 'torn', false, place);
        continue;
      }
      const own = hidesRows && !kinds.includes('torn') ? [...kinds, 'torn' as const] : kinds;
      for (const kind of own) addFault(notes, kind, kind === 'torn' ? hidesRows : hidesRow(kind, dissected), place);
    }
  }

  #add(entry: LineObject, bytes: Buffer, { line, offset }: LinePlace, { isRow, hasRest }: Company): void {
    const { collector, hashed } = this.#target;
    const hash = hashed === 'nothing' ? 0 : hashOf(entry, bytes, hashed);
    collector.add(entry, { line, isRow, isShared: !isRow || hasRest, offset: offset + entry.start, hash });
  }
}

function hashOf({ object, start, end }: LineObject, bytes: Uint8Array, hashed: HashedPart): number {
  const text = hashed === 'messages' ? sameMessageText(object) : null;
  if (text === null) return rowHash(bytes, start, end);
  const said = Buffer.from(text);
  return rowHash(said, 0, said.length);
}

function dissect({ bytes, place }: HeldLine): DissectedPlace {
  return { bytes, place, dissected: dissectLine(bytes, place.line === 1) };
}

/** The value that begins on the line, if it goes on after it; otherwise null. */
function openText({ bytes, place, dissected }: DissectedPlace): JsonText | null {
  if (dissected.objects[0]?.visibility === 'always') return null;
  const start = startOf({ bytes, place });
  if (bytes[start] !== BRACE && bytes[start] !== BRACKET) return null;
  const text = new JsonText();
  return text.read(bytes, start) === OPEN ? text : null;
}

/** Offset of the first byte of a value: after the file's byte order mark and white space. */
function startOf(line: HeldLine): number {
  let at = hasBom(line) ? BOM_BYTES.length : 0;
  while ([0x20, 0x09, 0x0d].includes(line.bytes[at] ?? 0)) at++;
  return at;
}

function hasBom({ bytes, place }: HeldLine): boolean {
  return place.line === 1 && bytes.subarray(0, BOM_BYTES.length).equals(BOM_BYTES);
}

function joined(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(lines.flatMap((line, at) => (at === 0 ? [line] : [NEWLINE, line])));
}

function addFault(notes: TranscriptNotes, kind: LineFaultKind, hides: boolean, place: LinePlace): void {
  notes.lineFaults.add({ kind, line: place.line, hidesRow: hides, isUnfinished: !place.hasNewline });
}

function faultsOf(line: DissectedLine): LineFaultKind[] {
  const kinds: LineFaultKind[] = [];
  if (line.hasNuls) kinds.push('nul');
  if (line.hasBom) kinds.push('bom');
  if (line.objects.length === 0 && line.hasRest) kinds.push('torn');
  else if (line.objects.length > 1 || line.hasRest) kinds.push('glued');
  return kinds;
}

function hidesRow(kind: LineFaultKind, line: DissectedLine): boolean {
  switch (kind) {
    case 'torn':
    case 'spread':
      return false;
    case 'glued':
      return line.objects.some(isHiddenRow) || line.hidesRow;
    case 'nul':
    case 'bom':
      return line.objects.some((entry) => entry.visibility !== 'always');
  }
}

function isHiddenRow(entry: LineObject): boolean {
  return entry.visibility === 'never' && isTyped(entry);
}

/** Each row has a type; an object without one is nothing that Claude would read on a line of its own. */
function isTyped({ object }: LineObject): boolean {
  return stringField(object, 'type') !== null;
}

const BLOCK = 128;
const FACTOR = 0x2c1b3c6d;

/**
 * A 32-bit hash of a row's bytes: 32 accumulators over blocks of 128 bytes. The last block ends with the row and overlaps
 * the one before it; a row shorter than a block is padded with zeros. The hash is designed so that SIMD code computes it as fast
 * as it reads; wasm/assembly/rowHash.ts implements the same hash.
 */
function rowHash(bytes: Uint8Array, start: number, end: number): number {
  const lanes = new Int32Array(BLOCK / 4);
  const length = end - start;
  if (length < BLOCK) {
    const filled = new Uint8Array(BLOCK);
    filled.set(bytes.subarray(start, end));
    mixBlock(lanes, new DataView(filled.buffer), 0);
  } else {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = start; at < end - BLOCK; at += BLOCK) mixBlock(lanes, view, at);
    mixBlock(lanes, view, end - BLOCK);
  }
  let hash = length;
  for (const lane of lanes) {
    hash = Math.imul(hash ^ lane, FACTOR);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}

function mixBlock(lanes: Int32Array, view: DataView, at: number): void {
  for (let lane = 0; lane < lanes.length; lane++) {
    const product = Math.imul((lanes[lane] ?? 0) ^ view.getInt32(at + lane * 4, true), FACTOR);
    lanes[lane] = product ^ (product >>> 15);
  }
}

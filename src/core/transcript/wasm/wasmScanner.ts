import { TITLE_ROW_TYPES } from '../../providers/claude/format/rowTypes';
import type { JsonObject } from '../../util/json';
import { ByteRows, LARGE_FILE_BYTES } from '../byteRows';
import { type IdTable, NO_ID, OddIds, parseUuid } from '../idTable';
import { type HashedPart, hashedPart, LineReader } from '../lineReader';
import { MAX_HELD_BYTES } from '../lineSplitter';
import { ProvenByteRows } from '../provenByteRows';
import { noteParentSession, noteTitle, RowCollector } from '../rowCollector';
import { RowOutline } from '../rowOutline';
import type { RowTable } from '../rowTable';
import type { ScannerOptions, TranscriptScanner } from '../scanner';
import { emptyNotes, type LatestValues, type StraightHistory, TranscriptIndex } from '../transcriptIndex';
import { UncountedBytes } from '../uncountedRows';
import type { LineBuffer } from './lineBuffer';
import { createScannerSink, type ScannerInstance, ScannerTables } from './scannerInstance';

const NEWLINE = 10;

/** In the order of assembly/latest.ts, where the text of the last prompt follows them. */
const LATEST_FIELDS = ['cwd', 'gitBranch', 'clientVersion', 'model'] as const satisfies readonly (keyof LatestValues)[];

/** Returns the instance for reuse once none of its memory is in use; false if the facts must remain in its memory. */
export type ReleaseInstance = () => boolean;

/**
 * Reads rows in the form that every client writes in WebAssembly, at a few gigabytes per second, and passes every other row to
 * JSON.parse. Produces the same facts as `ReferenceScanner`.
 */
export class WasmScanner implements TranscriptScanner {
  readonly #instance: ScannerInstance;
  readonly #buffer: LineBuffer;
  readonly #release: ReleaseInstance;
  readonly #withUsage: boolean;
  readonly #hashed: HashedPart;
  readonly #withLargeStraight: boolean;
  readonly #byteRows: ByteRows | null;
  /** Gets the lines that JSON.parse reads; null unless the other rows are to be proved. */
  readonly #provenByteRows: ProvenByteRows | null;
  readonly #uncounted: UncountedBytes | null;
  readonly #odd = new OddIds();
  readonly #notes = emptyNotes();
  readonly #isLarge: boolean;
  readonly #isGrowing: boolean;
  /** Reads what the instance does not. Created when it is first needed: most files have no such line. */
  #reader: LineReader | null = null;
  /** Number of lines that JSON.parse reads, or that are too long to be held. */
  #linesLeft = 0;
  /** Bytes of the file before the contents of the buffer. */
  #offset = 0;
  /** Reads the current line if it is too long to be held. */
  #outline: RowOutline | null = null;
  /** Bytes of the long line that were read. */
  #outlinedBytes = 0;
  #sources = 0;

  constructor(instance: ScannerInstance, buffer: LineBuffer, options: ScannerOptions, release: ReleaseInstance) {
    const { withUsage = false, withByteRows = false, withProvenByteRows = false } = options;
    const { isLarge = withByteRows || withProvenByteRows } = options;
    this.#uncounted = (options.withWeights ?? true) ? new UncountedBytes() : null;
    this.#withLargeStraight = options.withLargeStraight ?? true;
    this.#instance = instance;
    this.#buffer = buffer;
    this.#release = release;
    this.#withUsage = withUsage;
    this.#hashed = hashedPart(options);
    this.#byteRows = withByteRows ? new ByteRows() : null;
    this.#provenByteRows = withProvenByteRows ? new ProvenByteRows() : null;
    this.#isLarge = isLarge;
    this.#isGrowing = options.isGrowing ?? false;
    buffer.clear();
    instance.exports.start(withUsage ? 1 : 0, this.#hashed === 'nothing' ? 0 : 1, withProvenByteRows ? 1 : 0);
  }

  room(): Uint8Array {
    return this.#buffer.room();
  }

  push(chunk: Uint8Array): void {
    if (this.#buffer.isRoom(chunk)) {
      this.#take(chunk.byteLength);
      return;
    }
    for (let at = 0; at < chunk.length;) {
      const room = this.#buffer.room();
      const part = chunk.subarray(at, at + room.length);
      room.set(part);
      this.#take(part.length);
      at += part.length;
    }
  }

  index(form?: 'settled'): TranscriptIndex {
    if (form === 'settled') this.#endReader();
    return this.#collect(false, this.#reader?.heldFrom ?? this.#linesEnd);
  }

  end(): TranscriptIndex {
    const fileSize = this.#finish();
    const index = this.#collect(this.#release(), fileSize);
    // Computed now, because another scanner may use this memory afterwards.
    index.readByteRows();
    return index;
  }

  read<T>(use: (index: TranscriptIndex) => T): T {
    const fileSize = this.#finish();
    try {
      return use(this.#collect(false, fileSize, true));
    } finally {
      this.#release();
    }
  }

  /** Offset in the file behind the last newline. */
  get #linesEnd(): number {
    return this.#offset - this.#outlinedBytes;
  }

  /** Scans the rest. Returns the size in bytes of what counts. */
  #finish(): number {
    const fileSize = this.#isGrowing ? this.#linesEnd : this.#offset + this.#buffer.length;
    if (this.#isGrowing) this.#buffer.clear();
    else if (this.#outline !== null) this.#endLongLine(this.#outline, false);
    else if (this.#buffer.length > 0) {
      this.#buffer.close();
      this.#scanLines(this.#buffer.length, false);
    }
    this.#endReader();
    return fileSize;
  }

  #endReader(): void {
    if (this.#heldLines === 0) return;
    this.#readOdd((reader) => {
      reader.end();
    });
  }

  /**
   * See assembly/straight.ts. Rewinds, rows preserved by a compaction, hooks and odd ids are left to the loader, and so are
   * faulty lines of a large file.
   */
  #proveStraight(isLarge: boolean): StraightHistory | null {
    if (isLarge && !this.#withLargeStraight) return null;
    const { exports } = this.#instance;
    const { boundaries, hookCalls, lastPrompt, lineFaults, longLines } = this.#notes;
    const isPlain = lastPrompt?.isExplicit !== true && boundaries.every(({ preserved }) => preserved.kind === 'none');
    if (!isPlain || hookCalls.size > 0 || this.#odd.count > 0) return null;
    if ((isLarge && !lineFaults.isEmpty) || longLines.some(({ isKnown }) => !isKnown)) return null;
    const lastBoundary = boundaries.at(-1)?.row ?? NO_ID;
    // A compaction makes an earlier `last-prompt` void.
    const named = lastPrompt === null || lastBoundary >= lastPrompt.rowsBefore ? NO_ID : lastPrompt.leaf;
    if (exports.proveStraight(named, isLarge ? 1 : 0) === 0) return null;
    return {
      root: exports.straightRoot.value,
      leaf: exports.straightLeaf.value,
      depth: exports.straightDepth.value,
    };
  }

  /** Processes `bytes` more bytes, which were written after the contents of the buffer. */
  #take(bytes: number): void {
    const held = this.#buffer.length;
    this.#buffer.extend(bytes);
    if (this.#outline !== null) {
      this.#readLongLine(this.#outline);
      return;
    }
    const last = this.#buffer.bytes(held).lastIndexOf(NEWLINE);
    const end = last < 0 ? this.#buffer.length : held + last;
    // While a line is held, each call adds little to it, so only the first line can be too long.
    if (end > MAX_HELD_BYTES && (last < 0 || this.#buffer.bytes().indexOf(NEWLINE) > MAX_HELD_BYTES)) {
      this.#outline = new RowOutline();
      this.#readLongLine(this.#outline);
    } else if (last >= 0) this.#scanLines(held + last + 1, true);
  }

  /** The buffer holds a part of a long line. If its newline is there, too, the lines after it are scanned. */
  #readLongLine(outline: RowOutline): void {
    const newline = this.#buffer.bytes().indexOf(NEWLINE);
    const length = newline < 0 ? this.#buffer.length : newline;
    outline.push(this.#buffer.bytes().subarray(0, length));
    this.#outlinedBytes += length;
    this.#offset += length;
    if (newline < 0) {
      this.#buffer.clear();
      return;
    }
    this.#endLongLine(outline, true);
    this.#offset++;
    this.#buffer.drop(newline + 1);
    const last = this.#buffer.bytes().lastIndexOf(NEWLINE);
    if (last >= 0) this.#scanLines(last + 1, true);
  }

  #endLongLine(outline: RowOutline, hasNewline: boolean): void {
    const long = { row: outline.end(), length: this.#outlinedBytes };
    const place = { line: this.#takeLine(), offset: this.#offset - this.#outlinedBytes, hasNewline };
    this.#byteRows?.longLine(long);
    if (long.row.kind === 'row') this.#provenByteRows?.add(place.line, long.row.bytes);
    this.#readOdd((reader) => {
      reader.readLong(long, place);
    });
    this.#outline = null;
    this.#outlinedBytes = 0;
  }

  /** The first `length` bytes of the buffer are whole lines. `hasNewline`: the last of their newlines is in the file. */
  #scanLines(length: number, hasNewline: boolean): void {
    const { exports } = this.#instance;
    if (this.#byteRows !== null) addLines(this.#byteRows, this.#buffer.bytes().subarray(0, length));
    for (let at = 0; at < length;) {
      // The lines of a row that is not complete yet are left to the reader, and so is every line if what it says is to be hashed.
      if (this.#heldLines === 0 && this.#hashed !== 'messages') {
        at += exports.scan(this.#buffer.at + at, length - at, this.#offset + at);
        if (exports.promptLength.value !== 0) {
          this.#readPrompt();
          continue;
        }
        if (at >= length) break;
      }
      const rest = this.#buffer.bytes(at);
      const end = rest.indexOf(NEWLINE);
      // A copy, because the view becomes invalid when the memory grows.
      this.#readOddLine(Buffer.from(rest.subarray(0, end)), this.#offset + at, hasNewline || at + end + 1 < length);
      at += end + 1;
    }
    if (this.#uncounted !== null) this.#keepUncounted(this.#uncounted, length);
    this.#offset += length;
    this.#buffer.drop(length);
  }

  /** The first `length` bytes of the buffer are whole lines that were scanned. */
  #keepUncounted(uncounted: UncountedBytes, length: number): void {
    const { exports } = this.#instance;
    const row = exports.countedRow.value;
    const lines = this.#buffer.bytes().subarray(0, length);
    uncounted.add(lines, this.#offset, row < 0 ? null : { row, offset: this.#offsetNearBuffer(row) });
  }

  /** Offset of a row in the file; right for rows that are not 2 GiB before or behind the start of the buffer. */
  #offsetNearBuffer(row: number): number {
    const { bytes, columns, exports } = this.#instance;
    const low = bytes.readUInt32LE(exports.addressOf(columns.offsetColumn, row) >>> 0);
    return this.#offset + ((low - (this.#offset % 2 ** 32)) | 0);
  }

  /** The last scanned row may contain the title of the session, or the session that it was forked from. */
  #readPrompt(): void {
    const { exports, bytes } = this.#instance;
    const at = exports.promptAt.value >>> 0;
    // SAFETY: a row is an object.
    const row = JSON.parse(bytes.toString('utf8', at, at + exports.promptLength.value)) as JsonObject;
    noteTitle(this.#notes, row);
    if (!TITLE_ROW_TYPES.has(row['type'])) noteParentSession(this.#notes, row);
    this.#stopWanting();
  }

  #readOddLine(bytes: Buffer, offset: number, hasNewline: boolean): void {
    const line = this.#takeLine();
    this.#provenByteRows?.add(line, bytes);
    this.#readOdd((reader) => {
      reader.read(bytes, { line, offset, hasNewline });
    });
  }

  #takeLine(): number {
    this.#linesLeft++;
    return this.#instance.exports.takeLine();
  }

  /** Anything that the reader notes comes after what the instance has noted so far. */
  #readOdd(read: (reader: LineReader) => void): void {
    this.#drainNotes();
    this.#reader ??= this.#createReader();
    read(this.#reader);
    this.#instance.exports.forgetLatest();
    this.#stopWanting();
  }

  #createReader(): LineReader {
    const notes = this.#notes;
    const collector = new RowCollector(createScannerSink(this.#instance, this.#odd, notes, this.#withUsage));
    return new LineReader({ collector, notes, hashed: this.#hashed }, this.#isLarge);
  }

  /** Lines of a row that is not complete yet. */
  get #heldLines(): number {
    return this.#reader?.heldLines ?? 0;
  }

  #stopWanting(): void {
    const { exports } = this.#instance;
    if (this.#notes.titles.firstPrompt !== null) exports.stopWantingPrompt();
    if (this.#notes.parentSessionId !== null) exports.stopWantingFork();
  }

  /** Takes over what the instance has noted, so that the notes stay in file order. */
  #drainNotes(): void {
    const { exports } = this.#instance;
    const { latest, titles, toolSources } = this.#notes;
    const changes = exports.latestChanges.value;
    LATEST_FIELDS.forEach((name, field) => {
      if ((changes & (1 << field)) !== 0) latest[name] = this.#latest(field);
    });
    if ((changes & (1 << LATEST_FIELDS.length)) !== 0) titles.lastPrompt = this.#latest(LATEST_FIELDS.length);
    const line = exports.leafLine.value;
    if (line !== 0) {
      const [rowsBefore, leaf] = [exports.leafRowsBefore.value, exports.leafId.value];
      this.#notes.lastPrompt = { line, rowsBefore, leaf, isExplicit: false };
    }
    const column = this.#instance.columns.sourceColumn;
    for (const end = this.#instance.lengthOf('sourceColumn'); this.#sources < end; this.#sources += 2) {
      const { bytes } = this.#instance;
      const row = bytes.readUInt32LE(exports.addressOf(column, this.#sources) >>> 0);
      toolSources.set(row, bytes.readInt32LE(exports.addressOf(column, this.#sources + 1) >>> 0));
    }
  }

  #latest(field: number): string {
    const { exports } = this.#instance;
    return this.#instance.text(exports.latestText(field), exports.latestLength(field));
  }

  #noteMessageTime(): void {
    const { latest } = this.#notes;
    const messageMs = this.#instance.exports.latestMessageMs.value;
    if (!Number.isNaN(messageMs)) latest.messageMs = Math.max(latest.messageMs ?? 0, messageMs);
  }

  /** The number of an id that some row has or names. */
  #find(id: string): number | null {
    const words = parseUuid(id);
    if (words === null) return this.#odd.has(id) ? this.#odd.intern(id) : null;
    const { exports } = this.#instance;
    const count = exports.idCount();
    exports.setUuid(...words);
    const found = exports.internUuid();
    return exports.idCount() === count ? found : null;
  }

  #provenRows(tables: ScannerTables, rows: RowTable, ids: IdTable): ByteRows | null {
    return this.#provenByteRows?.withRows(rows, tables.prompts(), ids, (id) => this.#find(id)) ?? null;
  }

  #collect(isCopied: boolean, fileSize: number, mayBeStraight = false): TranscriptIndex {
    const { exports } = this.#instance;
    this.#drainNotes();
    this.#noteMessageTime();
    const straight = mayBeStraight ? this.#proveStraight(fileSize > LARGE_FILE_BYTES) : null;
    const tables = new ScannerTables(this.#instance, isCopied);
    const ids = tables.ids(this.#odd);
    const rows = tables.rows();
    const mayRepeat = exports.mayRepeat.value !== 0 || this.#odd.count > 0;
    const isProven = straight === null && exports.bytesAgree.value !== 0;
    return new TranscriptIndex(
      {
        ids,
        rows,
        usage: this.#withUsage ? tables.usage() : null,
        keyCount: exports.keyCount(),
        lineCount: exports.lines.value - this.#heldLines,
        fileSize,
        hasRow: this.#notes.hasRow || exports.lines.value - exports.blankLines.value > this.#linesLeft,
        isOpen: this.#heldLines > 0,
        isOrderly: exports.isOrderly() !== 0 && this.#odd.count === 0,
        straight,
        lacksHashes: this.#hashed === 'nothing' && mayRepeat,
        hashesBytes: this.#hashed === 'bytes' && mayRepeat,
        byteRows: this.#byteRows ?? (isProven ? () => this.#provenRows(tables, rows, ids) : null),
        uncounted: this.#uncounted?.rows(rows) ?? null,
      },
      this.#notes,
    );
  }
}

/** Adds whole lines, each of which ends with a newline. They are not copied, because a line may have hundreds of megabytes. */
function addLines(byteRows: ByteRows, lines: Buffer): void {
  for (let at = 0; at < lines.length;) {
    const end = lines.indexOf(NEWLINE, at);
    byteRows.line(lines.subarray(at, end));
    at = end + 1;
  }
}

import { Column } from '../util/columns';
import { ByteRows } from './byteRows';
import { IdTable, keyHash, type KeyHash, MAX_LOAD, NO_ID } from './idTable';
import { type HashedPart, hashedPart, LineReader } from './lineReader';
import { type LineSink, LineSplitter, type LongLine } from './lineSplitter';
import { RowCollector } from './rowCollector';
import { RowTableBuilder } from './rowTableBuilder';
import type { ScannerOptions, TranscriptScanner } from './scanner';
import { emptyNotes, type ScannedTables, TranscriptIndex } from './transcriptIndex';
import { UncountedBytes } from './uncountedRows';
import { UsageTable } from './usageTable';

/**
 * The plain scanner: JSON.parse for each row. It defines the result that any faster scanner must return. Memory is bounded
 * by the longest line that is held plus about 80 bytes per chain row.
 */
export class ReferenceScanner implements TranscriptScanner, LineSink {
  readonly #splitter = new LineSplitter(this);
  readonly #ids = new IdTable();
  readonly #keys = new KeyTable();
  readonly #rows = new RowTableBuilder();
  readonly #usage: UsageTable | null;
  readonly #byteRows: ByteRows | null;
  readonly #uncounted = new UncountedBytes();
  readonly #notes = emptyNotes();
  readonly #reader: LineReader;
  readonly #hashed: HashedPart;
  readonly #isGrowing: boolean;
  #lines = 0;

  constructor(options: ScannerOptions = {}) {
    const { withUsage = false, withByteRows = false, withProvenByteRows = false } = options;
    const { isLarge = withByteRows || withProvenByteRows } = options;
    this.#byteRows = withByteRows || withProvenByteRows ? new ByteRows() : null;
    this.#usage = withUsage ? new UsageTable((key) => this.#keys.hash(key)) : null;
    const notes = this.#notes;
    const collector = new RowCollector({
      ids: this.#ids,
      keys: this.#keys,
      rows: this.#rows,
      usage: this.#usage,
      notes,
    });
    this.#isGrowing = options.isGrowing ?? false;
    this.#hashed = hashedPart({ ...options, withHashes: true });
    this.#reader = new LineReader({ collector, notes, hashed: this.#hashed }, isLarge);
  }

  push(chunk: Uint8Array): void {
    this.#splitter.push(chunk);
  }

  index(form?: 'settled'): TranscriptIndex {
    if (form === 'settled') this.#reader.end();
    return this.#factsOf(this.#reader.heldFrom ?? this.#splitter.lineStart);
  }

  end(): TranscriptIndex {
    const fileSize = this.#splitter.end();
    this.#reader.end();
    return this.#factsOf(fileSize);
  }

  read<T>(use: (index: TranscriptIndex) => T): T {
    return use(this.#isGrowing ? this.index('settled') : this.end());
  }

  #factsOf(fileSize: number): TranscriptIndex {
    const rows = this.#rows.table();
    const tables: ScannedTables = {
      ids: this.#ids,
      rows,
      usage: this.#usage,
      keyCount: this.#keys.count,
      lineCount: this.#lines - this.#reader.heldLines,
      fileSize,
      hasRow: this.#notes.hasRow,
      isOpen: this.#reader.heldLines > 0,
      isOrderly: false,
      straight: null,
      lacksHashes: false,
      hashesBytes: this.#hashed === 'bytes',
      byteRows: this.#byteRows,
      uncounted: this.#uncounted.rows(rows),
    };
    return new TranscriptIndex(tables, this.#notes);
  }

  line(bytes: Buffer, offset: number, hasNewline: boolean): void {
    this.#lines++;
    this.#byteRows?.line(bytes);
    this.#reader.read(bytes, { line: this.#lines, offset, hasNewline });
    this.#uncounted.add(bytes, offset, this.#rows.counted);
  }

  longLine(long: LongLine, offset: number, hasNewline: boolean): void {
    this.#lines++;
    this.#byteRows?.longLine(long);
    this.#reader.readLong(long, { line: this.#lines, offset, hasNewline });
  }
}

/**
 * Numbers message ids and tool-call ids 0, 1, 2 … Ids are only compared, never shown, so a 64-bit hash replaces the string:
 * with two million ids, the probability of any collision is about 1 in 10 million.
 */
export class KeyTable {
  readonly #low = Column.uint32();
  readonly #high = Column.uint32();
  #slots = new Int32Array(1024).fill(NO_ID);

  get count(): number {
    return this.#low.length;
  }

  hash(key: number): KeyHash {
    return { low: this.#low.get(key), high: this.#high.get(key) };
  }

  intern(key: string): number {
    if (this.count >= this.#slots.length * MAX_LOAD) this.#grow();
    const { low, high } = keyHash(key);
    const mask = this.#slots.length - 1;
    let slot = spread(low, high) & mask;
    for (;;) {
      const known = this.#slots[slot] ?? NO_ID;
      if (known === NO_ID) break;
      if (this.#low.get(known) === low && this.#high.get(known) === high) return known;
      slot = (slot + 1) & mask;
    }
    const added = this.#low.push(low);
    this.#high.push(high);
    this.#slots[slot] = added;
    return added;
  }

  #grow(): void {
    const grown = new Int32Array(this.#slots.length * 2).fill(NO_ID);
    const mask = grown.length - 1;
    for (let key = 0; key < this.count; key++) {
      let slot = spread(this.#low.get(key), this.#high.get(key)) & mask;
      while (grown[slot] !== NO_ID) slot = (slot + 1) & mask;
      grown[slot] = key;
    }
    this.#slots = grown;
  }
}

function spread(low: number, high: number): number {
  const mixed = Math.imul(low ^ (high >>> 7), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 16);
}

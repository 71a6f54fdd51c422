import { type Codes, SCANNED_NAMES } from '../../providers/claude/format/rowTypes';
import { CHUNK_LENGTH, Column } from '../../util/columns';
import { IdTable, type KeyHash, keyHash, type OddIds, parseUuid } from '../idTable';
import type { IndexSink } from '../rowCollector';
import { RowTable } from '../rowTable';
import type { RowRecord } from '../rowTableBuilder';
import type { TranscriptNotes } from '../transcriptIndex';
import { UsageTable } from '../usageTable';

type TableName = keyof typeof SCANNED_NAMES;

/** The columns of the instance, by their export names. */
const COLUMNS = [
  'lineColumn',
  'flagsColumn',
  'uuidColumn',
  'parentColumn',
  'timestampColumn',
  'messageColumn',
  'hashColumn',
  'offsetColumn',
  'toolStartColumn',
  'toolColumn',
  'highOffsets',
  'sourceColumn',
  'leafColumn',
  'contextColumn',
  'modelColumn',
  'idWords',
  'modelNames',
  'usageEntries',
  'keyHashes',
] as const;

type ColumnName = (typeof COLUMNS)[number];

/** The exports of assembly/index.ts. Addresses are byte offsets in its memory. */
export interface ScannerExports extends Readonly<Record<ColumnName | TableName | 'counts', WebAssembly.Global>> {
  readonly memory: WebAssembly.Memory;
  readonly lines: WebAssembly.Global;
  readonly blankLines: WebAssembly.Global;
  readonly promptAt: WebAssembly.Global;
  readonly promptLength: WebAssembly.Global;
  readonly latestMessageMs: WebAssembly.Global;
  readonly mayRepeat: WebAssembly.Global;
  readonly countedRow: WebAssembly.Global;
  readonly latestChanges: WebAssembly.Global;
  readonly leafLine: WebAssembly.Global;
  readonly leafRowsBefore: WebAssembly.Global;
  readonly leafId: WebAssembly.Global;
  readonly mostContext: WebAssembly.Global;
  readonly messageRows: WebAssembly.Global;
  readonly countedOnMain: WebAssembly.Global;
  readonly firstOwnMs: WebAssembly.Global;
  readonly bytesAgree: WebAssembly.Global;
  start(withUsage: number, withHashes: number, withBytes: number): void;
  scan(at: number, length: number, fileOffset: number): number;
  takeLine(): number;
  stopWantingPrompt(): void;
  stopWantingFork(): void;
  addName(table: number, at: number, length: number, code: number): void;
  allocate(bytes: number): number;
  extend(at: number, bytes: number, more: number): number;
  release(at: number, bytes: number): void;
  heapBytes(): number;
  addressOf(column: number, at: number): number;
  push(column: number, value: number): void;
  setUuid(a: number, b: number, c: number, d: number): void;
  internUuid(): number;
  idCount(): number;
  internHashes(low: number, high: number): number;
  keyCount(): number;
  internModel(at: number, length: number): number;
  addUsage(row: number, key: number, model: number): void;
  rowCount(): number;
  isOrderly(): number;
  readonly straightRoot: WebAssembly.Global;
  readonly straightLeaf: WebAssembly.Global;
  readonly straightDepth: WebAssembly.Global;
  proveStraight(named: number, isLarge: number): number;
  pushRow(
    line: number,
    flags: number,
    uuid: number,
    parent: number,
    timestamp: number,
    message: number,
    hash: number,
    toolStart: number,
    offset: number,
    context: number,
    model: number,
  ): number;
  latestText(field: number): number;
  latestLength(field: number): number;
  forgetLatest(): void;
}

/** Longest text that is passed through the scratch memory, in bytes. */
const SCRATCH_BYTES = 1024;

/** An instance of the scanner's module, initialized with the names of the format. */
export class ScannerInstance {
  readonly exports: ScannerExports;
  /** Addresses of the columns. */
  readonly columns: Readonly<Record<ColumnName, number>>;
  readonly #scratch: number;
  #bytes: Buffer;
  #numbers: Uint32Array<ArrayBuffer>;

  constructor(module: WebAssembly.Module) {
    // SAFETY: the module is built from assembly/, whose exports a test compares with this interface.
    this.exports = new WebAssembly.Instance(module).exports as unknown as ScannerExports;
    this.#scratch = this.exports.allocate(SCRATCH_BYTES) >>> 0;
    this.#bytes = Buffer.from(this.exports.memory.buffer);
    this.#numbers = new Uint32Array(this.exports.memory.buffer);
    // SAFETY: there is an entry for each name.
    this.columns = Object.fromEntries(COLUMNS.map((name) => [name, this.exports[name].value >>> 0])) as Record<
      ColumnName,
      number
    >;
    for (const [table, codes] of Object.entries(SCANNED_NAMES)) {
      // SAFETY: Object.entries returns the keys of SCANNED_NAMES.
      this.#addNames(this.exports[table as TableName].value, codes);
    }
  }

  /** The whole memory. When the memory grows, it becomes another buffer, so get it again after each call. */
  get bytes(): Buffer {
    if (this.#bytes.buffer !== this.exports.memory.buffer) this.#bytes = Buffer.from(this.exports.memory.buffer);
    return this.#bytes;
  }

  /** The whole memory as 4-byte numbers; see `bytes`. */
  get numbers(): Uint32Array<ArrayBuffer> {
    if (this.#numbers.buffer !== this.exports.memory.buffer) {
      this.#numbers = new Uint32Array(this.exports.memory.buffer);
    }
    return this.#numbers;
  }

  /** Length of a column. */
  lengthOf(name: ColumnName): number {
    return this.numbers[this.columns[name] >>> 2] ?? 0;
  }

  /** Returns the number of the model. Its text is compared in JSON form, without the quotes. */
  internModel(model: string): number {
    return this.exports.internModel(this.#scratch, this.#write(JSON.stringify(model).slice(1, -1)));
  }

  /** Decodes the text between the quotes of a JSON string. */
  text(at: number, length: number): string {
    const text = this.bytes.toString('utf8', at >>> 0, (at >>> 0) + length);
    // SAFETY: a JSON string is a string.
    return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
  }

  #addNames(table: number, codes: Codes): void {
    for (const [name, code] of codes) this.exports.addName(table, this.#scratch, this.#write(name), code);
  }

  #write(text: string): number {
    return this.bytes.write(text, this.#scratch, SCRATCH_BYTES);
  }
}

type NumberArray = Uint32Array | Int32Array | Float64Array;

type ArrayType<T extends NumberArray> = new (buffer: ArrayBuffer, at: number, length: number) => T;

/** Where a column stores the addresses of its segments, in 4-byte numbers from its start. Its length is stored first. */
const SEGMENTS = 2;

const NO_NUMBERS: readonly number[] = [];

/**
 * Reads the tables from the memory of an instance: as copies, or as views that are valid until it grows or is restarted. To be used at
 * once, before the memory grows.
 */
export class ScannerTables {
  readonly #numbers: Uint32Array<ArrayBuffer>;

  constructor(
    private readonly instance: ScannerInstance,
    private readonly isCopied: boolean,
  ) {
    this.#numbers = instance.numbers;
  }

  ids(odd: OddIds): IdTable {
    return new IdTable(this.#uint32('idWords'), odd);
  }

  rows(): RowTable {
    const { exports } = this.instance;
    const firstOwnMs = exports.firstOwnMs.value;
    return new RowTable({
      count: exports.rowCount(),
      line: this.#chunks('lineColumn', Uint32Array),
      flags: this.#chunks('flagsColumn', Uint32Array),
      uuid: this.#chunks('uuidColumn', Int32Array),
      parent: this.#chunks('parentColumn', Int32Array),
      timestamp: this.#chunks('timestampColumn', Float64Array),
      message: this.#chunks('messageColumn', Int32Array),
      hash: this.#chunks('hashColumn', Uint32Array),
      offset: this.#chunks('offsetColumn', Uint32Array),
      toolStart: this.#chunks('toolStartColumn', Uint32Array),
      tools: this.#chunks('toolColumn', Uint32Array),
      toolCount: this.#length('toolColumn'),
      highOffsets: this.#length('highOffsets') === 0 ? NO_NUMBERS : [...this.#uint32('highOffsets').toArray()],
      context: this.#chunks('contextColumn', Uint32Array),
      model: this.#chunks('modelColumn', Int32Array),
      models: this.#models(),
      counted: exports.countedRow.value,
      mostTokens: exports.mostContext.value >>> 0,
      messages: exports.messageRows.value >>> 0,
      countedOnMain: exports.countedOnMain.value >>> 0,
      firstOwnMs: Number.isNaN(firstOwnMs) ? null : firstOwnMs,
    });
  }

  /** See assembly/bytes.ts. */
  prompts(): Column<Int32Array> {
    return this.#int32('leafColumn');
  }

  usage(): UsageTable {
    const hashes = this.#uint32('keyHashes');
    const hashOf = (key: number): KeyHash => ({ low: hashes.get(key * 2), high: hashes.get(key * 2 + 1) });
    return new UsageTable(hashOf, this.#uint32('usageEntries'), this.#models());
  }

  #models(): string[] {
    const names = this.#uint32('modelNames');
    const models: string[] = [];
    for (let at = 0; at < names.length; at += 2) models.push(this.instance.text(names.get(at), names.get(at + 1)));
    return models;
  }

  #uint32(name: ColumnName): Column<Uint32Array> {
    return Column.uint32(this.#chunks(name, Uint32Array), this.#length(name));
  }

  #int32(name: ColumnName): Column<Int32Array> {
    return Column.int32(this.#chunks(name, Int32Array), this.#length(name));
  }

  #length(name: ColumnName): number {
    return this.#numbers[this.instance.columns[name] >>> 2] ?? 0;
  }

  #chunks<T extends NumberArray>(name: ColumnName, type: ArrayType<T>): T[] {
    const firstSegment = (this.instance.columns[name] >>> 2) + SEGMENTS;
    const length = this.#length(name);
    // Never an empty array: V8 would treat it as a different kind of array in the loops that read it.
    const chunks: T[] = [];
    for (let from = 0; from < length || from === 0; from += CHUNK_LENGTH) {
      const at = this.#numbers[firstSegment + chunks.length] ?? 0;
      const view = new type(this.#numbers.buffer, at, Math.min(length - from, CHUNK_LENGTH));
      // SAFETY: `slice` of a typed array returns its own type.
      chunks.push(this.isCopied ? (view.slice() as T) : view);
    }
    return chunks;
  }
}

/** Writes the rows that were read with JSON.parse into the tables of the instance, between the rows that it reads itself. */
export function createScannerSink(
  instance: ScannerInstance,
  odd: OddIds,
  notes: TranscriptNotes,
  withUsage: boolean,
): IndexSink {
  const { exports } = instance;
  return {
    notes,
    ids: {
      intern: (id) => {
        const words = parseUuid(id);
        if (words === null) return odd.intern(id);
        exports.setUuid(...words);
        return exports.internUuid();
      },
    },
    keys: {
      intern: (key) => {
        const { low, high } = keyHash(key);
        return exports.internHashes(low, high);
      },
    },
    rows: {
      get count() {
        return exports.rowCount();
      },
      add: (row) => addRow(instance, row),
    },
    usage: withUsage
      ? {
          add: (row, key, model, counts) => {
            const number = model === null ? -1 : instance.internModel(model);
            const { bytes } = instance;
            for (const [index, count] of counts.entries()) bytes.writeUInt32LE(count, exports.counts.value + index * 4);
            exports.addUsage(row, key, number);
          },
        }
      : null,
  };
}

function addRow(instance: ScannerInstance, row: RowRecord): number {
  const { exports } = instance;
  const toolStart = instance.lengthOf('toolColumn');
  for (const key of row.toolUses) exports.push(instance.columns.toolColumn, key * 2);
  for (const key of row.toolResults) exports.push(instance.columns.toolColumn, key * 2 + 1);
  return exports.pushRow(
    row.line,
    row.flags,
    row.uuid,
    row.parent,
    row.timestamp,
    row.message,
    row.hash,
    toolStart,
    row.offset,
    row.contextTokens,
    row.model === null ? -1 : instance.internModel(row.model),
  );
}

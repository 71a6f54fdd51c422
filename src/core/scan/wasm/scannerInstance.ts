import { SCANNED_NAMES, type Codes } from '../../claude/scannedNames';

type TableName = keyof typeof SCANNED_NAMES;

/** Columns of the instance, by the name they are exported under. */
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
  'idWords',
  'modelNames',
  'usageEntries',
  'keyHashes',
  'missingLines',
  'harmfulOrphans',
  'harmlessOrphans',
  'copies',
] as const;

export type ColumnName = (typeof COLUMNS)[number];

/** What assembly/index.ts exports. Addresses are bytes of its memory. */
export interface ScannerExports extends Readonly<Record<ColumnName | TableName | 'counts', WebAssembly.Global>> {
  readonly memory: WebAssembly.Memory;
  readonly lines: WebAssembly.Global;
  readonly promptAt: WebAssembly.Global;
  readonly promptLength: WebAssembly.Global;
  readonly latestMessageMs: WebAssembly.Global;
  readonly mayRepeat: WebAssembly.Global;
  readonly latestChanges: WebAssembly.Global;
  readonly leafLine: WebAssembly.Global;
  readonly leafRowsBefore: WebAssembly.Global;
  readonly leafId: WebAssembly.Global;
  start(withUsage: number, withHashes: number): void;
  scan(at: number, length: number, fileOffset: number): number;
  takeLine(): number;
  stopWantingPrompt(): void;
  stopWantingFork(): void;
  addName(table: number, at: number, length: number, code: number): void;
  allocate(bytes: number): number;
  release(at: number, bytes: number): void;
  heapBytes(): number;
  addressOf(column: number, at: number): number;
  push(column: number, value: number): void;
  setUuid(a: number, b: number, c: number, d: number): void;
  internUuid(): number;
  internHashes(low: number, high: number): number;
  keyCount(): number;
  internModel(at: number, length: number): number;
  addUsage(row: number, key: number, model: number): void;
  rowCount(): number;
  isOrderly(): number;
  readonly loads: WebAssembly.Global;
  readonly counted: WebAssembly.Global;
  readonly chainDepth: WebAssembly.Global;
  readonly messageCount: WebAssembly.Global;
  readonly orphansOfCopies: WebAssembly.Global;
  readonly startId: WebAssembly.Global;
  resume(leaf: number, boundary: number, healMs: number): number;
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
  ): number;
  latestText(field: number): number;
  latestLength(field: number): number;
  forgetLatest(): void;
}

/** Longest text that is handed over through the scratch memory, in bytes. */
const SCRATCH_BYTES = 1024;

/** An instance of the scanner's module with the names of the format in it. */
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
    // SAFETY: an entry for each name.
    this.columns = Object.fromEntries(COLUMNS.map((name) => [name, this.exports[name].value >>> 0])) as Record<
      ColumnName,
      number
    >;
    for (const [table, codes] of Object.entries(SCANNED_NAMES)) {
      // SAFETY: Object.entries gives the keys of SCANNED_NAMES.
      this.#addNames(this.exports[table as TableName].value, codes);
    }
  }

  /** All of the memory. Memory that grows is another buffer: ask again after each call. */
  get bytes(): Buffer {
    if (this.#bytes.buffer !== this.exports.memory.buffer) this.#bytes = Buffer.from(this.exports.memory.buffer);
    return this.#bytes;
  }

  /** All of the memory as numbers of four bytes; see `bytes`. */
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

  /** Number of the model. The text is what stands between the quotes of its JSON. */
  internModel(model: string): number {
    return this.exports.internModel(this.#scratch, this.#write(JSON.stringify(model).slice(1, -1)));
  }

  /** Decodes what stands between the quotes of a JSON string. */
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

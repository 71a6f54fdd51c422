import { CHUNK_LENGTH, Column } from '../../util/column';
import { IdTable, NO_ID, uuidText } from '../idTable';
import type { KeyHash } from '../keyHash';
import type { OddIds } from '../oddIds';
import type { ListedRows } from '../plainTranscript';
import { RowTable } from '../rowTable';
import { MAX_LISTED_LINES } from '../transcriptFacts';
import { UsageTable } from '../usageTable';
import type { ColumnName, ScannerInstance } from './scannerInstance';

const NO_ROWS: ListedRows = { total: 0, lines: [], uuids: [] };

type NumberArray = Uint32Array | Int32Array | Float64Array;

type ArrayType<T extends NumberArray> = new (buffer: ArrayBuffer, at: number, length: number) => T;

/** Where the addresses of the segments stand in a column, in numbers of four bytes; its length stands at its start. */
const SEGMENTS = 2;

/** Takes the tables of an instance out of its memory: as copies, or as views that are good until it grows or starts anew. */
export class ScannerTables {
  constructor(
    private readonly instance: ScannerInstance,
    private readonly isCopied: boolean,
  ) {}

  ids(odd: OddIds): IdTable {
    return new IdTable(this.#uint32('idWords'), odd);
  }

  rows(): RowTable {
    const timestamps = this.#chunks('timestampColumn', Float64Array);
    return new RowTable({
      line: this.#uint32('lineColumn'),
      flags: this.#uint32('flagsColumn'),
      uuid: this.#int32('uuidColumn'),
      parent: this.#int32('parentColumn'),
      timestamp: Column.float64(timestamps, this.#length('timestampColumn')),
      message: this.#int32('messageColumn'),
      hash: this.#uint32('hashColumn'),
      offset: this.#uint32('offsetColumn'),
      toolStart: this.#uint32('toolStartColumn'),
      tools: this.#uint32('toolColumn'),
      highOffsets: this.#uint32('highOffsets'),
    });
  }

  /** In ascending order. */
  list(name: ColumnName): readonly number[] {
    return this.#length(name) === 0 ? [] : Array.from(this.#uint32(name).toArray().sort());
  }

  uuidText(id: number): string | null {
    if (id === NO_ID) return null;
    const { instance } = this;
    const at = instance.exports.addressOf(instance.columns.idWords, id * 4) >>> 2;
    const [a = 0, b = 0, c = 0, d = 0] = instance.numbers.subarray(at, at + 4);
    return uuidText(a, b, c, d);
  }

  /** The rows that a column names. */
  listedRows(name: ColumnName): ListedRows {
    const total = this.#length(name);
    if (total === 0) return NO_ROWS;
    const rows = this.list(name).slice(0, MAX_LISTED_LINES);
    const [lines, uuids] = [this.#uint32('lineColumn'), this.#int32('uuidColumn')];
    return {
      total,
      lines: rows.map((row) => lines.get(row)),
      uuids: rows.map((row) => this.uuidText(uuids.get(row))).filter((uuid) => uuid !== null),
    };
  }

  usage(): UsageTable {
    const names = this.#uint32('modelNames');
    const models: string[] = [];
    for (let at = 0; at < names.length; at += 2) models.push(this.instance.text(names.get(at), names.get(at + 1)));
    const hashes = this.#uint32('keyHashes');
    const hashOf = (key: number): KeyHash => ({ low: hashes.get(key * 2), high: hashes.get(key * 2 + 1) });
    return new UsageTable(hashOf, this.#uint32('usageEntries'), models);
  }

  #uint32(name: ColumnName): Column<Uint32Array> {
    return Column.uint32(this.#chunks(name, Uint32Array), this.#length(name));
  }

  #int32(name: ColumnName): Column<Int32Array> {
    return Column.int32(this.#chunks(name, Int32Array), this.#length(name));
  }

  #length(name: ColumnName): number {
    return this.instance.lengthOf(name);
  }

  #chunks<T extends NumberArray>(name: ColumnName, type: ArrayType<T>): T[] {
    const { numbers } = this.instance;
    const firstSegment = (this.instance.columns[name] >>> 2) + SEGMENTS;
    const length = this.#length(name);
    // Never an empty array: it would be another kind of array to the loops that read it.
    const chunks: T[] = [this.#chunk(type, numbers[firstSegment] ?? 0, length)];
    for (let left = length - CHUNK_LENGTH; left > 0; left -= CHUNK_LENGTH) {
      chunks.push(this.#chunk(type, numbers[firstSegment + chunks.length] ?? 0, left));
    }
    return chunks;
  }

  /** Up to a chunk of numbers from the address on. */
  #chunk<T extends NumberArray>(type: ArrayType<T>, at: number, length: number): T {
    const view = new type(this.instance.numbers.buffer, at, Math.min(length, CHUNK_LENGTH));
    // SAFETY: `slice` of a typed array gives one of its own type.
    return this.isCopied ? (view.slice() as T) : view;
  }
}

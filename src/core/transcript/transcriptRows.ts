import { type JsonObject, parseObject } from '../util/json';
import { dissectLine } from './dissectLine';
import { NO_ID } from './idTable';
import type { RowSource } from './rowSource';
import type { RowTable } from './rowTable';

/** The first row that stands on a line; `NO_ID` when none does. */
export function rowAtLine(rows: RowTable, line: number): number {
  const row = firstRowFrom(rows, line);
  return row < rows.count && rows.line(row) === line ? row : NO_ID;
}

/** The first row that stands on a line or behind it. */
export function firstRowFrom(rows: RowTable, line: number): number {
  let low = 0;
  let high = rows.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows.line(middle) < line) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What was read of a transcript. Good as long as the file only grows. */
export class RetainedRows {
  readonly rows = new RowCache();
  readonly offsets = new LineOffsets();

  clear(): void {
    this.rows.clear();
    this.offsets.clear();
  }
}

/** The rows of an open transcript, parsed when they are asked for. */
export class TranscriptRows {
  constructor(
    readonly table: RowTable,
    readonly source: RowSource,
    private readonly memory: RetainedRows,
  ) {}

  /** Null when it is too long, or does not stand there any more. */
  object(row: number): JsonObject | null {
    const offset = this.table.offset(row);
    const kept = this.memory.rows.get(offset);
    if (kept !== null) return kept;
    const { bytes, isCut } = this.source.lineAt(offset);
    if (isCut) return null;
    const object = parseObject(bytes.toString('utf8')) ?? dissectLine(bytes, false).objects[0]?.object ?? null;
    if (object !== null) this.memory.rows.add(offset, object, bytes.length);
    return object;
  }

  /** The bytes of a row from its beginning to the end of its line. Good until the next call. */
  bytes(row: number, maxBytes: number): Buffer {
    return this.source.lineAt(this.table.offset(row), maxBytes).bytes;
  }

  /** The line as it stands in the file. Good until the next call. */
  line(line: number, maxBytes?: number): Buffer {
    return this.source.lineAt(this.lineOffset(line), maxBytes).bytes;
  }

  /** Objects of a line in their order, whether rows of them are stored or not. */
  objectsOfLine(line: number): readonly JsonObject[] {
    return dissectLine(this.line(line), line === 1).objects.map(({ object }) => object);
  }

  lineOffset(line: number): number {
    return this.memory.offsets.of(line, this.table, this.source);
  }
}

/** Places that are remembered. */
const MAX_KNOWN = 4_096;

/**
 * Where lines begin of which no row is stored: found from the row before them. Good as long as the file only grows.
 */
class LineOffsets {
  readonly #known = new Map<number, number>();

  /** Offset of the 1-based line; the end of the known bytes when there is none. */
  of(line: number, rows: RowTable, source: RowSource): number {
    const known = this.#known.get(line);
    if (known !== undefined) return known;
    const before = firstRowFrom(rows, line) - 1;
    let from = before < 0 ? 1 : rows.line(before);
    let offset = before < 0 ? 0 : rows.offset(before);
    const neighbour = this.#known.get(line - 1);
    if (neighbour !== undefined) [from, offset] = [line - 1, neighbour];
    const found = source.skipLines(offset, line - from);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(line, found);
    return found;
  }

  clear(): void {
    this.#known.clear();
  }
}

/** Bytes of the rows that are kept parsed. */
const MAX_BYTES = 4 * 1024 * 1024;
/** A longer row is parsed again. */
const MAX_ROW_BYTES = 128 * 1024;

/** Rows that were parsed last, by their offset. Good as long as the file only grows. */
class RowCache {
  readonly #rows = new Map<number, { readonly object: JsonObject; readonly bytes: number }>();
  #bytes = 0;

  get(offset: number): JsonObject | null {
    const kept = this.#rows.get(offset);
    if (kept === undefined) return null;
    this.#rows.delete(offset);
    this.#rows.set(offset, kept);
    return kept.object;
  }

  add(offset: number, object: JsonObject, bytes: number): void {
    if (bytes > MAX_ROW_BYTES || this.#rows.has(offset)) return;
    this.#rows.set(offset, { object, bytes });
    this.#bytes += bytes;
    for (const [oldest, kept] of this.#rows) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#rows.delete(oldest);
      this.#bytes -= kept.bytes;
    }
  }

  clear(): void {
    this.#rows.clear();
    this.#bytes = 0;
  }
}

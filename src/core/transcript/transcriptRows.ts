import { type JsonObject, parseObject } from '../util/json';
import { dissectLine } from './dissectLine';
import { NO_ID } from './idTable';
import type { RowSource } from './rowSource';
import { RowFlag } from './rowFlags';
import type { RowTable } from './rowTable';

/** The first row on a line; `NO_ID` if there is none. */
export function rowAtLine(rows: RowTable, line: number): number {
  const row = firstRowFrom(rows, line);
  return row < rows.count && rows.line(row) === line ? row : NO_ID;
}

/** The first row on a line or after it. */
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

/** What was read of a transcript. Valid while the file only grows. */
export class RetainedRows {
  readonly rows = new RowCache();
  readonly offsets = new LineOffsets();

  clear(): void {
    this.rows.clear();
    this.offsets.clear();
  }
}

/** The rows of an open transcript, parsed on demand. */
export class TranscriptRows {
  constructor(
    readonly table: RowTable,
    readonly source: RowSource,
    private readonly memory: RetainedRows,
  ) {}

  /** As in `RowCache`. */
  #longLine: { readonly offset: number; readonly objects: WeakRef<readonly JsonObject[]> } | null = null;

  /** Null if the row is too long or is no longer in the file. */
  object(row: number): JsonObject | null {
    const offset = this.table.offset(row);
    const kept = this.memory.rows.get(offset);
    if (kept !== null) return kept;
    const bytes = this.source.wholeLineAt(offset);
    if (bytes === null) return null;
    const object = parseObject(bytes.toString('utf8')) ?? firstObject(bytes);
    if (object === null) return this.#spreadObject(offset);
    this.memory.rows.add(offset, object, bytes.length);
    return object;
  }

  /** The bytes of a row from its beginning to the end of its line, or of its last line. Valid until the next call. */
  bytes(row: number, maxBytes: number): Buffer {
    const offset = this.table.offset(row);
    const spread = this.table.has(row, RowFlag.sharesLine) ? this.source.valueAt(offset) : null;
    return spread?.subarray(0, maxBytes) ?? this.source.lineAt(offset, maxBytes).bytes;
  }

  /** Number of bytes from the beginning of a row to the end of its line. Searches the file for it. */
  lineLength(row: number): number {
    return this.source.lengthAt(this.table.offset(row));
  }

  /** The row spans several lines. */
  #spreadObject(offset: number): JsonObject | null {
    const bytes = this.source.valueAt(offset);
    const object = bytes === null ? null : firstObject(bytes);
    if (object !== null) this.memory.rows.add(offset, object, bytes?.length ?? 0);
    return object;
  }

  /** The line exactly as it is in the file, but at most `maxBytes` of it. Valid until the next call. */
  line(line: number, maxBytes: number): Buffer {
    return this.source.lineAt(this.lineOffset(line), maxBytes).bytes;
  }

  /** Objects of a line in order, whether or not they are stored as rows. None if the line is too long. */
  objectsOfLine(line: number): readonly JsonObject[] {
    const offset = this.lineOffset(line);
    const kept = this.#longLine?.offset === offset ? this.#longLine.objects.deref() : undefined;
    if (kept !== undefined) return kept;
    const bytes = this.source.wholeLineAt(offset);
    if (bytes === null) return [];
    const objects = dissectLine(bytes, line === 1).objects.map(({ object }) => object);
    if (bytes.length > MAX_ROW_BYTES) this.#longLine = { offset, objects: new WeakRef(objects) };
    return objects;
  }

  lineOffset(line: number): number {
    return this.memory.offsets.of(line, this.table, this.source);
  }
}

function firstObject(bytes: Buffer): JsonObject | null {
  return dissectLine(bytes, false).objects[0]?.object ?? null;
}

/** Maximum number of cached offsets. */
const MAX_KNOWN = 4_096;

/**
 * Offsets of lines that have no stored row, found by searching from the row before them. Valid while the file only grows.
 */
class LineOffsets {
  readonly #known = new Map<number, number>();

  /** Offset of the 1-based line; the end of the known bytes if there is no such line. */
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

/** Limit of the total size of the cached rows, in bytes of their JSON. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Longer rows are not cached. */
const MAX_ROW_BYTES = 128 * 1024;

/** The most recently used parsed rows, by offset. Valid while the file only grows. */
class RowCache {
  readonly #rows = new Map<number, { readonly object: JsonObject; readonly bytes: number }>();
  #bytes = 0;
  /** The last longer row. Not kept, but found again by who asks for it several times in a row: parsing it costs most memory of all. */
  #long: { readonly offset: number; readonly object: WeakRef<JsonObject> } | null = null;

  get(offset: number): JsonObject | null {
    const kept = this.#rows.get(offset);
    if (kept === undefined) return this.#long?.offset === offset ? (this.#long.object.deref() ?? null) : null;
    this.#rows.delete(offset);
    this.#rows.set(offset, kept);
    return kept.object;
  }

  add(offset: number, object: JsonObject, bytes: number): void {
    if (bytes > MAX_ROW_BYTES) this.#long = { offset, object: new WeakRef(object) };
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
    this.#long = null;
    this.#bytes = 0;
  }
}

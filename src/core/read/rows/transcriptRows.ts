import { parseObject, type JsonObject } from '../../claude/json';
import { dissectLine } from '../../scan/dissectLine';
import type { RowTable } from '../../scan/rowTable';
import { LineOffsets } from './lineOffsets';
import { RowCache } from './rowCache';
import type { RowSource } from './rowSource';

/** What was read of a transcript. Good as long as the file only grows. */
export class RowMemory {
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
    private readonly memory: RowMemory,
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

import { basename, dirname, sep } from 'node:path';
import { crc32 } from 'node:zlib';
import { isJsonObject, parseObject } from '../../claude/json';
import { CHUNK_LENGTH, Column } from '../../util/column';
import { COLUMN_NAMES, MessageColumns } from '../messageColumns';
import type { UsageFile, UsageFileNotes, UsageStamp } from '../usageFile';
import {
  BIGINT,
  BIGINTS_PER_FILE,
  CHECKED_FROM,
  DOUBLE,
  DOUBLES_PER_FILE,
  FORMAT_VERSION,
  layOut,
  MAGIC,
  NUMBER,
  NUMBERS_PER_FILE,
  PREAMBLE_BYTES,
  TEXTS,
  type UsageHeader,
  type UsageLayout,
} from './usageLayout';

/** A transcript as the cache file knows it. */
export interface StoredFile {
  readonly place: UsageFile;
  readonly stamp: UsageStamp;
  readonly notes: UsageFileNotes;
  /** Milliseconds since the epoch. */
  readonly readAtMs: number;
  readonly messages: number;
}

/** The cache file in memory as it was read. */
export class UsageTable {
  readonly #bytes: Buffer;
  readonly #header: UsageHeader;
  readonly #layout: UsageLayout;
  #titles: readonly string[] | null = null;

  private constructor(bytes: Buffer, header: UsageHeader, layout: UsageLayout) {
    this.#bytes = bytes;
    this.#header = header;
    this.#layout = layout;
  }

  /** null for bytes that are damaged, cut short, or not of this engine. */
  static read(file: Buffer, engineVersion: string): UsageTable | null {
    const bytes = file.byteOffset % 8 === 0 ? file : Buffer.from(new Uint8Array(file).buffer);
    if (bytes.length < PREAMBLE_BYTES) return null;
    // A file of a machine with the other byte order has another magic number.
    const [magic, checksum, headerBytes = 0] = new Uint32Array(bytes.buffer, bytes.byteOffset, 3);
    if (magic !== MAGIC || checksum !== crc32(bytes.subarray(CHECKED_FROM))) return null;
    const header = parseObject(bytes.toString('utf8', PREAMBLE_BYTES, PREAMBLE_BYTES + headerBytes));
    if (!isHeader(header) || header.engineVersion !== engineVersion) return null;
    const layout = layOut(headerBytes, header);
    return layout.size === bytes.length ? new UsageTable(bytes, header, layout) : null;
  }

  get models(): readonly (string | null)[] {
    return this.#header.models;
  }

  /** Views of the file, in the order of its transcripts. */
  columns(): MessageColumns {
    const { columns } = this.#layout;
    const quarter = Column.int32(this.#chunks(columns[0] ?? 0, Int32Array), this.#header.messages);
    return new MessageColumns(quarter, (name) =>
      Column.uint32(this.#chunks(columns[1 + COLUMN_NAMES.indexOf(name)] ?? 0, Uint32Array), this.#header.messages),
    );
  }

  /** In the order of their messages. */
  files(): StoredFile[] {
    const { files, projects, cwds } = this.#header;
    const { buffer, byteOffset } = this.#bytes;
    const bigints = new BigInt64Array(buffer, byteOffset + this.#layout.bigints, files * BIGINTS_PER_FILE);
    const doubles = new Float64Array(buffer, byteOffset + this.#layout.doubles, files * DOUBLES_PER_FILE);
    const numbers = new Uint32Array(buffer, byteOffset + this.#layout.numbers, files * NUMBERS_PER_FILE);
    const [names, sessionIds] = [this.#texts(0), this.#texts(1)];
    return Array.from({ length: files }, (_, at): StoredFile => {
      const double = (which: number): number => doubles[at * DOUBLES_PER_FILE + which] ?? 0;
      const number = (which: number): number => numbers[at * NUMBERS_PER_FILE + which] ?? 0;
      const bigint = (which: number): bigint => bigints[at * BIGINTS_PER_FILE + which] ?? 0n;
      const project = projects[number(NUMBER.project)] ?? '';
      const lastMessageMs = double(DOUBLE.lastMessageMs);
      const title = (): string | null => this.#title(at);
      return {
        place: {
          filePath: project + sep + (names[at] ?? ''),
          project,
          sessionId: sessionIds[at] ?? '',
          isAgent: number(NUMBER.isAgent) !== 0,
          firstMs: double(DOUBLE.firstMs),
        },
        stamp: {
          size: double(DOUBLE.size),
          mtimeNs: bigint(BIGINT.mtimeNs),
          ctimeNs: bigint(BIGINT.ctimeNs),
          inode: bigint(BIGINT.inode),
        },
        notes: {
          cwd: cwds[number(NUMBER.cwd)] ?? null,
          lastMessageMs: Number.isNaN(lastMessageMs) ? null : lastMessageMs,
          get title() {
            return title();
          },
        },
        readAtMs: double(DOUBLE.readAtMs),
        messages: number(NUMBER.messages),
      };
    });
  }

  #title(at: number): string | null {
    this.#titles ??= this.#texts(2);
    const title = this.#titles[at] ?? '';
    return title === '' ? null : title;
  }

  #texts(kind: number): readonly string[] {
    const from = this.#layout.texts[kind] ?? 0;
    return this.#bytes.toString('utf8', from, from + (this.#header.texts[kind] ?? 0)).split('\0');
  }

  #chunks<T extends Int32Array | Uint32Array>(
    from: number,
    type: new (buffer: ArrayBufferLike, at: number, length: number) => T,
  ): T[] {
    const { messages } = this.#header;
    const chunks: T[] = [];
    for (let at = 0; at < messages; at += CHUNK_LENGTH) {
      const { buffer, byteOffset } = this.#bytes;
      chunks.push(new type(buffer, byteOffset + from + at * 4, Math.min(CHUNK_LENGTH, messages - at)));
    }
    return chunks;
  }
}

/** What another version wrote may look otherwise. */
function isHeader(value: unknown): value is UsageHeader {
  if (!isJsonObject(value)) return false;
  const { formatVersion, engineVersion, files, messages, models, projects, cwds, texts } = value;
  return (
    formatVersion === FORMAT_VERSION &&
    typeof engineVersion === 'string' &&
    Number.isSafeInteger(files) &&
    Number.isSafeInteger(messages) &&
    [models, projects, cwds, texts].every((list) => Array.isArray(list)) &&
    (texts as readonly unknown[]).length === TEXTS.length
  );
}

/** The path of a transcript below its project. */
export function nameBelow(project: string, filePath: string): string {
  return dirname(filePath) === project ? basename(filePath) : filePath.slice(project.length + sep.length);
}

import { basename, dirname, sep } from 'node:path';
import { crc32 } from 'node:zlib';
import { CHUNK_LENGTH, Column } from '../util/columns';
import { isJsonObject, parseObject } from '../util/json';
import { BUCKET_SUMS, UsageBuckets } from './buckets';
import { COLUMN_NAMES, MessageColumns } from './messageIndex';
import { ProjectCwds, type StatedCwd, type UsageFile, type UsageFileNotes, type UsageStamp } from './usageFiles';

/*
 * The file format of the token counts: a JSON header, followed by columns of numbers in the layout of typed arrays. The
 * columns are views of the file's bytes, so nothing is copied or parsed. The same columns as JSON would take five times
 * as long to read and, with two million messages, two and a half times the memory.
 */

/** Must be increased when the format or the meaning of the figures changes. */
export const FORMAT_VERSION = 3;
export const MAGIC = 0x52545553;
/** Three uint32: the magic number, the checksum of all bytes after it, and the length of the JSON header in bytes. */
export const PREAMBLE_BYTES = 12;
/** The checksum covers the bytes from this offset to the end. */
export const CHECKED_FROM = 8;

/** Position of each 64-bit integer among those of a transcript. */
export const BIGINT = { mtimeNs: 0, ctimeNs: 1, inode: 2 } as const;
/** Position of each double among those of a transcript. NaN stands for an unknown value. */
export const DOUBLE = { size: 0, firstMs: 1, readAtMs: 2, lastMessageMs: 3 } as const;
/** Position of each uint32 among those of a transcript. `project` and `cwd` are positions in the header's lists. */
export const NUMBER = { messages: 0, project: 1, isAgent: 2, cwd: 3 } as const;
/** Columns of the buckets, each of int32. */
export const BUCKET_COLUMNS = ['quarters', 'classes', 'projects'] as const;
/** Texts of the transcripts. The texts of one kind follow one another, separated by NULs. */
const TEXTS = ['names', 'sessionIds', 'titles'] as const;

export const BIGINTS_PER_FILE = Object.keys(BIGINT).length;
export const DOUBLES_PER_FILE = Object.keys(DOUBLE).length;
export const NUMBERS_PER_FILE = Object.keys(NUMBER).length;
/** Number of message columns: the times, then `COLUMN_NAMES`. */
const COLUMNS = 1 + COLUMN_NAMES.length;

/** The JSON after the preamble. */
export interface UsageHeader {
  readonly formatVersion: number;
  readonly engineVersion: string;
  readonly files: number;
  readonly messages: number;
  /** Number of buckets. */
  readonly cells: number;
  readonly models: readonly (string | null)[];
  /** Absolute paths of folders. */
  readonly projects: readonly string[];
  /** The working directory of each project. */
  readonly projectCwds: readonly (StatedCwd | null)[];
  /** The first is null. */
  readonly cwds: readonly (string | null)[];
  /** Number of bytes of each kind of text, in the order of `TEXTS`. */
  readonly texts: readonly number[];
}

/** Where each section begins, in bytes from the start of the file. */
export interface UsageLayout {
  readonly bigints: number;
  readonly doubles: number;
  readonly numbers: number;
  readonly bucketSums: number;
  /** In the order of `BUCKET_COLUMNS`. */
  readonly bucketColumns: readonly number[];
  readonly columns: readonly number[];
  readonly texts: readonly number[];
  /** Bytes of the whole file. */
  readonly size: number;
}

/** Places each typed array at a multiple of its element size. */
export function layOut(
  headerBytes: number,
  { files, messages, cells, texts }: Pick<UsageHeader, 'files' | 'messages' | 'cells' | 'texts'>,
): UsageLayout {
  const bigints = Math.ceil((PREAMBLE_BYTES + headerBytes) / 8) * 8;
  const doubles = bigints + BIGINTS_PER_FILE * files * 8;
  const bucketSums = doubles + DOUBLES_PER_FILE * files * 8;
  const numbers = bucketSums + BUCKET_SUMS * cells * 8;
  const firstBucketColumn = numbers + NUMBERS_PER_FILE * files * 4;
  const bucketColumns = BUCKET_COLUMNS.map((_, at) => firstBucketColumn + at * cells * 4);
  const firstColumn = firstBucketColumn + BUCKET_COLUMNS.length * cells * 4;
  const columns = Array.from({ length: COLUMNS }, (_, at) => firstColumn + at * messages * 4);
  const starts: number[] = [];
  let at = firstColumn + COLUMNS * messages * 4;
  for (const bytes of texts) {
    starts.push(at);
    at += bytes;
  }
  return { bigints, doubles, numbers, bucketSums, bucketColumns, columns, texts: starts, size: at };
}

/** A transcript in the cache file. */
export interface StoredFile {
  readonly place: UsageFile;
  readonly stamp: UsageStamp;
  readonly notes: UsageFileNotes;
  /** Milliseconds since the epoch. */
  readonly readAtMs: number;
  readonly messages: number;
}

/** The content of the cache file, in memory. */
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

  /** Null if the bytes are damaged, truncated, or from another engine version. */
  static read(file: Buffer, engineVersion: string): UsageTable | null {
    const bytes = file.byteOffset % 8 === 0 ? file : Buffer.from(new Uint8Array(file).buffer);
    if (bytes.length < PREAMBLE_BYTES) return null;
    // On a machine with another byte order, the magic number differs.
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

  /** Folders of the projects by their numbers in the buckets. */
  get projects(): readonly string[] {
    return this.#header.projects;
  }

  /** The sums of all messages, each counted once. */
  buckets(): UsageBuckets {
    const { buffer, byteOffset } = this.#bytes;
    const { bucketColumns, bucketSums } = this.#layout;
    const count = this.#header.cells;
    const column = (name: (typeof BUCKET_COLUMNS)[number]): Int32Array =>
      new Int32Array(buffer, byteOffset + (bucketColumns[BUCKET_COLUMNS.indexOf(name)] ?? 0), count);
    return new UsageBuckets({
      quarters: column('quarters'),
      classes: column('classes'),
      projects: column('projects'),
      sums: new Float64Array(buffer, byteOffset + bucketSums, count * BUCKET_SUMS),
    });
  }

  /** The working directories of the projects. */
  cwds(): ProjectCwds {
    const cwds = new ProjectCwds();
    for (const [at, known] of this.#header.projectCwds.entries()) {
      if (known !== null) cwds.note(this.#header.projects[at] ?? '', ...known);
    }
    return cwds;
  }

  /** Views of the file's bytes. The messages are in the order of the transcripts. */
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
    const values = { bigints, doubles, numbers, cwds, title: (at: number) => this.#title(at) };
    return Array.from({ length: files }, (_, at): StoredFile => {
      const project = projects[numbers[at * NUMBERS_PER_FILE + NUMBER.project] ?? 0] ?? '';
      const place = {
        filePath: project + sep + (names[at] ?? ''),
        project,
        sessionId: sessionIds[at] ?? '',
        isAgent: numbers[at * NUMBERS_PER_FILE + NUMBER.isAgent] !== 0,
        firstMs: doubles[at * DOUBLES_PER_FILE + DOUBLE.firstMs] ?? 0,
      };
      return new LazyFile(place, values, at);
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

/** The values of all transcripts. */
interface FileValues {
  readonly bigints: BigInt64Array;
  readonly doubles: Float64Array;
  readonly numbers: Uint32Array;
  readonly cwds: readonly (string | null)[];
  readonly title: (at: number) => string | null;
}

/** Reads each value only when it is requested, because a start needs only the places of most transcripts. */
class LazyFile implements StoredFile {
  constructor(
    readonly place: UsageFile,
    private readonly values: FileValues,
    private readonly at: number,
  ) {}

  get messages(): number {
    return this.values.numbers[this.at * NUMBERS_PER_FILE + NUMBER.messages] ?? 0;
  }

  get readAtMs(): number {
    return this.#double(DOUBLE.readAtMs);
  }

  get stamp(): UsageStamp {
    const [mtimeNs = 0n, ctimeNs = 0n, inode = 0n] = this.values.bigints.subarray(
      this.at * BIGINTS_PER_FILE,
      (this.at + 1) * BIGINTS_PER_FILE,
    );
    return { size: this.#double(DOUBLE.size), mtimeNs, ctimeNs, inode };
  }

  get notes(): UsageFileNotes {
    const lastMessageMs = this.#double(DOUBLE.lastMessageMs);
    const title = (): string | null => this.values.title(this.at);
    return {
      cwd: this.values.cwds[this.values.numbers[this.at * NUMBERS_PER_FILE + NUMBER.cwd] ?? 0] ?? null,
      lastMessageMs: Number.isNaN(lastMessageMs) ? null : lastMessageMs,
      get title() {
        return title();
      },
    };
  }

  #double(which: number): number {
    return this.values.doubles[this.at * DOUBLES_PER_FILE + which] ?? 0;
  }
}

/** Checks the header, because another version may have written the file. */
function isHeader(value: unknown): value is UsageHeader {
  if (!isJsonObject(value)) return false;
  const { formatVersion, engineVersion, files, messages, cells, models, projects, projectCwds, cwds, texts } = value;
  return (
    formatVersion === FORMAT_VERSION &&
    typeof engineVersion === 'string' &&
    Number.isSafeInteger(files) &&
    Number.isSafeInteger(messages) &&
    Number.isSafeInteger(cells) &&
    [models, projects, projectCwds, cwds, texts].every((list) => Array.isArray(list)) &&
    (texts as readonly unknown[]).length === TEXTS.length
  );
}

/** The path of a transcript, relative to its project. */
export function nameBelow(project: string, filePath: string): string {
  return dirname(filePath) === project ? basename(filePath) : filePath.slice(project.length + sep.length);
}

import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import type { SessionMetadata, SessionScanResult } from '../../../protocol/session';
import type { FileStamp } from '../../util/diskFiles';
import { isJsonObject, parseObject } from '../../util/json';
import type { KnownListing } from './knownListing';
import type { SessionSource } from './storedSession';
import {
  BIGINT,
  BIGINTS_PER_ROW,
  CHECKED_FROM,
  COUNT,
  COUNTS_PER_ROW,
  DOUBLE,
  DOUBLES_PER_ROW,
  FORMAT_VERSION,
  layOut,
  MAGIC,
  PREAMBLE_BYTES,
  type StoredFolder,
  type TableHeader,
  type TableRow,
  TEXT,
  TEXTS_PER_ROW,
} from './tableLayout';
import { TableTexts } from './tableTexts';
import { plainSessionId, type RowRest, STATUSES } from './toTableRow';

/** The cache file in memory as it was read. Nothing is made of it but the sessions that are asked for. */
export class SessionTable {
  readonly count: number;
  /** Reads the parts of a session. */
  readonly source: SessionSource = {
    result: (row, path) => this.#result(row, path),
    metadata: (row) => this.#metadata(row),
  };
  readonly #bigints: BigInt64Array;
  readonly #doubles: Float64Array;
  readonly #counts: Uint32Array;
  readonly #texts: TableTexts;
  readonly #folders: ReadonlyMap<string, StoredFolder>;
  /** Row of each path; made when rows are asked for in another order than they lie in. */
  #rows: Map<string, number> | null = null;
  #expected = 0;

  private constructor(bytes: Buffer, header: TableHeader, headerBytes: number) {
    const { count, folders } = header;
    const layout = layOut(headerBytes, header);
    const { buffer, byteOffset } = bytes;
    this.count = count;
    this.#folders = new Map(folders.map((folder) => [folder.path, folder]));
    this.#bigints = new BigInt64Array(buffer, byteOffset + layout.bigints, BIGINTS_PER_ROW * count);
    this.#doubles = new Float64Array(buffer, byteOffset + layout.doubles, DOUBLES_PER_ROW * count);
    this.#counts = new Uint32Array(buffer, byteOffset + layout.counts, COUNTS_PER_ROW * count);
    this.#texts = new TableTexts(bytes, header, layout);
  }

  /** null for bytes that are damaged, cut short, or not of this engine. */
  static read(file: Buffer, engineVersion: string): SessionTable | null {
    const bytes = file.byteOffset % 8 === 0 ? file : Buffer.from(new Uint8Array(file).buffer);
    if (bytes.length < PREAMBLE_BYTES) return null;
    // A file of a machine with the other byte order has another magic number.
    const [magic, checksum, headerBytes = 0] = new Uint32Array(bytes.buffer, bytes.byteOffset, 3);
    if (magic !== MAGIC || checksum !== crc32(bytes.subarray(CHECKED_FROM))) return null;
    const header = parseObject(bytes.toString('utf8', PREAMBLE_BYTES, PREAMBLE_BYTES + headerBytes));
    if (!isHeader(header) || header.engineVersion !== engineVersion) return null;
    return layOut(headerBytes, header).size === bytes.length ? new SessionTable(bytes, header, headerBytes) : null;
  }

  /** The folders whose transcripts all have rows. */
  *listings(): Generator<KnownListing> {
    for (const folder of this.#folders.keys()) {
      const known = this.listing(folder);
      if (known !== null) yield known;
    }
  }

  listing(folder: string): KnownListing | null {
    const stored = this.#folders.get(folder);
    if (stored === undefined) return null;
    const { firstRow, rowCount, size, listedAtMs } = stored;
    const [mtimeNs, ctimeNs, inode] = [BigInt(stored.mtimeNs), BigInt(stored.ctimeNs), BigInt(stored.inode)];
    return {
      listing: {
        folder,
        transcripts: Array.from({ length: rowCount }, (_, at) => this.path(firstRow + at)),
        withBackup: new Set(stored.withBackup),
      },
      stamp: { size, mtimeMs: Number(mtimeNs / 1_000_000n), mtimeNs, ctimeNs, inode, isFolder: true },
      listedAtMs,
    };
  }

  /** The row of the transcript, or -1. Fastest in the order of the rows, folder by folder. */
  find(path: string): number {
    if (this.#isExpected(path)) return this.#expected++;
    this.#expected = this.#folders.get(dirname(path))?.firstRow ?? this.count;
    if (this.#isExpected(path)) return this.#expected++;
    if (this.#rows === null) {
      this.#rows = new Map();
      for (let row = 0; row < this.count; row++) this.#rows.set(this.path(row), row);
    }
    const found = this.#rows.get(path) ?? -1;
    if (found >= 0) this.#expected = found + 1;
    return found;
  }

  #isExpected(path: string): boolean {
    return this.#expected < this.count && this.path(this.#expected) === path;
  }

  path(row: number): string {
    return this.#texts.get(row, TEXT.path) ?? '';
  }

  scannedAtMs(row: number): number {
    return this.#doubles[row * DOUBLES_PER_ROW + DOUBLE.scannedAtMs] ?? 0;
  }

  isOf(row: number, stamp: FileStamp): boolean {
    const at = row * BIGINTS_PER_ROW;
    return (
      this.#doubles[row * DOUBLES_PER_ROW + DOUBLE.size] === stamp.size &&
      this.#bigints[at + BIGINT.mtimeNs] === stamp.mtimeNs &&
      this.#bigints[at + BIGINT.ctimeNs] === stamp.ctimeNs &&
      this.#bigints[at + BIGINT.inode] === stamp.inode
    );
  }

  #result(row: number, path: string): SessionScanResult {
    const counts = this.#counts;
    const at = row * COUNTS_PER_ROW;
    const json = this.#texts.get(row, TEXT.rest);
    const rest = json === null ? NO_REST : parseRest(json);
    return {
      sessionId: rest.sessionId ?? plainSessionId(path),
      filePath: rest.filePath ?? path,
      status: STATUSES[counts[at + COUNT.status] ?? 0] ?? 'unreadable',
      chainDepth: counts[at + COUNT.chainDepth] ?? 0,
      orphanCount: counts[at + COUNT.orphanCount] ?? 0,
      fileSize: this.#doubles[row * DOUBLES_PER_ROW + DOUBLE.fileSize] ?? 0,
      messageCount: counts[at + COUNT.messageCount] ?? 0,
      resume: {
        loads: counts[at + COUNT.loads] ?? 0,
        of: counts[at + COUNT.of] ?? 0,
        leafUuid: this.#texts.get(row, TEXT.leafUuid),
        missingLines: rest.missingLines ?? NONE,
      },
      findings: rest.findings ?? NONE,
    };
  }

  #metadata(row: number): SessionMetadata {
    const rest = this.#texts.get(row, TEXT.rest);
    const lastMessageMs = this.#doubles[row * DOUBLES_PER_ROW + DOUBLE.lastMessageMs] ?? Number.NaN;
    return {
      title: this.#texts.get(row, TEXT.title),
      cwd: this.#texts.getShared(row, TEXT.cwd),
      model: this.#texts.getShared(row, TEXT.model),
      gitBranch: this.#texts.getShared(row, TEXT.gitBranch),
      clientVersion: this.#texts.getShared(row, TEXT.clientVersion),
      lastMessageMs: Number.isNaN(lastMessageMs) ? null : lastMessageMs,
      // Findings may be long, and forks are few.
      parentSessionId: rest?.includes('"parentSessionId"') === true ? (parseRest(rest).parentSessionId ?? null) : null,
    };
  }

  /** As it is, to be written again. */
  row(row: number): TableRow {
    return {
      bigints: [...this.#bigints.subarray(row * BIGINTS_PER_ROW, (row + 1) * BIGINTS_PER_ROW)],
      doubles: [...this.#doubles.subarray(row * DOUBLES_PER_ROW, (row + 1) * DOUBLES_PER_ROW)],
      counts: [...this.#counts.subarray(row * COUNTS_PER_ROW, (row + 1) * COUNTS_PER_ROW)],
      texts: Array.from({ length: TEXTS_PER_ROW }, (_, kind) => this.#texts.get(row, kind)),
    };
  }
}

const NO_REST: RowRest = {};
/** Shared by the sessions that have none, which is nearly all of them. */
const NONE: readonly never[] = Object.freeze([]);

function parseRest(json: string): RowRest {
  // SAFETY: the checksum says that these are the bytes that `toTableRow` made.
  return JSON.parse(json) as RowRest;
}

/** What another version wrote may look otherwise. */
function isHeader(value: unknown): value is TableHeader {
  if (!isJsonObject(value)) return false;
  const { formatVersion, engineVersion, count, blocks, folders } = value;
  return (
    formatVersion === FORMAT_VERSION &&
    typeof engineVersion === 'string' &&
    Number.isSafeInteger(count) &&
    Array.isArray(blocks) &&
    Array.isArray(folders) &&
    blocks.length === TEXTS_PER_ROW
  );
}

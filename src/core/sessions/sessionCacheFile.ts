import { sep } from 'node:path';
import { crc32 } from 'node:zlib';
import type { ClientInfo } from '../../protocol/client';
import type { ScannedSession } from '../../protocol/session';
import type { ProjectListing } from '../providers/provider';
import type { FileStamp } from '../util/diskFiles';
import { parseSessionLine, StoredSession } from './sessionLine';

/*
 * The file format of the session cache: lines of JSON.
 *
 *   1. A header: format, engine version, and a checksum of all bytes after the header's line.
 *   2. For each folder a `FolderIndex`, followed by one line for each session that it names, in the same order.
 *
 * Only the indexes are parsed when a window starts. A session's line is parsed when the session is first used, and is
 * copied unchanged when the file is written again.
 */

/** Must be increased when the lines (see `sessionLine.ts`) or their meaning change. */
const FORMAT_VERSION = 7;
const NEWLINE = 0x0a;

/** The content of a folder, the stamp that the folder had just before it was read, and the time of reading. */
export interface KnownListing {
  readonly listing: ProjectListing;
  readonly stamp: StampNumbers;
  /** Milliseconds since the epoch. */
  readonly listedAtMs: number;
}

/** A session in the file. */
export interface CacheEntry {
  readonly path: string;
  readonly stamp: StampNumbers;
  /** Milliseconds since the epoch. */
  readonly scannedAtMs: number;
  /** By `sessionLine`. */
  readonly line: Buffer;
}

interface FolderIndex {
  /** The common prefix of the sessions' paths; ends with a separator. */
  readonly prefix: string;
  /** Null if some transcript of the folder has no session in the file. */
  readonly listing: {
    /** By `packStamps`. */
    readonly stamp: string;
    readonly listedAtMs: number;
    readonly withBackup: readonly string[];
    /** The number of listed transcripts, which are the first names. */
    readonly count: number;
  } | null;
  /** File names of the sessions. The other lists are in the same order. */
  readonly names: readonly string[];
  /** By `packStamps`: numbers of this size are slow to parse as JSON. */
  readonly stamps: string;
  readonly scannedAtMs: readonly number[];
  /** Bytes of each session's line, with its line break. */
  readonly lengths: readonly number[];
  /** Their sum. */
  readonly bytes: number;
}

interface StoredFolder {
  readonly index: FolderIndex;
  /** Absolute paths of the sessions. */
  readonly paths: readonly string[];
  /** Their stamps, consecutively. */
  readonly stamps: BigInt64Array;
  /** Offset of the first session's line in the file, in bytes. */
  readonly linesStart: number;
  /** Offset of each session's line; created when the first of them is read. */
  starts: readonly number[] | null;
  /** The position of each path; created when sessions are requested in another order than that of the file. */
  positions: ReadonlyMap<string, number> | null;
}

/** What `isSameStamp` compares, as 64-bit integers: size, mtime, ctime, inode. */
export type StampNumbers = BigInt64Array;

const NUMBERS_PER_STAMP = 4;

export function stampNumbers({ size, mtimeNs, ctimeNs, inode }: FileStamp): StampNumbers {
  return BigInt64Array.of(BigInt(size), mtimeNs, ctimeNs, inode);
}

/** Whether the numbers at a position of a list of stamps are those of the stamp. */
export function holdsStamp(numbers: BigInt64Array, position: number, stamp: FileStamp): boolean {
  const at = position * NUMBERS_PER_STAMP;
  return (
    numbers[at] === BigInt(stamp.size) &&
    numbers[at + 1] === stamp.mtimeNs &&
    numbers[at + 2] === stamp.ctimeNs &&
    numbers[at + 3] === stamp.inode
  );
}

/** As Base64, in the byte order of the machine. */
function packStamps(stamps: readonly StampNumbers[]): string {
  return Buffer.concat(stamps.map((each) => new Uint8Array(each.buffer, each.byteOffset, each.byteLength))).toString(
    'base64',
  );
}

function unpackStamps(packed: string): BigInt64Array {
  // A copy, which begins at a multiple of eight bytes.
  return new BigInt64Array(new Uint8Array(Buffer.from(packed, 'base64')).buffer);
}

/** The content of the cache file, in memory. */
export class SessionCacheFile {
  readonly #bytes: Buffer;
  readonly #client: ClientInfo;
  /** By prefix. */
  readonly #folders = new Map<string, StoredFolder>();
  /** The folder of the session that was found last, and the position after it. */
  #folder: StoredFolder | null = null;
  #next = 0;

  private constructor(bytes: Buffer, bodyStart: number, client: ClientInfo) {
    this.#bytes = bytes;
    this.#client = client;
    for (let at = bodyStart; at < bytes.length;) {
      const end = lineEnd(bytes, at);
      // SAFETY: the checksum says that these are the bytes that `SessionCacheWriter` made.
      const index = JSON.parse(bytes.toString('utf8', at, end)) as FolderIndex;
      const { prefix, names } = index;
      const linesStart = end + LINE_BREAK.length;
      const paths = names.map((name) => prefix + name);
      const stamps = unpackStamps(index.stamps);
      this.#folders.set(prefix, { index, paths, stamps, linesStart, starts: null, positions: null });
      at = linesStart + index.bytes;
    }
  }

  /**
   * Null for bytes that are damaged, cut short, in another format, or of another engine.
   * @param client the client that the results speak for
   */
  static read(bytes: Buffer, engineVersion: string, client: ClientInfo): SessionCacheFile | null {
    const bodyStart = lineEnd(bytes, 0) + LINE_BREAK.length;
    const header = headerLine(engineVersion, crc32(bytes.subarray(bodyStart)));
    return header.equals(bytes.subarray(0, bodyStart)) ? new SessionCacheFile(bytes, bodyStart, client) : null;
  }

  has(path: string): boolean {
    return this.#find(path) !== null;
  }

  /** Null if the file has no session with this path and stamp. Fastest in the order of the file. */
  get(path: string, stamp: FileStamp): ScannedSession | null {
    const folder = this.#find(path);
    const at = this.#next - 1;
    if (folder === null || !holdsStamp(folder.stamps, at, stamp)) return null;
    return new StoredSession(() => parseSessionLine(path, this.#line(folder, at), this.#client));
  }

  *entries(): Generator<CacheEntry> {
    for (const folder of this.#folders.values()) {
      for (const [at, path] of folder.paths.entries()) {
        const stamp = folder.stamps.slice(at * NUMBERS_PER_STAMP, (at + 1) * NUMBERS_PER_STAMP);
        yield { path, stamp, scannedAtMs: folder.index.scannedAtMs[at] ?? 0, line: this.#line(folder, at) };
      }
    }
  }

  listing(folder: string): KnownListing | null {
    const known = this.#folders.get(folder + sep);
    return known === undefined ? null : listingOf(known);
  }

  /** The folders whose transcripts all have sessions in the file. */
  *listings(): Generator<KnownListing> {
    for (const folder of this.#folders.values()) {
      const known = listingOf(folder);
      if (known !== null) yield known;
    }
  }

  /** The folder of the session, whose position is then just before `#next`; null if the session is not in the file. */
  #find(path: string): StoredFolder | null {
    if (this.#folder?.paths[this.#next] !== path) {
      const folder = this.#folders.get(path.slice(0, path.lastIndexOf(sep) + 1));
      if (folder === undefined) return null;
      this.#folder = folder;
      this.#next = folder.paths[0] === path ? 0 : positionOf(path, folder);
      if (this.#next < 0) return (this.#folder = null);
    }
    this.#next++;
    return this.#folder;
  }

  #line(folder: StoredFolder, at: number): Buffer {
    const { index, linesStart } = folder;
    let start = linesStart;
    folder.starts ??= index.lengths.map((length) => (start += length) - length);
    const from = folder.starts[at] ?? 0;
    return this.#bytes.subarray(from, from + (index.lengths[at] ?? 0) - LINE_BREAK.length);
  }
}

function positionOf(path: string, folder: StoredFolder): number {
  folder.positions ??= new Map(folder.paths.map((each, at) => [each, at]));
  return folder.positions.get(path) ?? -1;
}

function listingOf({ index: { prefix, listing }, paths }: StoredFolder): KnownListing | null {
  if (listing === null) return null;
  const { stamp, listedAtMs, count, withBackup } = listing;
  const folder = prefix.slice(0, -sep.length);
  return {
    listing: { folder, transcripts: paths.slice(0, count), withBackup: new Set(withBackup) },
    stamp: unpackStamps(stamp),
    listedAtMs,
  };
}

/** Collects sessions, folder by folder, and builds the bytes that `SessionCacheFile.read` understands. */
export class SessionCacheWriter {
  readonly #lines: Buffer[] = [];
  #checksum = 0;

  /**
   * Must be called once for each prefix.
   *
   * @param known the folder's listing if `sessions` begins with the sessions of all its transcripts, in the same order;
   * null otherwise
   */
  addFolder(prefix: string, sessions: readonly CacheEntry[], known: KnownListing | null): void {
    const lengths = sessions.map(({ line }) => line.length + LINE_BREAK.length);
    const index: FolderIndex = {
      prefix,
      listing: known === null ? null : storedListing(known),
      names: sessions.map(({ path }) => path.slice(prefix.length)),
      stamps: packStamps(sessions.map(({ stamp }) => stamp)),
      scannedAtMs: sessions.map(({ scannedAtMs }) => scannedAtMs),
      lengths,
      bytes: lengths.reduce((sum, length) => sum + length, 0),
    };
    this.#add(Buffer.from(JSON.stringify(index)));
    for (const { line } of sessions) this.#add(line);
  }

  build(engineVersion: string): Buffer {
    return Buffer.concat([headerLine(engineVersion, this.#checksum), ...this.#lines]);
  }

  #add(line: Buffer): void {
    for (const bytes of [line, LINE_BREAK]) {
      this.#lines.push(bytes);
      this.#checksum = crc32(bytes, this.#checksum);
    }
  }
}

function storedListing({ listing, stamp, listedAtMs }: KnownListing): FolderIndex['listing'] {
  return {
    stamp: packStamps([stamp]),
    listedAtMs,
    withBackup: [...listing.withBackup],
    count: listing.transcripts?.length ?? 0,
  };
}

const LINE_BREAK = Buffer.from([NEWLINE]);

function headerLine(engineVersion: string, checksum: number): Buffer {
  return Buffer.from(`${JSON.stringify({ rethread: 'sessions', format: FORMAT_VERSION, engineVersion, checksum })}\n`);
}

/** The offset of the line break, or the length if there is none. */
function lineEnd(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(NEWLINE, from);
  return end < 0 ? bytes.length : end;
}

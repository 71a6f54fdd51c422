import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { isJsonObject, parseObject } from '../util/json';
import { LaterVersionError, replaceLocked } from '../util/lockedFile';
import { CALL_WORDS, CallWord } from './toolCalls';
import { countsFileIn, type UsageStamp } from './usageFiles';

/*
 * The file format: a preamble of uint32 (magic number, checksum of all bytes after it, format version, length of the JSON
 * header in bytes), the JSON header, padding to a multiple of four bytes, and the words of all calls.
 */

/** Must be increased when the format or the meaning of the figures changes. */
const FORMAT_VERSION = 1;
const MAGIC = 0x4c545452;
const PREAMBLE_WORDS = 4;
const WORD_BYTES = 4;
/** The checksum covers the bytes from this offset to the end. */
const CHECKED_FROM = 2 * WORD_BYTES;
/** Maximum number of calls in the file, with 24 bytes each. */
const MAX_CALLS = 2_000_000;

/** The calls of a transcript, and the bytes in which they were found. */
export interface StoredCalls {
  /** Taken before the file was read, so that rows appended meanwhile make it outdated. */
  readonly stamp: UsageStamp;
  /** Milliseconds since the epoch. */
  readonly readAtMs: number;
  readonly words: Uint32Array;
}

export interface StoredTools {
  /** The words of the calls hold positions in this list, plus 1. */
  readonly names: readonly string[];
  /** By path. */
  readonly files: ReadonlyMap<string, StoredCalls>;
}

interface Header {
  readonly names: readonly string[];
  readonly files: readonly (readonly [
    filePath: string,
    /** As decimal digits: size, mtime and ctime in nanoseconds, inode. */
    stamp: readonly [string, string, string, string],
    readAtMs: number,
    calls: number,
  ])[];
}

export interface ToolCacheDeps {
  /** Absolute path of a folder of the extension, which is created when it is needed. */
  readonly folder: string;
  readonly configDir: string;
  readonly warn: (message: string) => void;
}

/** Keeps the calls of tools across restarts, in one file per config folder that all windows share. */
export class ToolCache {
  readonly #warn: ToolCacheDeps['warn'];
  readonly #filePath: string;
  #hasWarned = false;

  constructor({ folder, configDir, warn }: ToolCacheDeps) {
    this.#warn = warn;
    this.#filePath = countsFileIn(folder, 'tools', configDir);
  }

  /** Null if there is no usable file. */
  load(): StoredTools | null {
    try {
      return read(readFileSync(this.#filePath));
    } catch {
      return null;
    }
  }

  /**
   * Writes the calls, together with those of transcripts that only other windows have read; of each transcript, the later
   * reading is kept. A file of a later version is left alone. Never rejects for errors of the disk: the first one is passed to
   * `warn`. Resolves to false after an error of the disk.
   *
   * @param isGone whether a transcript that is not in `tools` no longer exists
   */
  async save(tools: StoredTools, isGone: (filePath: string) => boolean): Promise<boolean> {
    try {
      // eslint-disable-next-line @typescript-eslint/require-await -- an error must reject the promise
      await replaceLocked(this.#filePath, async (bytes) => {
        if (bytes !== null && isOfLaterVersion(bytes)) throw new LaterVersionError();
        return build(merge(tools, bytes === null ? null : read(bytes), isGone));
      });
      return true;
    } catch (error) {
      // Nothing more can be done, so the calls need not be written again.
      if (error instanceof LaterVersionError) return true;
      if (!this.#hasWarned) {
        this.#warn(`Failed to write the counts of tools: ${error instanceof Error ? error.message : String(error)}`);
      }
      this.#hasWarned = true;
      return false;
    }
  }
}

function isOfLaterVersion(bytes: Buffer): boolean {
  if (bytes.length < PREAMBLE_WORDS * WORD_BYTES || bytes.readUInt32LE(0) !== MAGIC) return false;
  return bytes.readUInt32LE(2 * WORD_BYTES) > FORMAT_VERSION;
}

/** Null if the bytes are damaged or of another version. */
function read(bytes: Buffer): StoredTools | null {
  if (bytes.length < PREAMBLE_WORDS * WORD_BYTES || bytes.length % WORD_BYTES !== 0) return null;
  // A copy, which begins at a multiple of four bytes.
  const { buffer } = new Uint8Array(bytes);
  const all = new Uint32Array(buffer);
  const [magic, checksum, version, headerBytes = 0] = all;
  if (magic !== MAGIC || version !== FORMAT_VERSION || checksum !== crc32(bytes.subarray(CHECKED_FROM))) return null;
  const headerStart = PREAMBLE_WORDS * WORD_BYTES;
  const parsed: unknown = parseObject(bytes.toString('utf8', headerStart, headerStart + headerBytes));
  if (!isJsonObject(parsed)) return null;
  // SAFETY: the checksum proves that the bytes are what `build` of this version wrote.
  const header = parsed as unknown as Header;
  const files = new Map<string, StoredCalls>();
  let at = PREAMBLE_WORDS + Math.ceil(headerBytes / WORD_BYTES);
  for (const [filePath, [size, mtimeNs, ctimeNs, inode], readAtMs, calls] of header.files) {
    const stamp = { size: Number(size), mtimeNs: BigInt(mtimeNs), ctimeNs: BigInt(ctimeNs), inode: BigInt(inode) };
    files.set(filePath, { stamp, readAtMs, words: all.subarray(at, at + calls * CALL_WORDS) });
    at += calls * CALL_WORDS;
  }
  return { names: header.names, files };
}

/** Keeps the later reading of each transcript. */
function merge(tools: StoredTools, written: StoredTools | null, isGone: (filePath: string) => boolean): StoredTools {
  const files = new Map(tools.files);
  const names = new Map(tools.names.map((name, at) => [name, at + 1]));
  for (const [filePath, other] of written?.files ?? []) {
    const own = files.get(filePath);
    if (own === undefined ? isGone(filePath) : own.readAtMs >= other.readAtMs) continue;
    const words = Uint32Array.from(other.words);
    for (let at = CallWord.name; at < words.length; at += CALL_WORDS) {
      const name = written?.names[(words[at] ?? 0) - 1];
      if (name !== undefined && !names.has(name)) names.set(name, names.size + 1);
      words[at] = name === undefined ? 0 : (names.get(name) ?? 0);
    }
    files.set(filePath, { ...other, words });
  }
  return { names: [...names.keys()], files };
}

function build({ names, files }: StoredTools): Buffer {
  let calls = 0;
  const kept = [...files].filter(([, { words }]) => {
    if (calls + words.length / CALL_WORDS > MAX_CALLS) return false;
    calls += words.length / CALL_WORDS;
    return true;
  });
  const header: Header = {
    names,
    files: kept.map(([filePath, { stamp, readAtMs, words }]) => [
      filePath,
      [String(stamp.size), String(stamp.mtimeNs), String(stamp.ctimeNs), String(stamp.inode)],
      readAtMs,
      words.length / CALL_WORDS,
    ]),
  };
  const headerBytes = Buffer.from(JSON.stringify(header));
  const first = PREAMBLE_WORDS + Math.ceil(headerBytes.length / WORD_BYTES);
  const all = new Uint32Array(first + calls * CALL_WORDS);
  const bytes = Buffer.from(all.buffer);
  headerBytes.copy(bytes, PREAMBLE_WORDS * WORD_BYTES);
  let at = first;
  for (const [, { words }] of kept) {
    all.set(words, at);
    at += words.length;
  }
  all.set([MAGIC, 0, FORMAT_VERSION, headerBytes.length]);
  all[1] = crc32(bytes.subarray(CHECKED_FROM));
  return bytes;
}

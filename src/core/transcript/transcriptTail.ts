import { closeSync, readSync } from 'node:fs';
import { type OpenFile, openRegularFile, type ScannedIdentity } from '../util/openForeignFile';
import type { ScannerFactory, ScannerOptions, TranscriptScanner } from './scanner';
import type { TranscriptIndex } from './transcriptIndex';

const CHUNK_BYTES = 256 * 1024;
/** Bytes of a file that are kept to be compared. */
const SPAN_BYTES = 4096;

/** The only ways in which transcripts are touched while they are followed. */
export interface TranscriptFiles {
  /**
   * Opens and stats a file. To be closed by the caller. Throws the file system's error, and EISDIR for what is no regular
   * file.
   */
  open(filePath: string): OpenFile;
  /** Reads up to `length` bytes from `position` on to the start of `into`; returns how many they are, 0 at the end. */
  read(file: number, into: Uint8Array, length: number, position: number): number;
  close(file: number): void;
}

export const nodeTranscriptFiles: TranscriptFiles = {
  open: openRegularFile,
  read: (file, into, length, position) => readSync(file, into, 0, length, position),
  close: closeSync,
};

/**
 * What happened to a file since it was read. `appended`: bytes, and they are read. `truncated`: it is shorter than what was read
 * of it. `replaced`: it is another file, or holds other bytes where it was read before.
 */
export type FileChange = 'unchanged' | 'appended' | 'truncated' | 'replaced';

/** Facts of a growing transcript, with what a reading found. */
export interface TailReading {
  /** `scanned`: the whole file was read. `grown`: what was appended. `unchanged`: nothing. */
  readonly change: 'scanned' | 'grown' | 'unchanged';
  readonly fileChange: FileChange;
  /** Of the lines that are complete: one without a newline is still being written. Good until the next reading. */
  readonly index: TranscriptIndex;
}

export interface TranscriptTailOptions extends Pick<ScannerOptions, 'withUsage'> {
  readonly files?: TranscriptFiles;
  /** Takes what is appended after the file was read to its end once. The bytes are good until it returns. */
  readonly onAppended?: (bytes: Uint8Array, offset: number) => void;
}

/**
 * Scans one transcript as it grows: a reading costs what was appended since the last one, not what the file holds. A file that
 * was replaced, cut or rewritten is read anew from its start.
 */
export class TranscriptTail {
  readonly #filePath: string;
  readonly #createScanner: ScannerFactory;
  readonly #options: TranscriptTailOptions;
  readonly #files: TranscriptFiles;
  #tail: FileTail;
  #scanner: TranscriptScanner;
  /** Of use only where two rows have one uuid: hardly ever, and then it is worth reading the file once more. */
  #withHashes = false;
  /** With the last line, once it counts although no newline ends it. */
  #finished: TranscriptIndex | null = null;
  #replacements = 0;

  constructor(filePath: string, createScanner: ScannerFactory, options: TranscriptTailOptions = {}) {
    this.#filePath = filePath;
    this.#createScanner = createScanner;
    this.#options = options;
    this.#files = options.files ?? nodeTranscriptFiles;
    this.#scanner = this.#newScanner();
    this.#tail = this.#newTail();
  }

  /** All that the file held when it was looked at was read. */
  get isAtEnd(): boolean {
    return this.#tail.isAtEnd;
  }

  /** Bytes read so far. */
  get bytesRead(): number {
    return this.#tail.offset;
  }

  /** The file as it was before the last reading; null before the first. */
  get identity(): ScannedIdentity | null {
    return this.#tail.identity;
  }

  /** Times that the file was found to hold something else than what was read of it. */
  get replacements(): number {
    return this.#replacements;
  }

  /** What was read stands there still: false when the file holds something else, or cannot be read. */
  isStillThere(): boolean {
    return this.#tail.isStillThere();
  }

  /** Reads no more than `maxBytes` of what was appended. Throws the file system's error. */
  read(maxBytes = Infinity): TailReading {
    const isFirst = this.#tail.identity === null;
    const fileChange = this.#tail.read(maxBytes);
    const isOther = fileChange === 'truncated' || fileChange === 'replaced';
    // A file that was touched, or copied over itself, is read once more, and is no other one.
    if (isOther && !this.#tail.isStillThere()) this.#replacements++;
    const isUnchanged = fileChange === 'unchanged';
    if (this.#finished !== null && isUnchanged) return { change: 'unchanged', fileChange, index: this.#finished };
    if (this.#finished !== null || isOther) return { change: 'scanned', fileChange, index: this.#readAnew(maxBytes) };
    const index = this.#scanner.index();
    if (index.lacksHashes) return { change: 'scanned', fileChange, index: this.#readWithHashes(maxBytes) };
    return { change: isFirst ? 'scanned' : isUnchanged ? 'unchanged' : 'grown', fileChange, index };
  }

  /**
   * The facts with the last line, which counts although no newline ends it. Whatever is appended to it afterwards makes
   * the next reading begin anew.
   */
  finish(): TranscriptIndex {
    if (this.#finished !== null) return this.#finished;
    const index = this.#scanner.end();
    if (index.lacksHashes) this.#readWithHashes(Infinity);
    this.#finished = index.lacksHashes ? this.#scanner.end() : index;
    return this.#finished;
  }

  #readAnew(maxBytes: number): TranscriptIndex {
    this.#finished = null;
    this.#scanner = this.#newScanner();
    this.#tail = this.#newTail();
    this.#tail.read(maxBytes);
    const index = this.#scanner.index();
    return index.lacksHashes ? this.#readWithHashes(maxBytes) : index;
  }

  #readWithHashes(maxBytes: number): TranscriptIndex {
    this.#withHashes = true;
    return this.#readAnew(maxBytes);
  }

  #newScanner(): TranscriptScanner {
    const { withUsage = false } = this.#options;
    return this.#createScanner({ withUsage, withHashes: this.#withHashes });
  }

  #newTail(): FileTail {
    const scanner = this.#scanner;
    const buffer = scanner.room === undefined ? new Uint8Array(CHUNK_BYTES) : null;
    return new FileTail(this.#filePath, this.#files, {
      // A scanner that has ended takes nothing: what comes is read once more, by the next one.
      room: () => buffer ?? (this.#finished === null ? scanner.room?.() : undefined) ?? new Uint8Array(CHUNK_BYTES),
      push: (bytes, offset, isAppended) => {
        if (isAppended) this.#options.onAppended?.(bytes, offset);
        if (this.#finished === null) scanner.push(bytes);
      },
    });
  }
}

/** Takes the bytes of a file in order. */
interface TailSink {
  /** Memory that bytes may be read into: at least 256 KiB. */
  room(): Uint8Array;
  /** `isAppended`: the file was read to its end before. */
  push(bytes: Uint8Array, offset: number, isAppended: boolean): void;
}

/**
 * Reads what is appended to a file. Old bytes are not read again; that they are still the same is told by inode, size
 * and time, and by the bytes at the start of the file and right before the place it has read to.
 */
class FileTail {
  readonly #filePath: string;
  readonly #files: TranscriptFiles;
  readonly #sink: TailSink;
  readonly #head: CheckedSpan;
  readonly #before: CheckedSpan;
  #identity: ScannedIdentity | null = null;
  #offset = 0;
  #wasAtEnd = false;

  constructor(filePath: string, files: TranscriptFiles, sink: TailSink) {
    this.#filePath = filePath;
    this.#files = files;
    this.#sink = sink;
    this.#head = new CheckedSpan(files);
    this.#before = new CheckedSpan(files);
  }

  get identity(): ScannedIdentity | null {
    return this.#identity;
  }

  get offset(): number {
    return this.#offset;
  }

  get isAtEnd(): boolean {
    return this.#identity !== null && this.#offset >= Number(this.#identity.size);
  }

  /** What was read still stands at its beginning and at its end: another file may hold the same, and more. */
  isStillThere(): boolean {
    try {
      const { file } = this.#files.open(this.#filePath);
      try {
        return this.#holds(file);
      } finally {
        this.#files.close(file);
      }
    } catch {
      return false;
    }
  }

  read(maxBytes: number): FileChange {
    const { file, identity } = this.#files.open(this.#filePath);
    try {
      const change = this.#compare(file, identity);
      if (change !== 'appended') return change;
      this.#identity = identity;
      this.#readTo(file, Math.min(Number(identity.size), this.#offset + maxBytes));
      this.#wasAtEnd ||= this.isAtEnd;
      return 'appended';
    } finally {
      this.#files.close(file);
    }
  }

  #compare(file: number, stat: ScannedIdentity): FileChange {
    const known = this.#identity;
    if (known === null) return 'appended';
    if (stat.ino !== known.ino || stat.dev !== known.dev) return 'replaced';
    if (stat.size < BigInt(this.#offset)) return 'truncated';
    const isSame = stat.size === known.size && stat.mtimeNs === known.mtimeNs;
    if (isSame) return this.isAtEnd ? 'unchanged' : 'appended';
    // Written without growing: the old bytes are other ones, or the same once more.
    if (stat.size === BigInt(this.#offset)) return 'replaced';
    return this.#holds(file) ? 'appended' : 'replaced';
  }

  #holds(file: number): boolean {
    return this.#head.isSame(file) && this.#before.isSame(file);
  }

  #readTo(file: number, end: number): void {
    while (this.#offset < end) {
      const room = this.#sink.room();
      const bytesRead = this.#files.read(file, room, Math.min(CHUNK_BYTES, end - this.#offset), this.#offset);
      if (bytesRead === 0) break;
      const bytes = room.subarray(0, bytesRead);
      this.#head.extend(bytes, this.#offset);
      this.#before.slide(bytes, this.#offset);
      this.#sink.push(bytes, this.#offset, this.#wasAtEnd);
      this.#offset += bytesRead;
    }
  }
}

/** A short piece of a file as it was read, to tell later whether it still stands there. */
class CheckedSpan {
  readonly #bytes = Buffer.alloc(SPAN_BYTES);
  readonly #seen = Buffer.alloc(SPAN_BYTES);
  readonly #files: TranscriptFiles;
  #start = 0;
  #length = 0;

  constructor(files: TranscriptFiles) {
    this.#files = files;
  }

  /** Keeps the first bytes of the file: `bytes` were read from `offset` on. */
  extend(bytes: Uint8Array, offset: number): void {
    if (offset !== this.#length || this.#length === SPAN_BYTES) return;
    const part = bytes.subarray(0, SPAN_BYTES - this.#length);
    this.#bytes.set(part, this.#length);
    this.#length += part.length;
  }

  /** Keeps the last bytes that were read: `bytes` were read from `offset` on, right behind the ones before. */
  slide(bytes: Uint8Array, offset: number): void {
    const part = bytes.subarray(Math.max(0, bytes.length - SPAN_BYTES));
    const kept = Math.min(this.#length, SPAN_BYTES - part.length);
    this.#bytes.copyWithin(0, this.#length - kept, this.#length);
    this.#bytes.set(part, kept);
    this.#length = kept + part.length;
    this.#start = offset + bytes.length - this.#length;
  }

  isSame(file: number): boolean {
    const bytesRead = this.#files.read(file, this.#seen, this.#length, this.#start);
    return bytesRead === this.#length && this.#bytes.compare(this.#seen, 0, bytesRead, 0, this.#length) === 0;
  }
}

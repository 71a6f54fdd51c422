import { closeSync, readSync } from 'node:fs';
import { type OpenFile, openRegularFile, type ScannedIdentity } from '../util/openForeignFile';
import { LARGE_FILE_BYTES } from './byteRows';
import { needsMessageHashes } from './repeatedRows';
import type { ScannerFactory, ScannerOptions, TranscriptScanner } from './scanner';
import type { TranscriptIndex } from './transcriptIndex';

const CHUNK_BYTES = 256 * 1024;
/** Bytes of each of the two parts of the file that are kept for comparison. */
const SPAN_BYTES = 4096;

/** All file access for transcripts that are followed. */
export interface TranscriptFiles {
  /**
   * Opens and stats a file. The caller must close it. Throws the errors of `openRegularFile`.
   */
  open(filePath: string): OpenFile;
  /** Reads up to `length` bytes from `position` into the start of `into`; returns the number of bytes read, 0 at the end. */
  read(file: number, into: Uint8Array, length: number, position: number): number;
  close(file: number): void;
}

export const nodeTranscriptFiles: TranscriptFiles = {
  open: openRegularFile,
  read: (file, into, length, position) => readSync(file, into, 0, length, position),
  close: closeSync,
};

/**
 * What happened to a file since it was last read. `appended`: bytes were appended and have been read. `truncated`: it is shorter
 * than what was read of it. `replaced`: it is another file, or holds other bytes in the part that was already read.
 */
export type FileChange = 'unchanged' | 'appended' | 'truncated' | 'replaced';

/** Facts of a growing transcript, and what the latest read found. */
export interface TailReading {
  /** `scanned`: the whole file was read. `grown`: the appended bytes were read. `unchanged`: nothing was read. */
  readonly change: 'scanned' | 'grown' | 'unchanged';
  readonly fileChange: FileChange;
  /** Facts of the complete lines: a line without a newline is still being written. Valid until the next read. */
  readonly index: TranscriptIndex;
}

export interface TranscriptTailOptions extends Pick<ScannerOptions, 'withUsage'> {
  readonly files?: TranscriptFiles;
  /** Receives what is appended after the file was first read to its end. The bytes are valid until it returns. */
  readonly onAppended?: (bytes: Uint8Array, offset: number) => void;
}

/**
 * Scans one transcript as it grows: the cost of a read depends on what was appended since the last one, not on the size of the
 * file. A file that was replaced, truncated or rewritten is read again from its start.
 */
export class TranscriptTail {
  readonly #filePath: string;
  readonly #createScanner: ScannerFactory;
  readonly #options: TranscriptTailOptions;
  readonly #files: TranscriptFiles;
  #tail: FileTail;
  /** Created when the size of the file is known; null until then. */
  #scanner: TranscriptScanner | null = null;
  /** The scanner was created for a large file. */
  #isForLarge = false;
  /**
   * The byte rows of a large file are proved from its rows, in a third of the time. False once that has failed, and once the file
   * grows, because it would have to be done again after each row that is appended.
   */
  #isProving = true;
  /** The facts of everything that was read; null after more was. */
  #known: TranscriptIndex | null = null;
  /** Hashes matter only if two rows have the same uuid. That is so rare that the file is then simply read again. */
  #withHashes = false;
  /** Likewise, if some of these rows differ in their bytes. */
  #withMessageHashes = false;
  /** The last facts of the scanner, which accepts no more bytes; null while it does. */
  #final: TranscriptIndex | null = null;
  /** These facts include the last line although no newline ends it. */
  #isFinished = false;
  #replacements = 0;

  constructor(filePath: string, createScanner: ScannerFactory, options: TranscriptTailOptions = {}) {
    this.#filePath = filePath;
    this.#createScanner = createScanner;
    this.#options = options;
    this.#files = options.files ?? nodeTranscriptFiles;
    this.#tail = this.#newTail();
  }

  /** Everything that the file held at its last stat has been read. */
  get isAtEnd(): boolean {
    return this.#tail.isAtEnd;
  }

  /** Bytes read so far. */
  get bytesRead(): number {
    return this.#tail.offset;
  }

  /** The state of the file before the last read; null before the first. */
  get identity(): ScannedIdentity | null {
    return this.#tail.identity;
  }

  /** How often the content of the file was found to differ from what was read before. */
  get replacements(): number {
    return this.#replacements;
  }

  /** Whether the file still starts with what was read: false if it holds something else, or cannot be read. */
  isStillThere(): boolean {
    return this.#tail.isStillThere();
  }

  /** Reads at most `maxBytes` of what was appended. Throws the file system's error. */
  read(maxBytes = Infinity): TailReading {
    const isFirst = this.#tail.identity === null;
    const wasAtEnd = this.#known !== null && this.isAtEnd;
    const fileChange = this.#tail.read(maxBytes);
    const isOther = fileChange === 'truncated' || fileChange === 'replaced';
    // A file that was touched, or copied over itself, is read again but does not count as replaced.
    if (isOther && !this.#tail.isStillThere()) this.#replacements++;
    const isUnchanged = fileChange === 'unchanged';
    if (this.#final !== null && isUnchanged) return { change: 'unchanged', fileChange, index: this.#final };
    if (this.#final !== null || isOther) return { change: 'scanned', fileChange, index: this.#rescan(maxBytes) };
    const mustReadBytes = this.#isProving && wasAtEnd && !isUnchanged;
    if (mustReadBytes) this.#isProving = false;
    if (this.#isLarge && (!this.#isForLarge || mustReadBytes) && this.#scanner !== null) {
      return { change: 'scanned', fileChange, index: this.#rescan(maxBytes) };
    }
    if (isUnchanged && this.#known !== null) return { change: 'unchanged', fileChange, index: this.#known };
    const index = this.#factsOfLines();
    if (this.#mustReadAgain(index)) return { change: 'scanned', fileChange, index: this.#rescan(maxBytes) };
    return { change: isFirst ? 'scanned' : isUnchanged ? 'unchanged' : 'grown', fileChange, index };
  }

  /**
   * The facts including the last line, which counts although no newline ends it. If anything is appended to it afterwards, the
   * next read starts over.
   */
  finish(): TranscriptIndex {
    if (this.#final !== null) {
      if (this.#isFinished) return this.#final;
      this.#startOver(Infinity);
    }
    this.#final = this.#scan().end();
    while (this.#mustReadAgain(this.#final)) {
      this.#startOver(Infinity);
      this.#final = this.#scan().end();
    }
    this.#isFinished = true;
    return this.#final;
  }

  #rescan(maxBytes: number): TranscriptIndex {
    for (;;) {
      this.#startOver(maxBytes);
      const index = this.#factsOfLines();
      if (!this.#mustReadAgain(index)) return index;
    }
  }

  /** Whether the facts are not enough. The next scanner then looks for more. */
  #mustReadAgain(index: TranscriptIndex): boolean {
    if (index.lacksHashes && !this.#withHashes) {
      this.#withHashes = true;
      return true;
    }
    if (!this.#withMessageHashes && needsMessageHashes(index)) {
      this.#withMessageHashes = true;
      // Each line is then read in full anyway.
      this.#isProving = false;
      return true;
    }
    if (!this.#isProving || !this.#isLarge || !this.isAtEnd || index.byteRows !== null) return false;
    this.#isProving = false;
    return true;
  }

  #startOver(maxBytes: number): void {
    this.#final = null;
    this.#known = null;
    this.#isFinished = false;
    this.#scanner = null;
    this.#tail = this.#newTail();
    this.#tail.read(maxBytes);
  }

  /** A row whose last line is missing is read as the client would read it now. If it goes on, the file is read again. */
  #factsOfLines(): TranscriptIndex {
    const scanner = this.#scan();
    const index = scanner.index();
    this.#known = index;
    if (!index.isOpen || !this.isAtEnd) return index;
    this.#final = scanner.index('settled');
    return this.#final;
  }

  /** The file is read by the client's reader for large files. */
  get #isLarge(): boolean {
    return Number(this.#tail.identity?.size ?? 0) > LARGE_FILE_BYTES;
  }

  #scan(): TranscriptScanner {
    if (this.#scanner !== null) return this.#scanner;
    const { withUsage = false } = this.#options;
    const isLarge = this.#isLarge;
    this.#isForLarge = isLarge;
    this.#scanner = this.#createScanner({
      isLarge,
      withUsage,
      withHashes: this.#withHashes,
      withMessageHashes: this.#withMessageHashes,
      withByteRows: isLarge && !this.#isProving,
      withProvenByteRows: isLarge && this.#isProving,
    });
    return this.#scanner;
  }

  #newTail(): FileTail {
    let buffer: Uint8Array | null = null;
    return new FileTail(this.#filePath, this.#files, {
      // A scanner that has ended accepts nothing: the next scanner reads these bytes again.
      room: () =>
        (this.#final === null ? this.#scan().room?.() : undefined) ?? (buffer ??= new Uint8Array(CHUNK_BYTES)),
      push: (bytes, offset, isAppended) => {
        if (isAppended) this.#options.onAppended?.(bytes, offset);
        this.#known = null;
        if (this.#final === null) this.#scan().push(bytes);
      },
    });
  }
}

/** Receives the bytes of a file in order. */
interface TailSink {
  /** Memory that bytes may be read into: at least 256 KiB. */
  room(): Uint8Array;
  /** `isAppended`: the file had been read to its end before. */
  push(bytes: Uint8Array, offset: number, isAppended: boolean): void;
}

/**
 * Reads what is appended to a file without reading earlier bytes again. Inode, size and time, and the bytes at the start of the
 * file and directly before the read position, show whether the earlier bytes are unchanged.
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

  /** The file still holds the start and the end of what was read. It may be another file with the same bytes, and more. */
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
    // Written without growing: the earlier bytes have changed, or the same bytes were written again.
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

/** A short part of a file as it was read, for checking later whether the file still holds it. */
class CheckedSpan {
  readonly #bytes = Buffer.alloc(SPAN_BYTES);
  readonly #seen = Buffer.alloc(SPAN_BYTES);
  readonly #files: TranscriptFiles;
  #start = 0;
  #length = 0;

  constructor(files: TranscriptFiles) {
    this.#files = files;
  }

  /** Keeps the first bytes of the file: `bytes` were read at `offset`. */
  extend(bytes: Uint8Array, offset: number): void {
    if (offset !== this.#length || this.#length === SPAN_BYTES) return;
    const part = bytes.subarray(0, SPAN_BYTES - this.#length);
    this.#bytes.set(part, this.#length);
    this.#length += part.length;
  }

  /** Keeps the last bytes that were read: `bytes` were read at `offset`, directly after the previous ones. */
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

import type { ScannedIdentity } from '../util/openForeignFile';
import { BROKEN, JsonText, OPEN } from './jsonText';
import { MAX_HELD_BYTES } from './lineSplitter';
import type { LiveTranscript, Reading } from './liveTranscript';
import { nodeTranscriptFiles } from './transcriptTail';

/** Bytes per read. Most rows are shorter, so consecutive rows are read together. */
const WINDOW_BYTES = 64 * 1024;
const CHUNK_BYTES = 1024 * 1024;
/** A longer line is not read as a whole. */
export const MAX_WHOLE_LINE_BYTES = MAX_HELD_BYTES;
const NEWLINE = 10;
const NEWLINE_BYTES = Buffer.from('\n');

/** Bytes from an offset to the end of its line. */
export interface LineBytes {
  /** Valid until the next call. */
  readonly bytes: Buffer;
  /** The line is longer than the limit, and its end is missing. */
  readonly isCut: boolean;
}

/** The file is no longer the one whose rows are read. */
export class OtherFileError extends Error {
  readonly code = 'OTHER_FILE';
}

type Source = Pick<LiveTranscript, 'filePath' | 'files' | 'reading' | 'recentBytes'>;

/** Reads lines of one transcript by their offsets, synchronously. Reads only these lines and the bytes shortly after them. */
export class RowSource {
  #file: number | null = null;
  #identity: ScannedIdentity | null = null;
  #isClosed = false;
  readonly #window = Buffer.allocUnsafe(WINDOW_BYTES);
  #start = 0;
  #length = 0;

  private constructor(
    private readonly source: Source,
    /** The reading whose rows are read; null to read whatever the file holds. */
    private readonly reading: Reading | null,
    /** Number of bytes of the file that may be read. */
    readonly end: number,
  ) {}

  /** The caller must close it. Throws the errors of `openRegularFile`. */
  static open(filePath: string, end: number): RowSource {
    const nothingKept = { reading: null, recentBytes: (): null => null };
    const source = new RowSource({ filePath, files: nodeTranscriptFiles, ...nothingKept }, null, end);
    source.open();
    return source;
  }

  /**
   * The rows of the transcript's current reading. The caller must close it. The file is opened at the first row that is not among
   * the recently appended bytes; that read throws file system errors and `OtherFileError`.
   */
  static of(transcript: Source, end: number): RowSource {
    return new RowSource(transcript, transcript.reading, end);
  }

  /** The state of the file when it was opened. */
  get identity(): ScannedIdentity {
    if (this.#identity === null) this.open();
    if (this.#identity === null) throw new Error('Failed to open the transcript');
    return this.#identity;
  }

  open(): number {
    if (this.#isClosed) throw new Error('Failed to read the transcript: it is closed');
    if (this.#file !== null) return this.#file;
    const { file, identity } = this.source.files.open(this.source.filePath);
    [this.#file, this.#identity] = [file, identity];
    const known = this.reading?.identity ?? identity;
    const isSame = identity.ino === known.ino && identity.dev === known.dev && identity.size >= BigInt(this.end);
    if (isSame || this.reading === null) return file;
    this.close();
    throw new OtherFileError('The transcript was replaced while its rows were read');
  }

  close(): void {
    this.#isClosed = true;
    if (this.#file !== null) this.source.files.close(this.#file);
    this.#file = null;
  }

  /** From `offset` to the newline, which is excluded. Null if that is too long. The bytes are valid until the next call. */
  wholeLineAt(offset: number): Buffer | null {
    const { bytes, isCut } = this.lineAt(offset, MAX_WHOLE_LINE_BYTES, 0);
    return isCut ? null : bytes;
  }

  /**
   * From `offset` to the newline, which is excluded, but at most `maxBytes`.
   *
   * @param cutBytes how much of a longer line is returned
   */
  lineAt(offset: number, maxBytes: number, cutBytes = maxBytes): LineBytes {
    const isThere = offset >= this.#start && offset < this.#start + this.#length;
    const held = isThere ? this.#upToNewline(offset - this.#start) : null;
    if (held !== null) return cut(held, maxBytes);
    this.#start = offset;
    this.#length = this.#read(this.#window, offset);
    const found = this.#upToNewline(0);
    if (found !== null) return cut(found, maxBytes);
    if (this.#length < this.#window.length) return cut(this.#window.subarray(0, this.#length), maxBytes);
    return this.#longLine(offset, maxBytes, cutBytes);
  }

  /**
   * The value that starts at `offset`, over several lines if it does not end on the first, and whatever follows it on its last line.
   * Null if it does not end, or is not JSON.
   */
  valueAt(offset: number): Buffer | null {
    const text = new JsonText();
    const lines: Buffer[] = [];
    for (let at = offset; at < this.end;) {
      const bytes = this.wholeLineAt(at);
      if (bytes === null) return null;
      const end = text.read(bytes);
      if (end === BROKEN) return null;
      lines.push(Buffer.from(bytes), NEWLINE_BYTES);
      at += bytes.length + 1;
      if (end !== OPEN) return Buffer.concat(lines.slice(0, -1));
    }
    return null;
  }

  /** Offset of the line that follows `lines` newlines after `offset`; the end if there are fewer. */
  skipLines(offset: number, lines: number): number {
    const chunk = lines > 0 ? Buffer.allocUnsafe(CHUNK_BYTES) : this.#window;
    let at = offset;
    for (let left = lines; left > 0;) {
      const read = this.#read(chunk, at);
      if (read === 0) return at;
      let from = 0;
      while (left > 0) {
        const newline = chunk.subarray(0, read).indexOf(NEWLINE, from);
        if (newline < 0) break;
        from = newline + 1;
        left--;
      }
      at += left === 0 ? from : read;
    }
    return at;
  }

  #upToNewline(from: number): Buffer | null {
    const held = this.#window.subarray(from, this.#length);
    const newline = held.indexOf(NEWLINE);
    return newline < 0 ? null : held.subarray(0, newline);
  }

  /** First finds where the line ends, so that only one buffer of its size is needed, or none. */
  #longLine(offset: number, maxBytes: number, cutBytes: number): LineBytes {
    const length = this.lengthAt(offset, maxBytes);
    const isCut = length > maxBytes;
    const bytes = Buffer.allocUnsafe(isCut ? cutBytes : length);
    for (let at = 0; at < bytes.length;) {
      const read = this.#read(bytes.subarray(at), offset + at);
      // The file has become shorter.
      if (read === 0) return { bytes: bytes.subarray(0, at), isCut };
      at += read;
    }
    return { bytes, isCut };
  }

  /** Number of bytes from `offset` to the newline, if that is at most `maxBytes`; otherwise a greater number. */
  lengthAt(offset: number, maxBytes = Infinity): number {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let length = 0; ;) {
      const read = this.#read(chunk, offset + length);
      const newline = chunk.subarray(0, read).indexOf(NEWLINE);
      length += newline < 0 ? read : newline;
      if (newline >= 0 || read === 0 || length > maxBytes) return length;
    }
  }

  #read(into: Buffer, at: number): number {
    const wanted = Math.min(into.length, this.end - at);
    if (wanted <= 0) return 0;
    const kept = this.source.reading === this.reading ? this.source.recentBytes(at, at + wanted) : null;
    return kept?.copy(into) ?? this.source.files.read(this.open(), into, wanted, at);
  }
}

function cut(bytes: Buffer, maxBytes: number): LineBytes {
  return { bytes: bytes.subarray(0, maxBytes), isCut: bytes.length > maxBytes };
}

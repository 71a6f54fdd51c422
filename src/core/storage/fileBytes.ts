import { PROBLEMS, Refusal } from './refusal';
import type { OpenFile, ReadableFile } from './writeFs';

/** Bytes per read or write. Memory use is a small multiple of this, whatever the size of the file. */
export const CHUNK_BYTES = 1024 * 1024;

/** Reads until the buffer is full or the file ends. Returns the number of bytes read. */
export async function readFully(file: ReadableFile, buffer: Uint8Array, position: number): Promise<number> {
  let filled = 0;
  while (filled < buffer.length) {
    const read = await file.read(buffer.subarray(filled), position + filled);
    if (read === 0) break;
    filled += read;
  }
  return filled;
}

/** Writes all of the bytes at the end of the file. */
export async function writeFully(file: OpenFile, bytes: Uint8Array): Promise<void> {
  let rest = bytes;
  while (rest.length > 0) {
    const written = await file.write(rest);
    // Would loop forever. No local file system returns 0 here, but a broken network mount may.
    if (written === 0) throw new Refusal('write-failed', 'The disk took no more bytes; the transcript is as it was.');
    rest = rest.subarray(written);
  }
}

/**
 * The bytes `[from, to)`. A chunk is valid until the next one is requested.
 * Throws a Refusal if the file ends before `to`, because it was truncated while it was being read.
 */
export async function* readChunks(
  file: ReadableFile,
  from: number,
  to: number,
  chunkBytes = CHUNK_BYTES,
): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(to - from, 0)));
  for (let at = from; at < to; at += buffer.length) {
    const chunk = buffer.subarray(0, Math.min(buffer.length, to - at));
    if ((await readFully(file, chunk, at)) < chunk.length)
      throw new Refusal('changed-while-repairing', PROBLEMS.changed);
    yield chunk;
  }
}

/** Collects small pieces, so that a file with many splices is not written in as many calls. */
export class ChunkWriter {
  readonly #file: OpenFile;
  readonly #buffer: Buffer;
  #filled = 0;

  constructor(file: OpenFile, chunkBytes = CHUNK_BYTES) {
    this.#file = file;
    this.#buffer = Buffer.allocUnsafe(chunkBytes);
  }

  /** The caller may reuse `bytes` once this resolves. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#filled + bytes.length > this.#buffer.length) await this.flush();
    if (bytes.length > this.#buffer.length) return writeFully(this.#file, bytes);
    this.#buffer.set(bytes, this.#filled);
    this.#filled += bytes.length;
  }

  async flush(): Promise<void> {
    await writeFully(this.#file, this.#buffer.subarray(0, this.#filled));
    this.#filled = 0;
  }
}

/** Bytes `[from, to)` of a file. */
export interface FileRange {
  readonly file: ReadableFile;
  readonly from: number;
  readonly to: number;
}

/** Moves through a range of a file with a window of bounded size. */
export class ByteCursor {
  readonly #file: ReadableFile;
  readonly #to: number;
  readonly #buffer: Buffer;
  #start = 0;
  #end = 0;
  #position: number;

  constructor(range: FileRange, chunkBytes = CHUNK_BYTES) {
    this.#file = range.file;
    this.#position = range.from;
    this.#to = range.to;
    this.#buffer = Buffer.allocUnsafe(Math.min(chunkBytes, range.to - range.from));
  }

  /** Offset in the file of the next byte. */
  get position(): number {
    return this.#position;
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#to;
  }

  /** The bytes in memory, starting with the next one; valid until `fill` or `advance`. */
  get window(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  /**
   * Reads at least `count` bytes into the window, or fewer if the range ends before.
   * Throws a Refusal if the file is shorter than the range, because it was truncated while it was being read.
   */
  async fill(count = 1): Promise<void> {
    const held = this.#end - this.#start;
    if (held >= count) return;
    this.#buffer.copyWithin(0, this.#start, this.#end);
    const wanted = Math.min(this.#buffer.length - held, this.#to - this.#position - held);
    const space = this.#buffer.subarray(held, held + wanted);
    const read = await readFully(this.#file, space, this.#position + held);
    if (read < wanted) throw new Refusal('changed-while-repairing', PROBLEMS.changed);
    this.#start = 0;
    this.#end = held + read;
  }

  /** Steps over bytes of the window, and possibly beyond it. */
  advance(count: number): void {
    this.#start = Math.min(this.#start + count, this.#end);
    this.#position += count;
    if (this.#start === this.#end) this.#start = this.#end = 0;
  }
}

/** Steps over `length` bytes of both cursors; false as soon as they differ or either range ends. */
export async function areNextBytesEqual(one: ByteCursor, other: ByteCursor, length: number): Promise<boolean> {
  for (let left = length; left > 0;) {
    await one.fill();
    await other.fill();
    const count = Math.min(left, one.window.length, other.window.length);
    if (count === 0 || !one.window.subarray(0, count).equals(other.window.subarray(0, count))) return false;
    one.advance(count);
    other.advance(count);
    left -= count;
  }
  return true;
}

/** Steps over the given bytes; false as soon as they differ or the range ends. */
export async function areNextBytes(cursor: ByteCursor, bytes: Uint8Array): Promise<boolean> {
  for (let rest = bytes; rest.length > 0;) {
    await cursor.fill();
    const count = Math.min(rest.length, cursor.window.length);
    if (count === 0 || !cursor.window.subarray(0, count).equals(rest.subarray(0, count))) return false;
    cursor.advance(count);
    rest = rest.subarray(count);
  }
  return true;
}

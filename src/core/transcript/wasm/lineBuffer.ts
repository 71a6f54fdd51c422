import type { ScannerInstance } from './scannerInstance';

const NEWLINE = 10;
/** Free bytes that are available for each read. */
const CHUNK_BYTES = 256 * 1024;
/**
 * More than most rows need, because a buffer that grows leaves its old copy. Not more than that: V8 counts the memory of each instance,
 * written or not, and collects garbage all the time where a window creates a hundred of them.
 */
const FIRST_BYTES = 1024 * 1024;
/** The scanner reads in blocks, so it may read up to this many bytes after the last line. */
const SLACK_BYTES = 128;

/** The bytes of a line whose newline has not been read yet, in the memory of an instance. */
export class LineBuffer {
  /** Address of the first byte. */
  #at: number;
  #capacity = FIRST_BYTES;
  #length = 0;
  /** Largest number of bytes held at once so far. */
  #used = 0;

  constructor(private readonly instance: ScannerInstance) {
    this.#at = instance.exports.allocate(FIRST_BYTES + SLACK_BYTES) >>> 0;
  }

  get at(): number {
    return this.#at;
  }

  /** Number of bytes held. */
  get length(): number {
    return this.#length;
  }

  /** Number of bytes of the buffer that were never written. */
  get unusedBytes(): number {
    return this.#capacity - this.#used;
  }

  clear(): void {
    this.#length = 0;
  }

  /** The free memory after the held bytes. */
  room(): Buffer {
    if (this.#capacity - this.#length < CHUNK_BYTES) this.#grow();
    return this.instance.bytes.subarray(this.#at + this.#length, this.#at + this.#capacity);
  }

  /** Whether the bytes have already been written to the start of the room. */
  isRoom(chunk: Uint8Array): boolean {
    return chunk.buffer === this.instance.exports.memory.buffer && chunk.byteOffset === this.#at + this.#length;
  }

  extend(bytes: number): void {
    this.#length += bytes;
    this.#used = Math.max(this.#used, this.#length);
  }

  /** The held bytes from index `from` on. */
  bytes(from = 0): Buffer {
    return this.instance.bytes.subarray(this.#at + from, this.#at + this.#length);
  }

  /** Appends a newline to the held bytes. */
  close(): void {
    this.room()[0] = NEWLINE;
    this.#length++;
  }

  /** Discards the first bytes. */
  drop(bytes: number): void {
    this.instance.bytes.copyWithin(this.#at, this.#at + bytes, this.#at + this.#length);
    this.#length -= bytes;
  }

  #grow(): void {
    const { exports } = this.instance;
    const capacity = this.#capacity * 2;
    // A long line makes the buffer grow several times: copies of it would stay in the memory, which is never returned.
    if (exports.extend(this.#at, this.#capacity + SLACK_BYTES, this.#capacity) !== 0) {
      this.#capacity = capacity;
      return;
    }
    const at = exports.allocate(capacity + SLACK_BYTES) >>> 0;
    this.instance.bytes.copyWithin(at, this.#at, this.#at + this.#length);
    exports.release(this.#at, this.#capacity + SLACK_BYTES);
    this.#at = at;
    this.#capacity = capacity;
  }
}

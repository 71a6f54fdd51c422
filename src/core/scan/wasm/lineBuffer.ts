import type { ScannerInstance } from './scannerInstance';

const NEWLINE = 10;
/** Free bytes that there are whenever more is read. */
const CHUNK_BYTES = 256 * 1024;
/** Far more than most rows need: memory that is never written to costs nothing, a buffer that grows leaves its old self. */
const FIRST_BYTES = 16 * 1024 * 1024;
/** The scanner reads in blocks: so many bytes behind the last line may be read, too. */
const SLACK_BYTES = 128;

/** The bytes that wait for the newline of their line, in the memory of an instance. */
export class LineBuffer {
  /** Address of the first byte. */
  #at: number;
  #capacity = FIRST_BYTES;
  #length = 0;
  /** Bytes that were ever held at once. */
  #used = 0;

  constructor(private readonly instance: ScannerInstance) {
    this.#at = instance.exports.allocate(FIRST_BYTES + SLACK_BYTES) >>> 0;
  }

  get at(): number {
    return this.#at;
  }

  /** Bytes held. */
  get length(): number {
    return this.#length;
  }

  /** Bytes of the buffer that were never written to. */
  get unusedBytes(): number {
    return this.#capacity - this.#used;
  }

  clear(): void {
    this.#length = 0;
  }

  /** Free memory behind what is held. */
  room(): Buffer {
    if (this.#capacity - this.#length < CHUNK_BYTES) this.#grow();
    return this.instance.bytes.subarray(this.#at + this.#length, this.#at + this.#capacity);
  }

  /** The bytes were written to the start of the room already. */
  isRoom(chunk: Uint8Array): boolean {
    return chunk.buffer === this.instance.exports.memory.buffer && chunk.byteOffset === this.#at + this.#length;
  }

  extend(bytes: number): void {
    this.#length += bytes;
    this.#used = Math.max(this.#used, this.#length);
  }

  /** What stands from `from` on, counted from the first byte held. */
  bytes(from = 0): Buffer {
    return this.instance.bytes.subarray(this.#at + from, this.#at + this.#length);
  }

  /** Ends what is held with a newline. */
  close(): void {
    this.room()[0] = NEWLINE;
    this.#length++;
  }

  /** Lets go of the first bytes. */
  drop(bytes: number): void {
    this.instance.bytes.copyWithin(this.#at, this.#at + bytes, this.#at + this.#length);
    this.#length -= bytes;
  }

  #grow(): void {
    const { exports } = this.instance;
    const capacity = this.#capacity * 2;
    const at = exports.allocate(capacity + SLACK_BYTES) >>> 0;
    this.instance.bytes.copyWithin(at, this.#at, this.#at + this.#length);
    exports.release(this.#at, this.#capacity + SLACK_BYTES);
    this.#at = at;
    this.#capacity = capacity;
  }
}

import { readSync } from 'node:fs';

/** Bytes of a file that are kept to be compared. */
const SPAN_BYTES = 4096;

/** A short piece of a file as it was read, to tell later whether it still stands there. */
export class CheckedSpan {
  readonly #bytes = Buffer.alloc(SPAN_BYTES);
  readonly #seen = Buffer.alloc(SPAN_BYTES);
  #start = 0;
  #length = 0;

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
    const bytesRead = readSync(file, this.#seen, 0, this.#length, this.#start);
    return bytesRead === this.#length && this.#bytes.compare(this.#seen, 0, bytesRead, 0, this.#length) === 0;
  }
}

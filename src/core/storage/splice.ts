import { areNextBytes, areNextBytesEqual, ByteCursor, CHUNK_BYTES, type FileRange } from './fileBytes';
import type { ReadableFile } from './writeFs';

/** Replaces `length` bytes at `offset` of the original with `bytes`. Length 0 inserts; empty bytes delete. */
export interface Splice {
  /** Byte offset in the original. */
  readonly offset: number;
  readonly length: number;
  readonly bytes: Uint8Array;
}

/** Throws RangeError unless the splices are ascending and do not overlap. */
function assertSplicesInOrder(splices: readonly Splice[]): void {
  let end = 0;
  for (const { offset, length } of splices) {
    if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || length < 0 || offset < end) {
      throw new RangeError(`Failed to splice: ${length} bytes at ${offset} are out of order or overlap`);
    }
    end = offset + length;
  }
}

/** Size of a file of `size` bytes after the splices. */
export function splicedSize(size: number, splices: readonly Splice[]): number {
  return splices.reduce((sum, { length, bytes }) => sum + bytes.length - length, size);
}

/** Applies splices to a stream, chunk by chunk; buffers none of its bytes. */
export class Splicer {
  readonly #splices: readonly Splice[];
  #next = 0;
  /** Offset in the original of the next byte that `push` receives. */
  #offset = 0;
  /** Bytes of the original that the current splice still removes. */
  #toDrop = 0;

  /** Throws RangeError unless the splices are ascending and do not overlap. */
  constructor(splices: readonly Splice[]) {
    assertSplicesInOrder(splices);
    this.#splices = splices;
  }

  /** Yields views of the chunk and of the splices, in order. */
  *push(chunk: Uint8Array): Generator<Uint8Array> {
    const chunkStart = this.#offset;
    const chunkEnd = chunkStart + chunk.length;
    while (this.#offset < chunkEnd) {
      if (this.#toDrop > 0) {
        const dropped = Math.min(this.#toDrop, chunkEnd - this.#offset);
        this.#toDrop -= dropped;
        this.#offset += dropped;
        continue;
      }
      const splice = this.#splices[this.#next];
      if (splice?.offset === this.#offset) {
        yield* this.#apply(splice);
        continue;
      }
      const until = Math.min(splice?.offset ?? chunkEnd, chunkEnd);
      yield chunk.subarray(this.#offset - chunkStart, until - chunkStart);
      this.#offset = until;
    }
  }

  /** Yields what is inserted at the end. Throws RangeError if a splice reaches beyond it. */
  *end(): Generator<Uint8Array> {
    for (;;) {
      const splice = this.#splices[this.#next];
      if (this.#toDrop > 0 || (splice !== undefined && splice.offset !== this.#offset)) {
        throw new RangeError(`Failed to splice: the original ends at ${this.#offset}`);
      }
      if (splice === undefined) return;
      yield* this.#apply(splice);
    }
  }

  *#apply(splice: Splice): Generator<Uint8Array> {
    this.#next++;
    this.#toDrop = splice.length;
    if (splice.bytes.length > 0) yield splice.bytes;
  }
}

/**
 * The chunks with the splices applied. Throws RangeError if the splices are out of order, overlap or reach beyond the
 * end.
 */
export function* spliceChunks(chunks: Iterable<Uint8Array>, splices: readonly Splice[]): Generator<Uint8Array> {
  const splicer = new Splicer(splices);
  for (const chunk of chunks) yield* splicer.push(chunk);
  yield* splicer.end();
}

/**
 * Whether `copy` is the original with the splices applied and nothing else. Compares the two files side by side,
 * independently of the code that wrote the copy, so that errors in that code are found. Splices must be in order.
 */
export async function isSplicedCopy(
  original: { readonly file: ReadableFile; readonly size: number },
  copy: ReadableFile,
  splices: readonly Splice[],
  chunkBytes = CHUNK_BYTES,
): Promise<boolean> {
  const copySize = Number((await copy.stat()).size);
  if (copySize !== splicedSize(original.size, splices)) return false;
  const range = { file: original.file, from: 0, to: original.size };
  return beginsWithSpliced(range, { file: copy, from: 0, to: copySize }, splices, chunkBytes);
}

/** Whether `copy` begins with the original with the splices applied. Splices must be in order. */
export async function beginsWithSpliced(
  original: FileRange,
  copy: FileRange,
  splices: readonly Splice[],
  chunkBytes = CHUNK_BYTES,
): Promise<boolean> {
  const from = new ByteCursor(original, chunkBytes);
  const to = new ByteCursor(copy, chunkBytes);
  for (const { offset, length, bytes } of splices) {
    if (!(await areNextBytesEqual(from, to, offset - from.position))) return false;
    if (!(await areNextBytes(to, bytes))) return false;
    from.advance(length);
  }
  return areNextBytesEqual(from, to, original.to - from.position);
}

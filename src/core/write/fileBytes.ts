import { Refusal, PROBLEMS } from './refusal';
import type { OpenFile, ReadableFile } from './writeFs';

/** Bytes that are read or written at once; memory stays within a few of these whatever the size of the file. */
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
    // Would loop for ever: no file system says this of a file, a broken network mount may.
    if (written === 0) throw new Refusal('write-failed', 'The disk took no more bytes; the transcript is as it was.');
    rest = rest.subarray(written);
  }
}

/**
 * The bytes `[from, to)`. A chunk is valid until the next one is asked for.
 * Throws a Refusal when the file ends before `to`: it was cut while it was being read.
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

/** Gathers small pieces, so that a file with many splices is not written in as many calls. */
export class ChunkWriter {
  readonly #file: OpenFile;
  readonly #buffer: Buffer;
  #filled = 0;

  constructor(file: OpenFile, chunkBytes = CHUNK_BYTES) {
    this.#file = file;
    this.#buffer = Buffer.allocUnsafe(chunkBytes);
  }

  /** The bytes may be reused once this resolves. */
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

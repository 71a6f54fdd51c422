import { CHUNK_BYTES, readFully } from '../write/fileBytes';
import type { ReadableFile } from '../write/writeFs';

const NEWLINE = 0x0a;

/** Reads rows of an open transcript by their offsets: those that follow each other are read together. */
export class SourceRows {
  readonly #file: ReadableFile;
  /** Bytes that were known when the transcript was scanned. */
  readonly #end: number;
  #window = Buffer.allocUnsafe(CHUNK_BYTES);
  #start = 0;
  #length = 0;

  constructor(file: ReadableFile, end: number) {
    this.#file = file;
    this.#end = end;
  }

  /** From `offset` to the end of its line. Good until the next call. */
  async lineAt(offset: number): Promise<Buffer> {
    const isThere = offset >= this.#start && offset < this.#start + this.#length;
    const held = isThere ? this.#upToNewline(offset) : null;
    if (held !== null) return held;
    for (let size = CHUNK_BYTES; ; size *= 2) {
      await this.#fill(offset, size);
      const line = this.#upToNewline(offset);
      if (line !== null) return line;
      if (this.#length < size) return this.#window.subarray(0, this.#length);
    }
  }

  async #fill(offset: number, size: number): Promise<void> {
    // A window that a long row made large is let go.
    if (this.#window.length !== size) this.#window = Buffer.allocUnsafe(size);
    const wanted = Math.max(0, Math.min(size, this.#end - offset));
    this.#length = 0;
    this.#length = await readFully(this.#file, this.#window.subarray(0, wanted), offset);
    this.#start = offset;
  }

  #upToNewline(offset: number): Buffer | null {
    const held = this.#window.subarray(offset - this.#start, this.#length);
    const newline = held.indexOf(NEWLINE);
    return newline < 0 ? null : held.subarray(0, newline);
  }
}

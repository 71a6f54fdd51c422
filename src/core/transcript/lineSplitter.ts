import { RowOutline, type OutlinedRow } from './rowOutline';

const NEWLINE = 10;

/** Longest line that is held, in bytes. Of a longer one, only the outline is read. */
export const MAX_HELD_BYTES = 32 * 1024 * 1024;

/** A line of more than `MAX_HELD_BYTES`. */
export interface LongLine {
  readonly row: OutlinedRow;
  /** Bytes, without the newline. */
  readonly length: number;
}

/** Receives one line without its newline. The bytes are valid only during the call. */
export interface LineSink {
  line(bytes: Buffer, start: number, hasNewline: boolean): void;
  longLine(line: LongLine, start: number, hasNewline: boolean): void;
}

/** Cuts chunks into lines. Memory is bounded by the longest line that is held. */
export class LineSplitter {
  #held: Buffer[] = [];
  #heldBytes = 0;
  #outline: RowOutline | null = null;
  /** Offset of the first byte of the line that is being read. */
  #lineStart = 0;
  #offset = 0;

  constructor(private readonly sink: LineSink) {}

  /** Offset of the first byte after the lines that were passed on. */
  get lineStart(): number {
    return this.#lineStart;
  }

  push(chunk: Uint8Array): void {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (;;) {
      const newline = buffer.indexOf(NEWLINE, from);
      if (newline < 0) break;
      this.#finish(buffer.subarray(from, newline), true);
      from = newline + 1;
      this.#lineStart = this.#offset + from;
    }
    this.#hold(buffer.subarray(from));
    this.#offset += buffer.length;
  }

  /** Passes on the rest as a line, if there is one. Returns the number of bytes seen. */
  end(): number {
    if (this.#heldBytes > 0) this.#finish(Buffer.alloc(0), false);
    return this.#offset;
  }

  #hold(rest: Buffer): void {
    if (rest.length === 0) return;
    if (this.#outline === null && this.#heldBytes + rest.length > MAX_HELD_BYTES) this.#startOutline();
    if (this.#outline === null) this.#held.push(Buffer.from(rest));
    else this.#outline.push(rest);
    this.#heldBytes += rest.length;
  }

  #startOutline(): void {
    this.#outline = new RowOutline();
    for (const bytes of this.#held) this.#outline.push(bytes);
    this.#held = [];
  }

  #finish(tail: Buffer, hasNewline: boolean): void {
    const length = this.#heldBytes + tail.length;
    if (this.#outline === null && length > MAX_HELD_BYTES) this.#startOutline();
    if (this.#outline !== null) {
      this.#outline.push(tail);
      this.sink.longLine({ row: this.#outline.end(), length }, this.#lineStart, hasNewline);
    } else if (this.#heldBytes === 0) {
      this.sink.line(tail, this.#lineStart, hasNewline);
    } else {
      this.sink.line(Buffer.concat([...this.#held, tail], length), this.#lineStart, hasNewline);
    }
    this.#held = [];
    this.#heldBytes = 0;
    this.#outline = null;
  }
}

const NEWLINE = 10;

/** Longest line that is read, in bytes; longer lines are reported and skipped. V8's longest string is 512 MiB. */
export const MAX_ROW_BYTES = 256 * 1024 * 1024;

/** Receives one line without its newline. The bytes are valid only during the call. */
export interface LineSink {
  line(bytes: Buffer, start: number, hasNewline: boolean): void;
  /** A line of more than `MAX_ROW_BYTES`, whose bytes were not kept. */
  oversized(start: number, hasNewline: boolean): void;
}

/** Cuts chunks into lines; memory is bounded by the longest line. */
export class LineSplitter {
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isOversized = false;
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
    if (this.#heldBytes > 0 || this.#isOversized) this.#finish(Buffer.alloc(0), false);
    return this.#offset;
  }

  #hold(rest: Buffer): void {
    if (rest.length === 0 || this.#isOversized) return;
    if (this.#heldBytes + rest.length > MAX_ROW_BYTES) {
      this.#isOversized = true;
      this.#held = [];
      this.#heldBytes = 0;
      return;
    }
    this.#held.push(Buffer.from(rest));
    this.#heldBytes += rest.length;
  }

  #finish(tail: Buffer, hasNewline: boolean): void {
    if (this.#isOversized || this.#heldBytes + tail.length > MAX_ROW_BYTES) {
      this.sink.oversized(this.#lineStart, hasNewline);
    } else if (this.#heldBytes === 0) {
      this.sink.line(tail, this.#lineStart, hasNewline);
    } else {
      const line = Buffer.concat([...this.#held, tail], this.#heldBytes + tail.length);
      this.sink.line(line, this.#lineStart, hasNewline);
    }
    this.#held = [];
    this.#heldBytes = 0;
    this.#isOversized = false;
  }
}

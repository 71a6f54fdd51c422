import type { TranscriptIndex } from './transcriptIndex';

/**
 * Turns the bytes of one transcript into facts. Chunks may be cut anywhere. A chunk's memory may be reused by the
 * caller after `push` returns.
 */
export interface TranscriptScanner {
  /**
   * Memory of the scanner that a file may be read into, so that its bytes need not be copied: at least 256 KiB. What was
   * written to its start is pushed by pushing that part of it. Good until the next call.
   */
  room?(): Uint8Array;
  push(chunk: Uint8Array): void;
  /** Of the lines that are complete so far; `fileSize` ends with the last of them. Good until the next `push`. */
  index(): TranscriptIndex;
  /** The last line counts as a line although no newline ends it. Called once, at last. */
  end(): TranscriptIndex;
  /**
   * In place of `end`, for those who look at the facts once: they are good while `look` runs, and need not be copied. They
   * say whether the transcript is straight.
   */
  read<T>(look: (index: TranscriptIndex) => T): T;
}

export interface ScannerOptions {
  /** The facts hold the token counts of the messages. */
  readonly withUsage?: boolean;
  /**
   * The facts hold the hashes of the rows; true unless it is said. See `TranscriptFacts.lacksHashes`. Whoever reads files
   * says false when they are of no use to them: no file is read twice for them then.
   */
  readonly withHashes?: boolean;
}

export type ScannerFactory = (options?: ScannerOptions) => TranscriptScanner;

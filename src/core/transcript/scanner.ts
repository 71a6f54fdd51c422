import type { PlainTranscript } from './plainTranscript';
import type { TranscriptFacts } from './transcriptIndex';

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
  facts(): TranscriptFacts;
  /** The last line counts as a line although no newline ends it. Called once, at last. */
  end(): TranscriptFacts;
  /**
   * Called before `end`, or in place of it, by those who need no facts of a plain transcript. Null when it is none, or may
   * be none: `end` gives the facts then. `selfHealMs`: how far back in time the client looks for a row to go on with at a
   * broken link.
   */
  endPlain?(selfHealMs: number): PlainTranscript | null;
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

import type { TranscriptFacts } from './transcriptFacts';

/**
 * Turns the bytes of one transcript into facts. Chunks may be cut anywhere. A chunk's memory may be reused by the
 * caller after `push` returns.
 */
export interface TranscriptScanner {
  push(chunk: Uint8Array): void;
  /** The last line counts as a line although no newline ends it. Called once. */
  end(): TranscriptFacts;
}

export type ScannerFactory = () => TranscriptScanner;

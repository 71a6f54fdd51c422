import type { TranscriptIndex } from './transcriptIndex';

/**
 * Turns the bytes of one transcript into facts. Chunks may be cut anywhere. The caller may reuse a chunk's memory after `push`
 * returns.
 */
export interface TranscriptScanner {
  /**
   * Memory of the scanner, at least 256 KiB, into which a file may be read to avoid a copy. To push what was written to its
   * start, pass that part of it to `push`. Valid until the next call.
   */
  room?(): Uint8Array;
  push(chunk: Uint8Array): void;
  /**
   * Facts of the lines that are complete so far; `fileSize` ends with the last of them. Valid until the next `push`. If the lines
   * of the last row are not complete, they are missing, and the index `isOpen`. `settled` adds them as the client would read them
   * now; nothing may be pushed afterwards.
   */
  index(form?: 'settled'): TranscriptIndex;
  /** The last line counts even if no newline ends it. Call it once, as the last call. */
  end(): TranscriptIndex;
  /**
   * Replaces `end` for callers that need the facts only once: they are valid while `use` runs, so they are not copied. These
   * facts also say whether the transcript is straight. See also `ScannerOptions.isGrowing`.
   */
  read<T>(use: (index: TranscriptIndex) => T): T;
}

export interface ScannerOptions {
  /**
   * The file has more than 5 MiB, so each line is read by itself. In smaller files, a row may span lines. By default, a file is
   * large if byte rows are requested.
   */
  readonly isLarge?: boolean;
  /**
   * The transcript is being written, so `read` leaves out a last line without a newline. False by default.
   */
  readonly isGrowing?: boolean;
  /** The facts include the token counts of the messages. */
  readonly withUsage?: boolean;
  /**
   * The facts include the hashes of the rows; true by default. See `ScannedTables.lacksHashes`. Pass false if the hashes are not
   * needed, so that no file is read twice to get them.
   */
  readonly withHashes?: boolean;
  /**
   * The hashes are those of the messages (`sameMessageText`), which are equal also for copies of a message that are written in another
   * way. JSON.parse then reads each line. See `needsMessageHashes`.
   */
  readonly withMessageHashes?: boolean;
  /**
   * The rows that no count of tokens covers can be weighed; true by default, as the facts then keep their bytes. See
   * `ScannedTables.uncounted`.
   */
  readonly withWeights?: boolean;
  /** The facts include what the client's reader for large files sees of each line. */
  readonly withByteRows?: boolean;
  /** With `read`, the facts also say of a large transcript whether it is straight; true by default. */
  readonly withLargeStraight?: boolean;
  /** The facts include the same if that takes no second reading, and `read` does not find the transcript straight. */
  readonly withProvenByteRows?: boolean;
}

export type ScannerFactory = (options?: ScannerOptions) => TranscriptScanner;

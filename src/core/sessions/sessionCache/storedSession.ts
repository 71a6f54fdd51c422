import type { ScannedSession, SessionMetadata, SessionScanResult } from '../../../protocol/session';

/** Where the parts of a session are read from. */
export interface SessionSource {
  /** @param path That of the row. */
  readonly result: (row: number, path: string) => SessionScanResult;
  readonly metadata: (row: number) => SessionMetadata;
}

/**
 * A session that is taken out of the cache when somebody looks at it: a window has thousands, and shows some hundred.
 * It cannot be sent to another thread, whose channel says so: that takes a `plainSession`.
 */
export class StoredSession implements ScannedSession {
  readonly problem = null;
  /** Not private to the language: functions, which a channel refuses, keep a session from arriving without its parts. */
  private readonly source: SessionSource;
  private readonly row: number;
  private readonly path: string;
  private readResult: SessionScanResult | null = null;
  private readMetadata: SessionMetadata | null = null;

  constructor(source: SessionSource, row: number, path: string) {
    this.source = source;
    this.row = row;
    this.path = path;
  }

  get result(): SessionScanResult {
    return (this.readResult ??= this.source.result(this.row, this.path));
  }

  get metadata(): SessionMetadata {
    return (this.readMetadata ??= this.source.metadata(this.row));
  }
}

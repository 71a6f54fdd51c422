import type { Finding } from './repair';

export type SessionStatus = 'healthy' | 'corrupted' | 'missing' | 'unreadable';

/** What Claude Code would put into its next request when the session is resumed. */
export interface ResumeSummary {
  /** Counted rows that reach the request. */
  readonly loads: number;
  /** Main-lane user and assistant rows that carry content. */
  readonly of: number;
  /** uuid of the row that the walk starts from; null when there is none, or when that row has no uuid. */
  readonly leafUuid: string | null;
  /** 1-based lines of the counted rows that do not reach the request, ascending. */
  readonly missingLines: readonly number[];
}

/** The public result of scanning one transcript; its field names are a contract with scripts. */
export interface SessionScanResult {
  readonly sessionId: string;
  readonly filePath: string;
  readonly status: SessionStatus;
  /** Rows from the leaf to the root or the break. */
  readonly chainDepth: number;
  /** Chain rows whose parent is missing. */
  readonly orphanCount: number;
  /** Bytes. */
  readonly fileSize: number;
  /** Chain rows of type user or assistant. */
  readonly messageCount: number;
  readonly resume: ResumeSummary;
  readonly findings: readonly Finding[];
}

/** What a session is called and where it belongs: read from its rows, never from the folder's name. */
export interface SessionMetadata {
  /** custom-title ?? ai-title ?? last prompt ?? summary ?? first prompt; null when there is none. */
  readonly title: string | null;
  readonly cwd: string | null;
  readonly model: string | null;
  readonly gitBranch: string | null;
  /** Version of the client that wrote the last row that names one. */
  readonly clientVersion: string | null;
  /** Time of the last user or assistant row, in milliseconds since the epoch. */
  readonly lastMessageMs: number | null;
  /** The session that this one was forked from; null for one that was not. */
  readonly parentSessionId: string | null;
}

/** A scan with what the tree shows beside it. `problem` says in one sentence why a file could not be read. */
export interface ScannedSession {
  readonly result: SessionScanResult;
  readonly metadata: SessionMetadata;
  readonly problem: string | null;
}

/** What the client's registry says of a running session. */
export type LiveStatus = 'busy' | 'waiting' | 'idle';

export interface ScanTotals {
  readonly sessions: number;
  readonly healthy: number;
  readonly corrupted: number;
  readonly missing: number;
  readonly unreadable: number;
  /** Bytes of all scanned transcripts. */
  readonly bytes: number;
}

/** What the two ends of a transcript say of it, long before its scan. */
export type QuickMetadata = Pick<SessionMetadata, 'title' | 'cwd' | 'lastMessageMs'>;

/** One session: the id alone is not enough, since one id may lie in two project folders. */
export interface SessionRef {
  readonly provider: 'claude';
  readonly id: string;
  /** Absolute path of its transcript. */
  readonly path: string;
}

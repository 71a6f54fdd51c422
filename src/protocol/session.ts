import type { Finding } from './repair';

export type SessionStatus = 'healthy' | 'corrupted' | 'missing' | 'unreadable';

/** What some client would load of a transcript. */
export interface LoadSummary {
  /** Counted rows that reach the request. */
  readonly loads: number;
  /** User and assistant rows with content that are not on a sidechain. */
  readonly of: number;
  /** uuid of the row that the walk starts from; null if there is none or the row has no uuid. */
  readonly leafUuid: string | null;
  /** 1-based lines of the counted rows that do not reach the request, ascending. */
  readonly missingLines: readonly number[];
}

/** What Claude Code would put into its next request when the session is resumed. */
export interface ResumeSummary extends LoadSummary {
  /** Version of the client that it speaks for. */
  readonly client: string;
  /** The rules of that version were measured; otherwise, the numbers are approximate. */
  readonly isExact: boolean;
}

/** The public result of scanning one transcript; its field names are a contract with scripts. */
export interface SessionScanResult {
  readonly sessionId: string;
  readonly filePath: string;
  readonly provider: SessionRef['provider'];
  readonly status: SessionStatus;
  /** Rows from the leaf to the root, or to the break. */
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

/** Title and origin of a session, read from its rows, never from the folder's name. */
export interface SessionMetadata {
  /** custom-title ?? ai-title ?? last prompt ?? summary ?? first prompt; null if there is none. */
  readonly title: string | null;
  readonly cwd: string | null;
  readonly model: string | null;
  readonly gitBranch: string | null;
  /** Client version from the last row that names one. */
  readonly clientVersion: string | null;
  /** Time of the last user or assistant row, in milliseconds since the epoch. */
  readonly lastMessageMs: number | null;
  /** Session that this one was forked from; null if it is not a fork. */
  readonly parentSessionId: string | null;
  /**
   * Time of the first user or assistant row, in milliseconds since the epoch. The rows that a fork copied do not count, so it is null
   * for a fork to which nothing was added.
   */
  readonly createdMs: number | null;
}

/** A scan result with the metadata that the tree shows. `problem` says in one sentence why the file could not be read. */
export interface ScannedSession {
  readonly result: SessionScanResult;
  readonly metadata: SessionMetadata;
  readonly problem: string | null;
  /** It was also looked at what a list does not need, such as what the API would refuse. Absent if not. */
  readonly isJudged?: boolean;
}

/** Whether a client runs a session. `maybe-live`: it cannot be excluded. */
export type Liveness = 'live' | 'maybe-live' | 'not-live';

export interface ScanTotals {
  readonly sessions: number;
  readonly healthy: number;
  readonly corrupted: number;
  readonly missing: number;
  readonly unreadable: number;
  /** Bytes of all scanned transcripts. */
  readonly bytes: number;
  /** Of a whole config folder: what no session needs. Absent if that is next to nothing, or if only a part was scanned. */
  readonly unneeded?: readonly UnneededFiles[];
}

/** Files in a config folder that no session needs. */
export interface UnneededFiles {
  /**
   * `file-history`: copies of files for rewinds of sessions whose transcripts are gone. `session-folders`: what else such sessions have
   * left, such as the transcripts of their subagents. `debug-logs`: logs for the developers of Claude Code.
   */
  readonly kind: 'file-history' | 'session-folders' | 'debug-logs';
  /** Absolute path of the folder that contains them, possibly among others. */
  readonly path: string;
  /** Number of sessions, or of logs. */
  readonly entries: number;
  readonly bytes: number;
}

/** Metadata read from the beginning and end of a transcript, available long before its scan. */
export type QuickMetadata = Pick<SessionMetadata, 'title' | 'cwd' | 'lastMessageMs'>;

/** What a provider may be unable to do with its sessions. `rewind` restores files to a checkpoint. */
export type SessionAction = 'repair' | 'fork' | 'rewind';

/** Identifies one session. The id alone is not enough, since two project folders can hold the same id. */
export interface SessionRef {
  readonly provider: 'claude';
  readonly id: string;
  /** Absolute path of its transcript. */
  readonly path: string;
}

const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether Claude Code accepts a text as the id of a session. */
export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}

/** The terminal command that resumes a session; null if Claude Code does not accept the id. */
export function resumeCommand(sessionId: string): string | null {
  return isSessionId(sessionId) ? `claude --resume ${sessionId}` : null;
}

import type { RepairOutcome } from '../repair';
import type { LiveStatus, ScannedSession, SessionMetadata } from '../session';

/** What the host tells the worker before anything else, and again when settings or folders change. */
export interface WorkerConfiguration {
  /** Absolute path of Claude Code's config folder. */
  readonly configDir: string;
  /** Absolute paths of the open workspace folders, in window order: their sessions are scanned first. */
  readonly workspaceFolders: readonly string[];
  /** Transcripts scanned at the same time; 1 or more. */
  readonly scanConcurrency: number;
}

/** `unscanned` until its first scan; `ghost` has no user or assistant row. */
export type SessionHealth = 'unscanned' | 'healthy' | 'corrupted' | 'repaired' | 'unreadable' | 'ghost';

/** One session as the tree shows it. Holds no message text but the title. */
export interface SessionSummary {
  readonly sessionId: string;
  readonly filePath: string;
  readonly title: string | null;
  readonly health: SessionHealth;
  readonly live: LiveStatus | null;
  readonly lastMessageMs: number | null;
  /** Rows Claude will load of those that carry content; null before the scan. */
  readonly loads: number | null;
  readonly of: number | null;
  /** Findings of severity `error`. */
  readonly errorCount: number;
  /** A finding can be mended without asking; false before the scan. */
  readonly isRepairable: boolean;
  /** A repair of this session can be undone. */
  readonly hasBackup: boolean;
}

export interface ProjectSummary {
  /** Absolute path of the folder under `projects/`. */
  readonly folder: string;
  /** Working directory read from the rows; null when none is known. */
  readonly cwd: string | null;
  /** It belongs to an open workspace folder. */
  readonly inWorkspace: boolean;
  readonly sessions: readonly SessionSummary[];
}

export type ScanPhase =
  | { readonly kind: 'idle' }
  | { readonly kind: 'discovering' }
  | { readonly kind: 'scanning'; readonly done: number; readonly total: number };

/** The whole state of the tree. A later revision replaces an earlier one entirely. */
export interface SessionsSnapshot {
  readonly revision: number;
  readonly phase: ScanPhase;
  /** Workspace projects first, then the others by last activity. */
  readonly projects: readonly ProjectSummary[];
  /** Why the sessions could not be listed; null when they could. */
  readonly problem: string | null;
  /** The config folder does not exist: Claude Code never ran here, or the setting is wrong. */
  readonly isFolderMissing: boolean;
}

export interface ScanAllOptions {
  /** Scan transcripts that did not change since their last scan, too. */
  readonly rescanUnchanged?: boolean;
}

/** What a tooltip shows; asked for when the pointer rests on a session. */
export interface SessionDetails {
  readonly scan: ScannedSession;
  readonly metadata: SessionMetadata;
  readonly live: LiveStatus | null;
}

/** Calls from the host to the worker. */
export interface WorkerApi {
  configure(configuration: WorkerConfiguration): Promise<void>;
  /**
   * Lists everything and scans what changed; snapshots stream meanwhile. Resolves when the scan is done, or when a
   * later one took its place.
   */
  scanAll(options?: ScanAllOptions): Promise<void>;
  scanSession(filePath: string): Promise<ScannedSession>;
  details(filePath: string): Promise<SessionDetails>;
  /** The plan and its proof; the transcript is not touched. */
  planRepair(filePath: string): Promise<RepairOutcome>;
  repair(filePath: string): Promise<RepairOutcome>;
  undoRepair(filePath: string): Promise<RepairOutcome>;
}

/** Calls from the worker to the host. */
export interface WorkerEvents {
  sessionsChanged(snapshot: SessionsSnapshot): void;
  /** For the log channel. Holds paths, ids and counts, never message text. */
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string): void;
}

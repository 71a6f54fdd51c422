import type { ConversationHead } from '../conversation';
import type { SessionEnd } from '../message';
import type { RepairOutcome } from '../repair';
import type { LiveStatus, ScannedSession, SessionMetadata } from '../session';
import type { ConversationsApi } from './conversation';
import type { ExportApi, ExportEvents } from './export';
import type { RewindingApi } from './rewinding';
import type { SearchApi, SearchEvents } from './search';
import type { TasksApi, TasksEvents } from './tasks';
import type { UsageApi, UsageEvents } from './usage';

/** What the host tells the worker before anything else, and again when settings or folders change. */
export interface WorkerConfiguration {
  /** Absolute path of Claude Code's config folder. */
  readonly configDir: string;
  /** Absolute paths of the open workspace folders, in window order: their sessions are scanned first. */
  readonly workspaceFolders: readonly string[];
  /** Transcripts scanned at the same time; 1 or more. */
  readonly scanConcurrency: number;
  /** Which sessions are repaired without being asked: none, or those that lost history and that nobody is running. */
  readonly automaticRepair: AutomaticRepairMode;
  /** Absolute path of a folder of ours, for what is kept over restarts; null when nothing may be kept. */
  readonly cacheDir: string | null;
  /** How often open conversations are looked at, in milliseconds. */
  readonly livePollMs: number;
}

export type AutomaticRepairMode = 'off' | 'background';

/** Paths of the transcripts that the person has before them; those of the open workspace folders are visible anyway. */
export interface SessionFocus {
  /** Shown in the focused panel, or about to be resumed. */
  readonly active: readonly string[];
  /** In other panels that can be seen. */
  readonly visible: readonly string[];
  /** In tabs behind others. */
  readonly background: readonly string[];
}

/** `unscanned` until its first scan; `ghost` has no user or assistant row. */
export type SessionHealth = 'unscanned' | 'healthy' | 'corrupted' | 'repaired' | 'unreadable' | 'ghost';

/** One session as the tree shows it. Holds no message text but the title. */
export interface SessionSummary {
  readonly sessionId: string;
  readonly filePath: string;
  readonly title: string | null;
  /** The session that this one was forked from; null for one that was not, and before the scan. */
  readonly parentSessionId: string | null;
  readonly health: SessionHealth;
  readonly live: LiveStatus | null;
  readonly lastMessageMs: number | null;
  /** What sessions are sorted by: the last message, or the file's own time until it is known. Milliseconds. */
  readonly activityMs: number;
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
  /** Latest activity first. */
  readonly sessions: readonly SessionSummary[];
}

export type ScanPhase =
  | { readonly kind: 'idle' }
  | { readonly kind: 'discovering' }
  | { readonly kind: 'scanning'; readonly done: number; readonly total: number };

/** The whole state of the tree. */
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

/** A project, as far as it differs from what was told of it before. */
export interface ProjectUpdate {
  readonly folder: string;
  readonly cwd: string | null;
  readonly inWorkspace: boolean;
  /** Sessions that are new, or of which anything changed; each replaces what was told of it before. */
  readonly sessions: readonly SessionSummary[];
  /** Paths of transcripts that are gone. */
  readonly removed: readonly string[];
}

/**
 * What changed in the state of the tree. Thousands of sessions in one message would hold up the host, so an update holds
 * some hundreds at most, and the next one is sent when the host has taken it: applied in order, they add up to the state.
 */
export interface SessionsUpdate {
  readonly revision: number;
  /** The config folder that the sessions are of. */
  readonly configDir: string;
  /** Whatever was told before is void. */
  readonly startsAnew: boolean;
  readonly phase: ScanPhase;
  readonly problem: string | null;
  readonly isFolderMissing: boolean;
  /**
   * Folders of all projects, in the order of the tree; null when it is as before. A project that is not in it is gone; one
   * of which nothing was told yet follows.
   */
  readonly order: readonly string[] | null;
  readonly projects: readonly ProjectUpdate[];
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
  /** Null while a client runs it, and where the end of its transcript does not tell. */
  readonly end: SessionEnd | null;
}

/** Calls from the host to the worker. */
export interface WorkerApi extends ConversationsApi, SearchApi, ExportApi, TasksApi, UsageApi, RewindingApi {
  configure(configuration: WorkerConfiguration): Promise<void>;
  /**
   * Lists everything and scans what changed; updates stream meanwhile. Resolves when the scan is done and told, or when
   * a later one took its place.
   */
  scanAll(options?: ScanAllOptions): Promise<void>;
  scanSession(filePath: string): Promise<ScannedSession>;
  details(filePath: string): Promise<SessionDetails>;
  /** The plan and its proof; the transcript is not touched. */
  planRepair(filePath: string): Promise<RepairOutcome>;
  repair(filePath: string): Promise<RepairOutcome>;
  undoRepair(filePath: string): Promise<RepairOutcome>;
  /** Which sessions come first from here on, also of those that wait already. */
  prioritise(focus: SessionFocus): Promise<void>;
  /**
   * To be called before the thread is ended: resolves when what must not be cut has ended, and what was found out is
   * kept. From the call on everything else is refused.
   */
  drain(): Promise<void>;
}

/** Calls from the worker to the host. */
export interface WorkerEvents extends SearchEvents, ExportEvents, TasksEvents, UsageEvents {
  /** Its answer asks for the next one. */
  sessionsChanged(update: SessionsUpdate): void | Promise<void>;
  /** An open conversation grew, was replaced or is gone. `count` is that of the view it was opened with last. */
  conversationChanged(head: ConversationHead): void | Promise<void>;
  /** For the log channel. Holds paths, ids and counts, never message text. */
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string): void;
}

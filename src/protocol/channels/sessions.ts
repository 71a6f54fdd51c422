import { answeredEvent, call, type Calls, cancellable, defineChannel, type Events } from '../channel';
import type { SessionEnd } from '../message';
import type { RepairOutcome } from '../repair';
import type { LiveStatus, ScannedSession, SessionMetadata } from '../session';

const MINUTE_MS = 60_000;

/** The sessions of the config folder: what is known of them, and what is done with one. A path names a transcript. */
export const sessionsChannel = defineChannel(
  'sessions',
  {
    /**
     * Lists everything and scans what changed; updates stream meanwhile. Resolves when the scan is done and its updates are
     * taken, or when a later one took its place. The signal ends the waiting, not the scan.
     */
    scanAll: cancellable<(options: ScanAllOptions) => void>(),
    // A transcript of some gigabytes takes minutes; a lost answer would take for ever.
    scanSession: call<(filePath: string) => ScannedSession>({ timeoutMs: 10 * MINUTE_MS }),
    details: call<(filePath: string) => SessionDetails>({ timeoutMs: 2 * MINUTE_MS }),
    /** The plan and its proof; the transcript is not touched. */
    planRepair: call<(filePath: string) => RepairOutcome>({ timeoutMs: 10 * MINUTE_MS }),
    repair: call<(filePath: string) => RepairOutcome>({ timeoutMs: 20 * MINUTE_MS }),
    undoRepair: call<(filePath: string) => RepairOutcome>({ timeoutMs: 20 * MINUTE_MS }),
  },
  {
    /** Its answer asks for the next one. */
    sessionsChanged: answeredEvent<(update: SessionsUpdate) => void>(),
  },
);

export type SessionsCalls = Calls<typeof sessionsChannel>;
export type SessionsEvents = Events<typeof sessionsChannel>;

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

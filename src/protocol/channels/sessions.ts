import { answeredEvent, call, type Calls, cancellable, defineChannel, type Events } from '../channel';
import type { ClientInfo } from '../client';
import type { SessionEnd } from '../message';
import type { RepairManner, RepairOutcome, RepairScope } from '../repair';
import type { Sweep } from './alarms';
import type { Liveness, ScannedSession, SessionAction, SessionMetadata, SessionRef } from '../session';
import type { SessionActivity } from '../sessionActivity';
import type { SlimOutcome } from '../slim';
import type { SessionInfo } from '../sessionInfo';

const MINUTE_MS = 60_000;

/** The sessions of the config folder: their state and the actions on one of them. */
export const sessionsChannel = defineChannel(
  'sessions',
  {
    /**
     * Lists all sessions and scans those that changed, streaming updates. Resolves when the scan is done and its updates
     * were received, or when a later scan replaced it. The signal ends the waiting, not the scan.
     */
    scanAll: cancellable<(options: ScanAllOptions) => void>(),
    // Reading a transcript of several gigabytes takes minutes. The limit only guards against a lost answer.
    scanSession: call<(session: SessionRef) => ScannedSession>({ timeoutMs: 10 * MINUTE_MS }),
    details: call<(session: SessionRef) => SessionDetails>({ timeoutMs: 2 * MINUTE_MS }),
    /** Reads the transcript, so it takes longer than `details`. Null if it cannot be read. */
    info: call<(session: SessionRef) => CountedInfo | null>({ timeoutMs: 2 * MINUTE_MS }),
    /** By default `asked`, and of `all`. */
    repair: call<(session: SessionRef, manner?: RepairManner, scope?: RepairScope) => RepairOutcome>({
      timeoutMs: 20 * MINUTE_MS,
    }),
    /** What slimming would remove; nothing is written. */
    planSlim: call<(session: SessionRef) => SlimOutcome>({ timeoutMs: 20 * MINUTE_MS }),
    /** `mayBeLive`: also if a client may be running the session. */
    slim: call<(session: SessionRef, mayBeLive?: boolean) => SlimOutcome>({ timeoutMs: 20 * MINUTE_MS }),
    undoSlim: call<(session: SessionRef, mayBeLive?: boolean) => SlimOutcome>({ timeoutMs: 20 * MINUTE_MS }),
    /** Takes a session whose transcript is gone off the list. */
    forget: call<(session: SessionRef) => void>({ timeoutMs: MINUTE_MS }),
    /** `mayBeLive`: also if a client may be running the session. */
    undoRepair: call<(session: SessionRef, mayBeLive?: boolean) => RepairOutcome>({ timeoutMs: 20 * MINUTE_MS }),
  },
  {
    /** Answering it requests the next update. */
    sessionsChanged: answeredEvent<(update: SessionsUpdate) => void>(),
  },
);

export type SessionsCalls = Calls<typeof sessionsChannel>;
export type SessionsEvents = Events<typeof sessionsChannel>;

/** Paths of the transcripts that the person has open. Those of the open workspace folders always count as visible. */
export interface SessionFocus {
  /** Shown in the focused panel, or about to be resumed. */
  readonly active: readonly string[];
  /** In other visible panels. */
  readonly visible: readonly string[];
  /** In tabs that are not visible. */
  readonly background: readonly string[];
  /** No view of the extension is visible, so that the badge alone is to be true. */
  readonly isHidden?: boolean;
  /** The window is in the background. */
  readonly isAway?: boolean;
}

/** `unscanned` until the first scan; `empty` has no user or assistant row, or no transcript yet; `missing` has lost its transcript. */
export type SessionHealth = 'unscanned' | 'healthy' | 'corrupted' | 'repaired' | 'unreadable' | 'empty' | 'missing';

/** One session as the tree shows it. The title is the only message text in it. */
export interface SessionSummary extends SessionRef {
  readonly title: string | null;
  /** Session that this one was forked from; null if it is not a fork, and before the scan. */
  readonly parentSessionId: string | null;
  readonly health: SessionHealth;
  readonly live: Liveness;
  /** What it is doing, or how it ended; null if nothing runs it and its end was not looked at. */
  readonly activity: SessionActivity | null;
  /** The call that runs, or what the session waits for. */
  readonly doing: string | null;
  /** Of a fork to which nothing was added, when it was made. */
  readonly lastMessageMs: number | null;
  /**
   * Sort key of sessions: time of the last message, or the file's modification time until that is known. Milliseconds since
   * the epoch.
   */
  readonly activityMs: number;
  /** Time of the first message; of a fork, when it was made or of its first own message. Null before the scan. */
  readonly createdMs: number | null;
  /** Size of the transcript in bytes; null if there is none. */
  readonly bytes: number | null;
  /** Number of content rows that Claude will load; null before the scan. */
  readonly loads: number | null;
  readonly of: number | null;
  /** Number of findings of severity `error`. */
  readonly errorCount: number;
  /** Number of findings of severity `warning`. */
  readonly warningCount: number;
  /** A finding can be fixed without asking; false before the scan. */
  readonly isRepairable: boolean;
  /** A repair of this session can be undone. */
  readonly hasBackup: boolean;
  /** What cannot be done with the session, whatever its state; absent if there is nothing. */
  readonly lacks?: readonly SessionAction[];
  /** There is no transcript, yet or any more; absent if there is one. */
  readonly isAbsent?: boolean;
  /** True for a project folder that cannot be listed and stands in for its sessions; absent for a session. */
  readonly isProjectFolder?: boolean;
}

export interface ProjectSummary {
  /** Absolute path of the folder under `projects/` of a config folder. */
  readonly folder: string;
  /** Working directory read from the rows; null if unknown. */
  readonly cwd: string | null;
  /** The session belongs to an open workspace folder. */
  readonly inWorkspace: boolean;
  /** Most recent activity first. */
  readonly sessions: readonly SessionSummary[];
}

export type ScanPhase =
  | { readonly kind: 'idle' }
  | { readonly kind: 'discovering' }
  | { readonly kind: 'scanning'; readonly done: number; readonly total: number };

/** The complete state of the tree. */
export interface SessionsSnapshot {
  readonly revision: number;
  readonly phase: ScanPhase;
  /** Workspace projects first, then the others by most recent activity. */
  readonly projects: readonly ProjectSummary[];
  /** Why the sessions could not be listed; null if they could. */
  readonly problem: string | null;
  /** The config folder does not exist: Claude Code never ran here, or the setting is wrong. */
  readonly isFolderMissing: boolean;
  /** What is wrong with further config folders; absent if there are none. */
  readonly extraProblems?: readonly FolderProblem[];
}

/** Why the sessions of a config folder could not be listed. */
export interface FolderProblem {
  /** Absolute path. */
  readonly configDir: string;
  /** A sentence; null if the folder does not exist. */
  readonly problem: string | null;
}

/** The changes to a project since the last update. */
export interface ProjectUpdate {
  readonly folder: string;
  readonly cwd: string | null;
  readonly inWorkspace: boolean;
  /** Sessions that were added or changed; each replaces its previous summary. */
  readonly sessions: readonly SessionSummary[];
  /** Paths of deleted transcripts. */
  readonly removed: readonly string[];
}

/**
 * A change in the state of the tree. One message with thousands of sessions would block the extension host, so an update
 * holds a few hundred at most, and the next is sent once the extension has received it. Applied in order, the updates add up
 * to the state.
 */
export interface SessionsUpdate {
  readonly revision: number;
  /** The config folder that holds the sessions. */
  readonly configDir: string;
  /** All previous updates about this config folder are invalid. */
  readonly isReset: boolean;
  readonly phase: ScanPhase;
  readonly problem: string | null;
  readonly isFolderMissing: boolean;
  /**
   * Folders of all projects in tree order; null if unchanged. A project that is missing from it was deleted; a project that
   * is only named here follows in a later update.
   */
  readonly order: readonly string[] | null;
  readonly projects: readonly ProjectUpdate[];
}

export interface ScanAllOptions {
  /** Also scan transcripts that are unchanged since their last scan. */
  readonly rescanUnchanged?: boolean;
}

/** One session without its messages; what it used is counted by another channel, so tokens and costs are missing. */
export interface CountedInfo {
  readonly info: SessionInfo;
  /** How many of its messages Claude remembers. */
  readonly remembered: number;
  /** Claude also has the summary of what was compacted. */
  readonly hasSummary: boolean;
  /** Claude does not remember all of the current thread, without a summary of the rest. Absent if it does. */
  readonly losesMessages?: true;
  /** The beginnings of the first prompt and of the last text that Claude wrote; null if there is none. */
  readonly firstPrompt: string | null;
  readonly lastAnswer: string | null;
}

/** Content of a tooltip, requested when the pointer rests on a session. */
export interface SessionDetails {
  readonly scan: ScannedSession;
  readonly metadata: SessionMetadata;
  /** The client that the scan speaks for. */
  readonly client: ClientInfo;
  readonly activity: SessionActivity;
  /** Null while a client runs the session, and if the end of its transcript is inconclusive. */
  readonly end: SessionEnd | null;
  /** When clients delete the session because of its age; null for never, and before the settings are read. */
  readonly sweep: Sweep | null;
}

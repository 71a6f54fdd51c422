import type { RepairOutcome, RepairPlanOutcome } from '../../protocol/repair';
import type { SlimOutcome } from '../../protocol/slim';
import type { Liveness, ScannedSession, SessionAction, SessionRef } from '../../protocol/session';
import type { SessionActivity } from '../../protocol/sessionActivity';
import type { TranscriptEnd } from '../../protocol/sessionInfo';
import type { ScannerFactory } from '../transcript/scanner';
import type { FileStamp } from '../util/diskFiles';

/** A transcript on disk, before its rows are read. */
export interface FoundTranscript extends SessionRef {
  /** Absolute path of the folder that holds the transcript. */
  readonly projectFolder: string;
  /** The path is that of a project's folder that cannot be listed: its scan reports why. */
  readonly isProjectFolder?: true;
  /** Whether a backup from a repair is beside it; absent if this was not checked. */
  readonly hasBackup?: boolean;
}

/** The transcripts of a project's folder. */
export interface ProjectListing {
  /** Absolute path. */
  readonly folder: string;
  /** Absolute paths of its transcripts; null if the folder cannot be read. */
  readonly transcripts: readonly string[] | null;
  /** File names of the transcripts that have a backup from a repair beside them. */
  readonly withBackup: ReadonlySet<string>;
}

/** Remembers the content of folders, so that only folders that changed are read again. */
export interface FolderMemory {
  /** The content of a project's folder; null if it is not known or if the folder changed since it was listed. */
  listing(folder: string, stamp: FileStamp): ProjectListing | null;
  /** `stamp` was taken before the folder was read. */
  setListing(listing: ProjectListing, stamp: FileStamp): void;
}

/** Follows a transcript while it is being written. */
export interface SessionFollower {
  /**
   * Returns the session as its complete lines describe it: a last line without a newline is still being written. Each call
   * costs what was appended since the previous one. Never rejects because of what is on disk.
   */
  read(): Promise<ScannedSession>;
  /** A closed follower cannot be used again. */
  close(): void;
}

/**
 * What can be done with the sessions of a provider. Where one is false, the tree does not offer the action, and a call is
 * refused. One is added with the code that asks for it, once a provider exists that lacks it.
 */
export type SessionCapabilities = Readonly<Record<SessionAction, boolean>>;

export interface ScanOptions {
  /**
   * Also judges the request of a session whose last prompt was not refused, which costs JSON.parse of all that loads, and runs the
   * checks that read more of the file than a scan keeps, or what is beside it. Too slow for a list of sessions.
   */
  readonly isThorough?: boolean;
  /** Its client is running, so a last line without a newline is still being written, and is left out. False by default. */
  readonly isGrowing?: boolean;
  /** Called from time to time with the number of bytes read so far. */
  readonly onProgress?: (bytesRead: number) => void;
  readonly signal?: AbortSignal;
}

/** For the repair of a session that a client may be running. One that certainly runs is refused. */
export interface LiveOptions {
  /** The person accepts the risk. Never true for a repair that nobody asked for. */
  readonly mayBeLive?: boolean;
}

export interface RepairOptions extends LiveOptions {
  /** Nobody was shown the plan, so it keeps every row that Claude loads now. If there is none that does, it is refused. */
  readonly isAutomatic?: boolean;
  /**
   * Mends only findings of this code, also those that the client heals. Null, the default: all because of which history is lost on
   * resume or every further prompt is refused.
   */
  readonly code?: string | null;
}

export interface LivenessAnswer {
  readonly live: Liveness;
  /** Why a client may run the session, as a sentence to show; null if that is certain, or excluded. */
  readonly why: string | null;
}

export interface ActivityAnswer {
  readonly live: Liveness;
  readonly activity: SessionActivity;
}

export interface Activities {
  of(filePath: string, end: TranscriptEnd | null): Promise<ActivityAnswer>;
  /** Sessions of clients that run, or may run, with or without a transcript. Never rejects. */
  running(): Promise<readonly RunningSession[]>;
  /** What the registry says at this moment. */
  look(): Promise<RegistryLook>;
}

/** What the registry of running clients says. Ids are in lower case. */
export interface RegistryLook {
  /** Sessions whose client runs. */
  readonly running: ReadonlySet<string>;
  /**
   * By session id, all that is said of a session that has a record or a background job, as a text to compare. A job may name only
   * the first eight characters of the id.
   */
  readonly said: ReadonlyMap<string, string>;
}

/** A session that a client runs, or may run. */
export interface RunningSession {
  readonly sessionId: string;
  /** Its working directory; null if unknown. */
  readonly cwd: string | null;
  /** Where its transcript is, or will be. */
  readonly filePath: string;
  /** When its client started, in milliseconds since the epoch. */
  readonly startedMs: number | null;
}

/**
 * Where sessions come from: finds them, reads them, and says what its client will load from each. Input: paths and ids.
 * Output: sessions and verdicts as defined in `protocol`. Only a provider knows the names of its client's files, folders
 * and fields, and only it derives the id of a session from a path.
 */
export interface SessionProvider {
  readonly id: SessionRef['provider'];
  /** What this provider's sessions support. */
  readonly capabilities: SessionCapabilities;
  /** The session that a path names, whether or not the file exists. */
  refOf(path: string): SessionRef;
  /**
   * The transcripts that the paths name: a transcript means itself, a config folder means the sessions of its projects, any
   * other folder means all transcripts below it. No path means the provider's config folder, which has no
   * sessions if it does not exist. A path that does not exist is yielded unchanged, so that its scan reports `missing`.
   * Subagents' transcripts are not sessions.
   */
  find(paths: readonly string[], signal?: AbortSignal): AsyncIterable<FoundTranscript>;
  /**
   * Like `find`, but yields the transcripts of one project at a time, which is faster for thousands of transcripts. Projects
   * that have not changed since they were put into `memory` are not read.
   */
  findBatches(
    paths: readonly string[],
    signal?: AbortSignal,
    memory?: FolderMemory | null,
  ): AsyncIterable<readonly FoundTranscript[]>;
  /** Never rejects because of what is on disk: a bad file gives a result whose status says so. Rejects when aborted. */
  scan(filePath: string, options?: ScanOptions): Promise<ScannedSession>;
  /** Follows a transcript while it is being written: each reading costs what was appended since the last. */
  follow(filePath: string): SessionFollower;
  /** The repair as it would be applied, proven by simulation; nothing is written. */
  planRepair(filePath: string, options?: Pick<RepairOptions, 'code'>): Promise<RepairPlanOutcome>;
  repair(filePath: string, options?: RepairOptions): Promise<RepairOutcome>;
  /** Restores the newest backup, and keeps the rows that were appended since. */
  undoRepair(filePath: string, options?: LiveOptions): Promise<RepairOutcome>;
  /** What slimming the session would remove, proven by simulation; nothing is written. */
  planSlim(filePath: string): Promise<SlimOutcome>;
  /** Removes what nobody reads and Claude does not load, after a backup. */
  slim(filePath: string, options?: LiveOptions): Promise<SlimOutcome>;
  /** Restores the newest backup if the session was slimmed since, and keeps the rows that were appended. */
  undoSlim(filePath: string, options?: LiveOptions): Promise<SlimOutcome>;
  /** Absolute paths of the transcripts in a folder beside which a repair or fork that died has left something. Never rejects. */
  findDebris(folder: string): Promise<readonly string[]>;
  /** Removes that, after it has put back what belongs to the transcript. Returns why it could not, or null. Never rejects. */
  clearDebris(filePath: string): Promise<string | null>;
  /** Removes the backups of repairs in a folder that are older than so many days. Returns their paths. Never rejects. */
  pruneBackups(folder: string, days: number): Promise<readonly string[]>;
  /**
   * Returns what tells of each transcript whether a client runs its session. For many transcripts: the registry is read once a
   * second at most. Never rejects; what cannot be found out is `maybe-live`.
   */
  readLiveness(): (filePath: string) => Promise<LivenessAnswer>;
  /** Like `readLiveness`, also of what each session is doing. `end`: how its transcript ends; null if it cannot be read. */
  readActivities(): Activities;
  /** Ids of the sessions with a running client, in lower case. */
  liveSessions(): Promise<ReadonlySet<string>>;
  /** For code that reads a transcript directly. */
  readonly createScanner: ScannerFactory;
}

import type { RepairOutcome } from '../../protocol/repair';
import type { LiveStatus, ScannedSession, SessionRef } from '../../protocol/session';
import type { ScannerFactory } from '../transcript/scanner';
import type { FileStamp } from '../util/diskFiles';

/** A transcript on disk, before its rows were read. */
export interface FoundTranscript {
  readonly filePath: string;
  readonly sessionId: string;
  /** Absolute path of the folder that holds the transcript. */
  readonly projectFolder: string;
  /** A backup from a repair lies beside it; absent where nobody looked. */
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

/** What a provider can do with its sessions; what it cannot is not offered. */
export interface SessionCapabilities {
  /** Says what its client loads on resume. */
  readonly verdict: boolean;
  readonly repair: boolean;
  readonly fork: boolean;
  /** Puts files back to a checkpoint. */
  readonly rewind: boolean;
  readonly tasks: boolean;
  readonly tokens: boolean;
  /** Knows which sessions run. */
  readonly live: boolean;
}

export interface ScanOptions {
  /** Called now and then with the bytes read so far. */
  readonly onProgress?: (bytesRead: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Where sessions come from: finds them, reads them, and says what its client will load of each. What comes in: paths and ids.
 * What goes out: sessions and verdicts in the words of `protocol`. Only a provider knows the names of its client's files,
 * folders and fields, and only it derives the id of a session from a path.
 */
export interface SessionProvider {
  readonly id: SessionRef['provider'];
  /** What can be done with this provider's sessions. */
  readonly capabilities: SessionCapabilities;
  /** The session that a path names, whether or not there is such a file. */
  refOf(path: string): SessionRef;
  /**
   * The transcripts that the paths name: a transcript stands for itself, a config folder for the sessions of its
   * projects, any other folder for all transcripts below it. No path means the provider's config folder. A path that does
   * not exist is yielded as it is, so that its scan says `missing`. Subagents' transcripts are not sessions.
   */
  find(paths: readonly string[], signal?: AbortSignal): AsyncIterable<FoundTranscript>;
  /**
   * As `find`, the transcripts of a project at a time, which is faster where there are thousands. Projects that did not
   * change since `memory` saw them are not read.
   */
  findBatches(
    paths: readonly string[],
    signal?: AbortSignal,
    memory?: FolderMemory | null,
  ): AsyncIterable<readonly FoundTranscript[]>;
  /** Never rejects for what is on disk: a bad file is a result whose status says so. Rejects when aborted. */
  scan(filePath: string, options?: ScanOptions): Promise<ScannedSession>;
  /** Follows a transcript that is being written: each reading costs what was appended since the last. */
  follow(filePath: string): SessionFollower;
  /** The repair as it would be applied, proven by simulation; nothing is written. */
  planRepair(filePath: string): Promise<RepairOutcome>;
  repair(filePath: string): Promise<RepairOutcome>;
  /** Puts the newest backup back, and keeps the rows that were appended since. */
  undoRepair(filePath: string): Promise<RepairOutcome>;
  /** Sessions with a running client, by session id. */
  liveSessions(): Promise<ReadonlyMap<string, LiveStatus>>;
  /** For whoever reads a transcript by itself. */
  readonly createScanner: ScannerFactory;
}

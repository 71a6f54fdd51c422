import type { RepairOutcome } from '../shared/repair';
import type { LiveStatus, ScannedSession } from '../shared/session';

/** A transcript on disk, before its rows were read. */
export interface FoundTranscript {
  readonly filePath: string;
  readonly sessionId: string;
  /** Absolute path of the folder that holds the transcript. */
  readonly projectFolder: string;
}

export interface ScanOptions {
  /** Called now and then with the bytes read so far. */
  readonly onProgress?: (bytesRead: number) => void;
  readonly signal?: AbortSignal;
}

/** The face of core that the worker and the command line see. */
export interface Engine {
  /**
   * The transcripts that the paths name: a transcript stands for itself, a project folder and a config folder for
   * the sessions in them. No path means the engine's config folder. A path that does not exist is yielded as it is,
   * so that its scan says `missing`. Subagent transcripts (`agent-*.jsonl`) are not sessions.
   */
  find(paths: readonly string[], signal?: AbortSignal): AsyncIterable<FoundTranscript>;
  /** Never rejects for what is on disk: a bad file is a result whose status says so. Rejects when aborted. */
  scan(filePath: string, options?: ScanOptions): Promise<ScannedSession>;
  /** The repair as it would be applied, proven by simulation; nothing is written. */
  planRepair(filePath: string): Promise<RepairOutcome>;
  repair(filePath: string): Promise<RepairOutcome>;
  /** Puts the newest backup back, and keeps the rows that were appended since. */
  undoRepair(filePath: string): Promise<RepairOutcome>;
  /** Sessions with a running client, by session id. */
  liveSessions(): Promise<ReadonlyMap<string, LiveStatus>>;
}

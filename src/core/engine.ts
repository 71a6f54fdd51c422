import { basename } from 'node:path';
import type { RepairOutcome } from '../shared/repair';
import type { LiveStatus, ScannedSession } from '../shared/session';
import { readMetadata } from './catalog/readMetadata';
import { probeProcess, readLiveSessions } from './claude/liveSessions';
import { simulateResume } from './resume/simulateResume';
import { ReferenceScanner } from './scan/referenceScanner';
import { scanFile } from './scan/scanFile';

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

export interface EngineParts {
  /** Absolute path of Claude Code's config folder. */
  readonly configDir: string;
}

/** Wires the rooms of core together. */
export function createEngine(parts: EngineParts): Engine {
  const todo = (): never => {
    throw new Error('not built');
  };
  return {
    find: todo,
    scan: async (filePath, options = {}) => {
      const { facts } = await scanFile(filePath, () => new ReferenceScanner(), options);
      const resume = simulateResume(facts);
      return {
        result: {
          sessionId: basename(filePath, '.jsonl'),
          filePath,
          status: 'healthy',
          chainDepth: resume.chainDepth,
          orphanCount: 0,
          fileSize: facts.fileSize,
          messageCount: 0,
          resume: resume.summary,
          findings: [],
        },
        metadata: readMetadata(facts),
        problem: null,
      };
    },
    planRepair: todo,
    repair: todo,
    undoRepair: todo,
    liveSessions: () => readLiveSessions(parts.configDir, probeProcess),
  };
}

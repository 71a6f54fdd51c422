import { randomUUID } from 'node:crypto';
import { basename, resolve } from 'node:path';
import type { SearchOutcome, SearchQuery } from '../protocol/channels/search';
import type { RepairFailureReason, RepairOutcome, SessionRepairResult } from '../protocol/repair';
import type { LiveStatus, ScannedSession } from '../protocol/session';
import { type ListingParts, searchSessions, type SearchUpdate } from './conversation/search/searchSessions';
import type { Check } from './diagnose/check';
import { followSession, type SessionFollower } from './diagnose/followSession';
import { repairTranscript } from './diagnose/repairTranscript';
import { loadSession, scanSession } from './diagnose/scanSession';
import { type Diagnostics, diagnosticsFor } from './diagnose/verdict';
import { findTranscriptBatches, findTranscripts, type FoundTranscript } from './providers/claude/findTranscripts';
import type { FolderMemory } from './providers/claude/listProjects';
import { probeProcess, type ProcessProbe, readLiveSessions } from './providers/claude/liveSessions';
import { readEnds } from './sessions/quickMetadata';
import { undoRewrite } from './storage/undoRewrite';
import { nodeWriteFs, type WriteFs } from './storage/writeFs';
import { type OpenTranscript, standAlone } from './transcript/liveTranscript';
import { ReferenceScanner } from './transcript/referenceScanner';
import { createFileScanner, createOneLookScanner } from './transcript/scanFile';
import type { ScannerFactory } from './transcript/scanner';
import { diskCatalogFiles } from './util/diskFiles';
import { createPacer } from './util/scheduling';

export type { FoundTranscript } from './providers/claude/findTranscripts';

export interface ScanOptions {
  /** Called now and then with the bytes read so far. */
  readonly onProgress?: (bytesRead: number) => void;
  readonly signal?: AbortSignal;
}

export interface SearchOptions {
  /** As for `find`. */
  readonly paths?: readonly string[];
  readonly known?: ListingParts['known'];
  readonly signal?: AbortSignal;
}

/** The face of core that the worker and the command line see. */
export interface Engine {
  /**
   * The transcripts that the paths name: a transcript stands for itself, a config folder for the sessions of its
   * projects, any other folder for all transcripts below it. No path means the engine's config folder. A path that does
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
  /** Searches for what people see; see `searchSessions`. Goes on as its updates are taken. */
  search(query: SearchQuery, options?: SearchOptions): AsyncGenerator<SearchUpdate, SearchOutcome, undefined>;
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
  /** By what the engine diagnoses, for whoever cuts or rewinds a transcript by itself. */
  readonly diagnostics: Diagnostics;
}

export interface EngineParts {
  /** Absolute path of Claude Code's config folder. */
  readonly configDir: string;
  readonly createScanner?: ScannerFactory;
  /** The transcripts that are open; without them, each follower has its own. */
  readonly transcripts?: { open(filePath: string): OpenTranscript };
  /** Version of the client that verdicts speak for, such as `2.1.330`; the newest one that was measured unless it is given. */
  readonly clientVersion?: string;
  /** All checks unless they are given. */
  readonly checks?: readonly Check[];
  readonly fs?: WriteFs;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly random?: () => string;
  readonly isProcessAlive?: ProcessProbe;
}

/** Longest work between two turns of the event loop, in milliseconds. */
const MAX_WORK_MS = 10;

/** Wires the rooms of core together. */
export function createEngine(parts: EngineParts): Engine {
  const createScanner = parts.createScanner ?? ((options): ReferenceScanner => new ReferenceScanner(options));
  const pacer = createPacer(MAX_WORK_MS);
  const transcripts = parts.transcripts ?? {
    open: (filePath: string) => standAlone({ filePath, createScanner, pacer }),
  };
  const scanFile = createFileScanner(createScanner, pacer);
  const scanOnce = createOneLookScanner(createScanner, pacer);
  const standard = diagnosticsFor(parts.clientVersion);
  const diagnostics = { ...standard, checks: parts.checks ?? standard.checks };
  const write = { fs: parts.fs ?? nodeWriteFs, now: parts.now ?? Date.now, random: parts.random ?? randomUUID };
  const liveSessions = (): Promise<ReadonlyMap<string, LiveStatus>> =>
    readLiveSessions(parts.configDir, parts.isProcessAlive ?? probeProcess);
  const isLive = async (filePath: string): Promise<boolean> => (await liveSessions()).has(basename(filePath, '.jsonl'));

  const repair = async (path: string, isDryRun: boolean): Promise<RepairOutcome> => {
    const filePath = resolve(path);
    const session = await loadSession(filePath, scanFile, diagnostics.rules);
    if (session.kind === 'problem') return failedOutcome(filePath, session.problem.kind, session.problem.message);
    const { loaded, identity } = session;
    const request = { filePath, loaded, identity, isDryRun, isLive: () => isLive(filePath) };
    return repairTranscript(request, { scanFile, diagnostics, write });
  };

  const pathsOrAll = (paths: readonly string[]): readonly string[] => (paths.length === 0 ? [parts.configDir] : paths);
  return {
    find: (paths, signal) => findTranscripts(pathsOrAll(paths), signal),
    findBatches: (paths, signal, memory = null) => findTranscriptBatches(pathsOrAll(paths), signal, { memory }),
    scan: (filePath, options) => scanSession(resolve(filePath), scanOnce, diagnostics, options),
    search: (query, { paths = [], known, signal } = {}) =>
      searchSessions(
        query,
        findTranscripts(pathsOrAll(paths), signal),
        { files: diskCatalogFiles, readEnds, known, pacer },
        signal,
      ),
    follow: (filePath) => followSession(transcripts.open(resolve(filePath)), createScanner, diagnostics),
    planRepair: (filePath) => repair(filePath, true),
    repair: (filePath) => repair(filePath, false),
    async undoRepair(path) {
      const filePath = resolve(path);
      const before = await scanSession(filePath, scanOnce, diagnostics);
      const outcome = await undoRewrite({ filePath, isLive: () => isLive(filePath) }, write);
      if (outcome.kind === 'refused') return failedOutcome(filePath, outcome.reason, outcome.problem, before);
      const after = await scanSession(filePath, scanOnce, diagnostics);
      const result: SessionRepairResult = {
        ...resultOf(filePath, before, after),
        status: 'repaired',
        backupPath: outcome.backupPath,
      };
      return { result, problem: outcome.warning };
    },
    liveSessions,
    createScanner,
    diagnostics,
  };
}

function failedOutcome(
  filePath: string,
  reason: RepairFailureReason,
  problem: string,
  scanned?: ScannedSession,
): RepairOutcome {
  return { result: { ...resultOf(filePath, scanned, scanned), status: 'failed', reason }, problem };
}

function resultOf(
  filePath: string,
  before: ScannedSession | undefined,
  after: ScannedSession | undefined,
): Omit<SessionRepairResult, 'status'> {
  const { loads, of } = before?.result.resume ?? { loads: 0, of: 0 };
  const resumeAfter = after?.result.resume ?? { loads, of };
  return {
    sessionId: basename(filePath, '.jsonl'),
    filePath,
    orphansFixed: 0,
    newChainDepth: after?.result.chainDepth ?? 0,
    edits: [],
    resumeBefore: { loads, of },
    resumeAfter: { loads: resumeAfter.loads, of: resumeAfter.of },
  };
}

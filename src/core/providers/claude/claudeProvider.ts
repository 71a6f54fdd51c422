import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type {
  RepairFailureReason,
  RepairOutcome,
  RepairPlanOutcome,
  SessionRepairResult,
} from '../../../protocol/repair';
import type { ScannedSession } from '../../../protocol/session';
import type { SlimOutcome, SlimResult } from '../../../protocol/slim';
import { followSession } from '../../diagnose/followSession';
import {
  createContentTrace,
  createTailGuard,
  type EndedRepair,
  type LoadedForRepair,
  onlyChecksOf,
  repairTranscript,
} from '../../diagnose/repairTranscript';
import { contentProblem, describeUnread, loadSession, scanSession } from '../../diagnose/scanSession';
import { createSlimTrace, slimTranscript } from '../../diagnose/slim/slimTranscript';
import type { Diagnostics } from '../../diagnose/verdict';
import { clearStaleForks, transcriptsOfStaleForks } from '../../storage/createTranscript';
import { DeclinedRepairs } from '../../storage/declinedRepairs';
import { clearDebris, hasDebris, pruneBackups, transcriptsWithDebris } from '../../storage/janitor';
import type { LiveGuard } from '../../storage/openTranscript';
import { PROBLEMS, Refusal, type Refused } from '../../storage/refusal';
import { transcriptsSetAside } from '../../storage/staleFiles';
import { traceRepair } from '../../storage/traceRepair';
import { undoRewrite } from '../../storage/undoRewrite';
import { freeBytes, nodeWriteFs, type WriteFs } from '../../storage/writeFs';
import { type OpenTranscript, readOnceTranscript } from '../../transcript/liveTranscript';
import { ReferenceScanner } from '../../transcript/referenceScanner';
import { createFileScanner, createOnePassScanner } from '../../transcript/scanFile';
import type { ScannerFactory } from '../../transcript/scanner';
import { fileProblem } from '../../util/openForeignFile';
import { createPacer } from '../../util/scheduling';
import type { LiveOptions, RepairOptions, SessionCapabilities, SessionProvider } from '../provider';
import { findTranscriptBatches, findTranscripts } from './files/findTranscripts';
import { foreignFileProblem } from './files/foreignFile';
import { configDirOf, sessionIdOf, sessionRefOf } from './format/paths';
import { LivenessReading } from './live/liveness';
import { type Machine, thisMachine, WATCHERS_TRUST_MS } from './live/machine';
import { readLiveSessions, type RegistryMemory } from './live/registry';

export interface ClaudeProviderDeps {
  /** Absolute path of Claude Code's config folder. */
  readonly configDir: string;
  readonly createScanner?: ScannerFactory;
  /** The open transcripts, shared by all followers; if absent, each follower opens its own. */
  readonly transcripts?: { open(filePath: string): OpenTranscript };
  /** The rules and checks for verdicts and repairs. */
  readonly diagnostics: Diagnostics;
  readonly fs?: WriteFs;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly random?: () => string;
  /** Bytes that can be written to the disk of a folder; null if unknown. */
  readonly freeBytes?: (folder: string) => Promise<number | null>;
  /** Where clients run; by default, this machine. */
  readonly machine?: Machine;
  /** What others, too, have read of registries to watch them; by default, nothing. */
  readonly registryMemory?: RegistryMemory;
}

const CAPABILITIES: SessionCapabilities = { repair: true, fork: true, rewind: true };

/** Longest work between two turns of the event loop, in milliseconds. */
const MAX_WORK_MS = 10;

/** Provides Claude Code's sessions from its config folder. */
export function createClaudeProvider(deps: ClaudeProviderDeps): SessionProvider {
  const { diagnostics } = deps;
  const createScanner = deps.createScanner ?? ((options): ReferenceScanner => new ReferenceScanner(options));
  const pacer = createPacer(MAX_WORK_MS);
  const transcripts = deps.transcripts ?? {
    open: (filePath: string) => readOnceTranscript({ filePath, createScanner, pacer }),
  };
  const scanFile = createFileScanner(createScanner, pacer);
  const scanOnce = createOnePassScanner(createScanner, pacer);
  const write = { fs: deps.fs ?? nodeWriteFs, now: deps.now ?? Date.now, random: deps.random ?? randomUUID };
  const live = { configDir: deps.configDir, machine: deps.machine ?? thisMachine(), now: write.now };
  const liveSessions = (): Promise<ReadonlySet<string>> => readLiveSessions(deps.configDir, live.machine, live.now());
  const guard = (filePath: string, { mayBeLive = false }: LiveOptions): LiveGuard => {
    return async () => {
      const answer = await new LivenessReading(live).of(filePath);
      if (answer.live === 'live') throw new Refusal('live', PROBLEMS.live);
      if (answer.live === 'not-live' || mayBeLive) return;
      throw new Refusal('maybe-live', `${answer.why ?? ''} ${PROBLEMS.maybeLive}`);
    };
  };

  const declined = (filePath: string): DeclinedRepairs => new DeclinedRepairs(configDirOf(filePath), write.fs);

  const isSetAside = async (filePath: string): Promise<boolean> => {
    const names = await write.fs.readdir(dirname(filePath)).catch(() => []);
    return transcriptsSetAside(names).includes(basename(filePath));
  };

  /** Loads a transcript that is to be changed. What an interrupted change has set aside is put back first, unless it is a dry run. */
  const loadForChange = async (
    filePath: string,
    isDryRun: boolean,
    assertNotLive: LiveGuard,
  ): Promise<LoadedForRepair | Refused> => {
    const refused = (reason: RepairFailureReason, problem: string): Refused => ({ kind: 'refused', reason, problem });
    let session = await loadSession(filePath, scanFile, diagnostics.rules);
    if (session.kind === 'problem' && (await isSetAside(filePath))) {
      if (isDryRun) return refused(session.problem.kind, setAsideProblem(filePath));
      // It may also be another process that is exchanging the file at this moment.
      const locked = await clearDebris(filePath, assertNotLive, write);
      if (locked !== null) return refused(locked.reason, locked.problem);
      session = await loadSession(filePath, scanFile, diagnostics.rules);
    }
    if (session.kind === 'problem') return refused(session.problem.kind, session.problem.message);
    const unreadable = contentProblem(filePath, session.loaded.index);
    return unreadable === null ? session : refused(unreadable.kind, unreadable.message);
  };

  const repair = async (path: string, how: RepairOptions & { isDryRun: boolean }): Promise<RepairPlanOutcome> => {
    const filePath = resolve(path);
    try {
      return await repairFile(filePath, how);
    } catch (error) {
      // One session must not end the repair of many.
      const { kind, message } = fileProblem(error, filePath);
      return failedOutcome(filePath, kind, message);
    }
  };

  const repairFile = async (
    filePath: string,
    how: RepairOptions & { isDryRun: boolean },
  ): Promise<RepairPlanOutcome> => {
    const foreign = foreignFileProblem(filePath);
    if (foreign !== null) return failedOutcome(filePath, foreign.kind, foreign.message);
    if (how.isAutomatic === true && (await declined(filePath).has(sessionIdOf(filePath)))) {
      return failedOutcome(
        filePath,
        'declined',
        'A repair of this session was undone, so it is repaired only on request.',
      );
    }
    const { isDryRun, isAutomatic = false, mayBeLive = false, code = null } = how;
    const assertNotLive = guard(filePath, { mayBeLive: mayBeLive && !isAutomatic });
    const load = async (): Promise<LoadedForRepair | EndedRepair> => {
      const session = await loadForChange(filePath, isDryRun, assertNotLive);
      if (session.kind === 'loaded') return session;
      return { kind: 'ended', outcome: failedOutcome(filePath, session.reason, session.problem) };
    };
    const request = { filePath, load, isDryRun, isAutomatic, assertNotLive, code };
    const ofCode = onlyChecksOf(diagnostics, code);
    const outcome = await repairTranscript(request, { scanFile, diagnostics: ofCode, write });
    if (isDryRun) return outcome;
    const { status } = outcome.result;
    if (status === 'repaired') await declined(filePath).remove(sessionIdOf(filePath));
    if (status !== 'failed' && (await hasDebris(filePath, write))) await clearDebris(filePath, assertNotLive, write);
    return outcome;
  };

  const traceSlim = createSlimTrace(scanFile);
  const traceContent = createContentTrace({ scanFile, diagnostics });

  const slim = async (path: string, how: LiveOptions & { isDryRun: boolean }): Promise<SlimOutcome> => {
    const filePath = resolve(path);
    const foreign = foreignFileProblem(filePath);
    if (foreign !== null) return failedSlim(filePath, foreign.kind, foreign.message);
    const assertNotLive = guard(filePath, how);
    const session = await loadForChange(filePath, how.isDryRun, assertNotLive);
    if (session.kind === 'refused') return failedSlim(filePath, session.reason, session.problem);
    const { loaded, identity } = session;
    const request = { filePath, loaded, identity, isDryRun: how.isDryRun, assertNotLive };
    return slimTranscript(request, { scanFile, diagnostics, write, freeBytes: deps.freeBytes ?? freeBytes });
  };

  const pathsOrAll = (paths: readonly string[]): readonly string[] => {
    if (paths.length > 0) return paths;
    return existsSync(deps.configDir) ? [deps.configDir] : [];
  };
  return {
    id: 'claude',
    capabilities: CAPABILITIES,
    refOf: (path) => sessionRefOf(resolve(path)),
    find: (paths, signal) => findTranscripts(pathsOrAll(paths), signal),
    findBatches: (paths, signal, memory = null) => findTranscriptBatches(pathsOrAll(paths), signal, { memory }),
    async scan(path, options) {
      const filePath = resolve(path);
      const foreign = foreignFileProblem(filePath);
      if (foreign !== null) return describeUnread(filePath, foreign, diagnostics.client);
      const scanned = await scanSession(filePath, scanOnce, diagnostics, options);
      if (scanned.result.status !== 'missing' || !(await isSetAside(filePath))) return scanned;
      return {
        ...scanned,
        problem: setAsideProblem(filePath),
      };
    },
    follow: (filePath) => followSession(transcripts.open(resolve(filePath)), createScanner, diagnostics),
    planRepair: (filePath, options) => repair(filePath, { ...options, isDryRun: true }),
    repair: (filePath, options) => repair(filePath, { ...options, isDryRun: false }),
    async undoRepair(path, options = {}) {
      const filePath = resolve(path);
      const before = await scanSession(filePath, scanOnce, diagnostics);
      const [id, memory] = [sessionIdOf(filePath), declined(filePath)];
      const wasDeclined = await memory.has(id);
      // Remembered first: a process that dies after the undo must not lead to the same repair again.
      const isRemembered = await memory.add(id).then(
        () => true,
        () => false,
      );
      const undone = { isSlim: false };
      const noteSlim: typeof traceSlim = async (backup, current) => {
        const trace = await traceSlim(backup, current);
        undone.isSlim = trace.kind === 'repaired';
        return trace;
      };
      const traces = [traceContent, traceRepair, noteSlim];
      const assertTailStays = createTailGuard({ scanFile, diagnostics });
      const outcome = await undoRewrite(
        { filePath, assertNotLive: guard(filePath, options), traces, assertTailStays },
        write,
      );
      if (outcome.kind === 'refused') {
        if (!wasDeclined) await memory.remove(id);
        return failedOutcome(filePath, outcome.reason, outcome.problem, before);
      }
      // No repair was declined.
      if (undone.isSlim && !wasDeclined) await memory.remove(id);
      const after = await scanSession(filePath, scanOnce, diagnostics);
      const result: SessionRepairResult = {
        ...resultOf(filePath, before, after),
        status: 'repaired',
        backupPath: outcome.backupPath,
      };
      const forgotten = isRemembered ? null : 'The session may be repaired again by itself: that could not be noted.';
      return { result, problem: outcome.warning ?? forgotten };
    },
    planSlim: (filePath) => slim(filePath, { isDryRun: true }),
    slim: (filePath, options = {}) => slim(filePath, { ...options, isDryRun: false }),
    async undoSlim(path, options = {}) {
      const filePath = resolve(path);
      const foreign = foreignFileProblem(filePath);
      if (foreign !== null) return failedSlim(filePath, foreign.kind, foreign.message);
      const before = await scanSession(filePath, scanOnce, diagnostics);
      const request = { filePath, assertNotLive: guard(filePath, options), traces: [traceSlim] };
      const outcome = await undoRewrite(request, write);
      if (outcome.kind === 'refused') {
        const problem =
          outcome.reason === 'changed-since-repair'
            ? `The newest backup is not of a session that was only slimmed since, so nothing was changed. ${outcome.problem}`
            : outcome.problem;
        return failedSlim(filePath, outcome.reason, problem, before);
      }
      const after = await scanSession(filePath, scanOnce, diagnostics);
      const result: SlimResult = { ...slimResultOf(filePath, before, after), status: 'restored' };
      return { result, problem: outcome.warning };
    },
    async findDebris(folder) {
      const names = [
        ...(await transcriptsWithDebris(folder, write)),
        ...(await transcriptsOfStaleForks(folder, write)),
      ];
      return [...new Set(names)].map((name) => join(folder, name));
    },
    pruneBackups: (folder, days) => pruneBackups(folder, days, write),
    async clearDebris(filePath) {
      const folder = dirname(filePath);
      const isOfFork = async (): Promise<boolean> =>
        (await transcriptsOfStaleForks(folder, write)).includes(basename(filePath));
      if (await isOfFork()) {
        await clearStaleForks(folder, join(configDirOf(filePath) ?? deps.configDir, 'file-history'), write);
        if (await isOfFork()) return 'What an interrupted fork has left could not be removed.';
        // A fork that never got its name is no session.
        if (!(await hasDebris(filePath, write))) return null;
      }
      return (await clearDebris(filePath, guard(filePath, {}), write))?.problem ?? null;
    },
    readLiveness: () => {
      const reading = new LivenessReading(live);
      return (filePath) => reading.of(resolve(filePath));
    },
    readActivities: () => {
      const machine = deps.machine ?? thisMachine(WATCHERS_TRUST_MS);
      const reading = new LivenessReading({ ...live, machine, memory: deps.registryMemory });
      return {
        of: (filePath, end) => reading.activityOf(resolve(filePath), end),
        running: () => reading.clients(),
        look: () => reading.look(),
      };
    },
    liveSessions,
    createScanner,
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

function setAsideProblem(filePath: string): string {
  return `${filePath} was set aside by a repair that was interrupted: repair it to put it back.`;
}

function failedSlim(
  filePath: string,
  reason: RepairFailureReason,
  problem: string,
  scanned?: ScannedSession,
): SlimOutcome {
  return { result: { ...slimResultOf(filePath, scanned, scanned), status: 'failed', reason }, problem };
}

function slimResultOf(
  filePath: string,
  before: ScannedSession | undefined,
  after: ScannedSession | undefined,
): Omit<SlimResult, 'status'> {
  const { sessionId, resumeBefore, resumeAfter } = resultOf(filePath, before, after);
  return {
    sessionId,
    filePath,
    bytesBefore: before?.result.fileSize ?? 0,
    bytesAfter: after?.result.fileSize ?? 0,
    kinds: [],
    relinked: 0,
    resumeBefore,
    resumeAfter,
  };
}

function resultOf(
  filePath: string,
  before: ScannedSession | undefined,
  after: ScannedSession | undefined,
): Omit<SessionRepairResult, 'status'> {
  const { loads, of } = before?.result.resume ?? { loads: 0, of: 0 };
  const resumeAfter = after?.result.resume ?? { loads, of };
  return {
    sessionId: sessionIdOf(filePath),
    filePath,
    orphansFixed: 0,
    newChainDepth: after?.result.chainDepth ?? 0,
    edits: [],
    resumeBefore: { loads, of },
    resumeAfter: { loads: resumeAfter.loads, of: resumeAfter.of },
  };
}

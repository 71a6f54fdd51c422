import { randomUUID } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import type { RepairFailureReason, RepairOutcome, SessionRepairResult } from '../../../protocol/repair';
import type { ScannedSession } from '../../../protocol/session';
import { followSession } from '../../diagnose/followSession';
import { repairTranscript } from '../../diagnose/repairTranscript';
import { contentProblem, describeUnread, loadSession, scanSession } from '../../diagnose/scanSession';
import type { Diagnostics } from '../../diagnose/verdict';
import { clearStaleForks, transcriptsOfStaleForks } from '../../storage/createTranscript';
import { DeclinedRepairs } from '../../storage/declinedRepairs';
import { clearDebris, hasDebris, pruneBackups, transcriptsWithDebris } from '../../storage/janitor';
import type { LiveGuard } from '../../storage/openTranscript';
import { PROBLEMS, Refusal } from '../../storage/refusal';
import { transcriptsSetAside } from '../../storage/staleFiles';
import { undoRewrite } from '../../storage/undoRewrite';
import { nodeWriteFs, type WriteFs } from '../../storage/writeFs';
import { type OpenTranscript, readOnceTranscript } from '../../transcript/liveTranscript';
import { ReferenceScanner } from '../../transcript/referenceScanner';
import { createFileScanner, createOnePassScanner } from '../../transcript/scanFile';
import type { ScannerFactory } from '../../transcript/scanner';
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

  const repair = async (path: string, how: RepairOptions & { isDryRun: boolean }): Promise<RepairOutcome> => {
    const filePath = resolve(path);
    const foreign = foreignFileProblem(filePath);
    if (foreign !== null) return failedOutcome(filePath, foreign.kind, foreign.message);
    if (how.isAutomatic === true && (await declined(filePath).has(sessionIdOf(filePath)))) {
      return failedOutcome(
        filePath,
        'declined',
        'A repair of this session was undone, so it is repaired only on request.',
      );
    }
    const { isDryRun, isAutomatic = false, mayBeLive = false } = how;
    const assertNotLive = guard(filePath, { mayBeLive: mayBeLive && !isAutomatic });
    const load = (): ReturnType<typeof loadSession> => loadSession(filePath, scanFile, diagnostics.rules);
    let session = await load();
    if (session.kind === 'problem' && !isDryRun && (await isSetAside(filePath))) {
      // It may also be another process that is exchanging the file at this moment.
      const refused = await clearDebris(filePath, assertNotLive, write);
      if (refused !== null) return failedOutcome(filePath, refused.reason, refused.problem);
      session = await load();
    }
    if (session.kind === 'problem') return failedOutcome(filePath, session.problem.kind, session.problem.message);
    const { loaded, identity } = session;
    const unreadable = contentProblem(filePath, loaded.index);
    if (unreadable !== null) return failedOutcome(filePath, unreadable.kind, unreadable.message);
    const request = { filePath, loaded, identity, isDryRun, isAutomatic, assertNotLive };
    const outcome = await repairTranscript(request, { scanFile, diagnostics, write });
    if (isDryRun) return outcome;
    const { status } = outcome.result;
    if (status === 'repaired') await declined(filePath).remove(sessionIdOf(filePath));
    if (status !== 'failed' && (await hasDebris(filePath, write))) await clearDebris(filePath, assertNotLive, write);
    return outcome;
  };

  const pathsOrAll = (paths: readonly string[]): readonly string[] => (paths.length === 0 ? [deps.configDir] : paths);
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
        problem: `${filePath} was set aside by a repair that was interrupted: repair it to put it back.`,
      };
    },
    follow: (filePath) => followSession(transcripts.open(resolve(filePath)), createScanner, diagnostics),
    planRepair: (filePath) => repair(filePath, { isDryRun: true }),
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
      const outcome = await undoRewrite({ filePath, assertNotLive: guard(filePath, options) }, write);
      if (outcome.kind === 'refused') {
        if (!wasDeclined) await memory.remove(id);
        return failedOutcome(filePath, outcome.reason, outcome.problem, before);
      }
      const after = await scanSession(filePath, scanOnce, diagnostics);
      const result: SessionRepairResult = {
        ...resultOf(filePath, before, after),
        status: 'repaired',
        backupPath: outcome.backupPath,
      };
      const forgotten = isRemembered ? null : 'The session may be repaired again by itself: that could not be noted.';
      return { result, problem: outcome.warning ?? forgotten };
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

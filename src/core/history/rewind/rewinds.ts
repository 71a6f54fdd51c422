import { projectsFolderOf } from '../../providers/claude/format/paths';
import { join, resolve } from 'node:path';
import type { RewindCalls } from '../../../protocol/channels/history';
import type {
  ApplyRewindRequest,
  ChangeChoice,
  Checkpoint,
  CoverageNote,
  RewindOutcome,
  RewindPlan,
  RewindRequest,
} from '../../../protocol/history';
import type { SessionRef } from '../../../protocol/session';
import { contentProblem } from '../../diagnose/scanSession';
import { findSessionSubagents } from '../../providers/claude/files/subagents';
import type { LoaderRules } from '../../providers/claude/loader/rules';
import type { SessionCapabilities, LivenessAnswer } from '../../providers/provider';
import { applyChanges } from '../../storage/files/applyChanges';
import { FILE_PROBLEMS, FilesRefusal, goneProject } from '../../storage/files/projectFolder';
import { clearLeftovers, type EntriesCheck, recover, unfinished } from '../../storage/files/rollBack';
import { pruneSafety } from '../../storage/files/takeSafety';
import { withFilesLock } from '../../storage/files/withFilesLock';
import type { WriteDeps } from '../../storage/openTranscript';
import { errorName } from '../../storage/refusal';
import type { WriteFs } from '../../storage/writeFs';
import type { FileScanner } from '../../transcript/scanFile';
import { fileProblem } from '../../util/openForeignFile';
import { createPacer } from '../../util/scheduling';
import type { KnownFolders } from './allowedFolders';
import { listCheckpoints } from './listCheckpoints';
import { choiceOf, obstaclesProblem, ObstaclesRefusal, recordedObstacles, unfinishedProblem } from './obstacles';
import type { OwnCheckpoints } from './ownCheckpoints';
import { type PlannedRewind, planRewind } from './planRewind';
import { recoverRewinds } from './recoverRewinds';
import {
  answered,
  chosenChanges,
  describeResult,
  doneOutcome,
  obstaclesOf,
  obstaclesOutcome,
  refusedOutcome,
} from './rewindResult';
import { SessionHistory } from './sessionHistory';
import { type LiveProblem, findUndoable, type Undoable, undoRewind } from './undoRewind';

export interface RewindDeps {
  /** Of the sessions' provider. */
  readonly capabilities: Pick<SessionCapabilities, 'rewind'>;
  readonly scanFile: FileScanner;
  readonly rules: LoaderRules;
  /** Absolute path of the config folder that contains the sessions. */
  readonly configDir: () => string;
  /** The person's own config folder, if the sessions may lie in another; absolute. */
  readonly ownConfigDir?: string;
  /** Absolute path of the person's home folder. */
  readonly homeDir: string;
  readonly write: WriteDeps;
  /** Whether a client runs the session of a transcript. */
  readonly liveness: (filePath: string) => Promise<LivenessAnswer>;
  readonly ownCheckpoints: OwnCheckpoints;
}

export interface ListedCheckpoints {
  readonly checkpoints: readonly Checkpoint[];
  /** Why there are none, in one sentence for people; null if the transcript could be read. */
  readonly problem: string | null;
  /** One sentence for people that applies to all checkpoints; usually null. */
  readonly warning: string | null;
}

export interface Rewinds extends Omit<RewindCalls, 'compareFile'> {
  /** The outcome that `rewind` would have; changes nothing. */
  dryRun(request: ApplyRewindRequest): Promise<RewindOutcome>;
  /** `roots`: null for the folder that the transcript names, since nothing is changed. */
  listCheckpoints(session: SessionRef, roots: readonly string[] | null): Promise<ListedCheckpoints>;
}

/** Longest work between two turns of the event loop, in milliseconds. */
const MAX_WORK_MS = 10;
const NOTHING_TO_UNDO: Undoable = { undoableMs: null, files: [] };
export const INTERRUPTED = 'A rewind had been interrupted before. What it had changed was put back first.';
const PUT_BACK_FIRST = `${INTERRUPTED} Look at the preview again.`;

export function createRewinds(deps: RewindDeps): Rewinds {
  const { write } = deps;
  const pacer = createPacer(MAX_WORK_MS);
  const rewindsFolder = (): string => join(deps.configDir(), 'rethread', 'rewinds');
  const sessionFolder = (sessionId: string): string => join(rewindsFolder(), sessionId);
  const prune = (folder: string): Promise<void> =>
    pruneSafety({
      rewindsFolder: rewindsFolder(),
      projectsFolder: projectsFolderOf(deps.configDir()),
      sessionFolder: folder,
      nowMs: write.now(),
      fs: write.fs,
    });
  const liveProblem = async (filePath: string): Promise<LiveProblem | null> => {
    const { live, why } = await deps.liveness(filePath);
    if (live === 'not-live') return null;
    return live === 'live'
      ? { code: live, text: FILE_PROBLEMS.live }
      : { code: live, text: `${why ?? ''} ${FILE_PROBLEMS.maybeLive}` };
  };

  const known = (): KnownFolders => {
    const { homeDir, ownConfigDir } = deps;
    return { configDirs: [deps.configDir(), ...(ownConfigDir === undefined ? [] : [ownConfigDir])], homeDir };
  };
  const mayChange =
    (given: ChangeChoice): EntriesCheck =>
    async (entries, folderPath) => {
      const obstacles = await recordedObstacles(entries, given, known(), write.fs);
      if (obstacles.length === 0) return;
      throw new ObstaclesRefusal('unfinished', obstacles, unfinishedProblem(obstacles), folderPath);
    };

  const shared = async (history: SessionHistory) => ({
    history,
    own: await deps.ownCheckpoints.read(history.sessionId).catch(() => null),
    known: known(),
    backupFolder: join(deps.configDir(), 'file-history', history.sessionId),
    fs: write.fs,
  });

  const plan = async ({ session, promptUuid, roots }: RewindRequest): Promise<PlannedRewind> => {
    const { id, path } = session;
    if (!deps.capabilities.rewind) return emptyPlan(session, promptUuid, cannotRewind(session), 'no-checkpoint');
    const live = await liveProblem(path);
    const subagents = (await findSessionSubagents(path)).map((agent) => agent.filePath);
    let history: SessionHistory;
    try {
      history = await SessionHistory.open(session, deps.scanFile, pacer, deps.rules);
    } catch (error) {
      const { kind, message } = fileProblem(error, path);
      return emptyPlan(session, promptUuid, message, kind === 'missing' ? kind : 'unreadable');
    }
    try {
      const absolute = roots.map((root) => resolve(root));
      const parts = { ...(await shared(history)), roots: absolute, promptUuid, subagents, isLive: live !== null };
      const planned = await planRewind(parts);
      return await withCaveats(planned, sessionFolder(id), write.fs);
    } catch (error) {
      return emptyPlan(session, promptUuid, `A file could not be looked at (${errorName(error)}).`, 'unreadable');
    } finally {
      history.close();
    }
  };

  const refuse = (planned: PlannedRewind, request: ApplyRewindRequest): RewindOutcome | null => {
    const { plan: looked, reason, files } = planned;
    if (reason !== null) return refusedOutcome(reason, looked.problem ?? 'Nothing is known of the files.');
    if (request.token !== null && request.token !== looked.token) {
      return refusedOutcome('changed-since-preview', FILE_PROBLEMS.changed);
    }
    const known = new Set(files.map((file) => file.planned.path));
    const unknown = request.paths?.find((path) => !known.has(resolve(path)));
    if (unknown !== undefined) {
      return refusedOutcome('no-checkpoint', `The checkpoint knows nothing of ${unknown}.`);
    }
    const obstacles = obstaclesOf(files, request);
    if (obstacles.length === 0) return null;
    return obstaclesOutcome(new ObstaclesRefusal('obstacles', obstacles, obstaclesProblem(obstacles)));
  };

  const apply = async (planned: PlannedRewind, request: ApplyRewindRequest): Promise<RewindOutcome> => {
    const choice = choiceOf(request);
    const changes = chosenChanges(planned.files, choice);
    const result = describeResult(planned.plan, planned.files, choice);
    const { filePath, sessionId, promptUuid } = planned.plan;
    const header = { purpose: 'rewind', sessionId, filePath, promptUuid, cwd: planned.cwd } as const;
    const folder = sessionFolder(sessionId);
    if (changes.length === 0) {
      await clearLeftovers(rewindsFolder(), folder, write);
      return doneOutcome(result, null, null);
    }
    return withFilesLock(rewindsFolder(), write, async (assertHeld) => {
      await recover(folder, mayChange(request), write.fs);
      const beforeChange = async (): Promise<void> => {
        const live = request.mayBeLive ? null : await liveProblem(filePath);
        if (live !== null) throw new FilesRefusal(live.code, live.text);
        assertHeld();
      };
      const applied = await applyChanges({ header, sessionFolder: folder, changes, beforeChange }, write);
      await prune(folder);
      return doneOutcome(result, applied.folder.path, null);
    });
  };

  const rewindNow = async (request: ApplyRewindRequest): Promise<RewindOutcome> => {
    const planned = await plan(request);
    const refused = refuse(planned, request);
    if (refused !== null) return refused;
    const live = request.mayBeLive ? null : await liveProblem(request.session.path);
    if (live !== null) return refusedOutcome(live.code, live.text);
    return apply(planned, request);
  };

  const list = async (session: SessionRef, roots: readonly string[] | null): Promise<ListedCheckpoints> => {
    if (!deps.capabilities.rewind) return { checkpoints: [], problem: cannotRewind(session), warning: null };
    try {
      const history = await SessionHistory.open(session, deps.scanFile, pacer, deps.rules);
      try {
        const absolute = roots?.map((root) => resolve(root)) ?? null;
        const listed = await listCheckpoints({ ...(await shared(history)), roots: absolute });
        const gone = await goneProject(
          history.cwd,
          listed.flatMap(({ filesChanged }) => filesChanged),
          write.fs,
        );
        const checkpoints = gone === null ? listed : listed.map((each) => ({ ...each, problem: each.problem ?? gone }));
        // Checkpoints of our own do not need the transcript.
        const unread = checkpoints.length > 0 ? null : contentProblem(session.path, history.transcriptIndex);
        return {
          checkpoints,
          problem: unread?.message ?? null,
          warning: gone ?? (await interruptionOf(sessionFolder(session.id), write.fs)),
        };
      } finally {
        history.close();
      }
    } catch (error) {
      return { checkpoints: [], problem: fileProblem(error, session.path).message, warning: null };
    }
  };

  return {
    listCheckpoints: list,
    checkpoints: async (session, roots) => (await list(session, roots)).checkpoints,
    planRewind: async (request): Promise<RewindPlan> => (await plan(request)).plan,
    async dryRun(request) {
      const planned = await plan(request);
      const refused = refuse(planned, request);
      if (refused !== null) return refused;
      const result = describeResult(planned.plan, planned.files, choiceOf(request));
      const live = request.mayBeLive ? null : await liveProblem(request.session.path);
      return doneOutcome(result, null, live?.text ?? null);
    },
    rewind: (request) =>
      answered(async () => {
        const folder = sessionFolder(request.session.id);
        const isHalfDone = (await unfinished(folder, write.fs)) !== null;
        const lock = rewindsFolder();
        const putBack = isHalfDone
          ? await withFilesLock(lock, write, () => recover(folder, mayChange(request), write.fs))
          : null;
        const outcome = await answered(() => rewindNow(request));
        if (putBack === null) return outcome;
        // The preview showed files that were only partly rewound.
        if (outcome.reason === 'changed-since-preview') return refusedOutcome('put-back-first', PUT_BACK_FIRST);
        return { ...outcome, warning: outcome.warning ?? INTERRUPTED };
      }),
    async rewindState({ id, path }, roots) {
      const { undoableMs, files } = await findUndoable(sessionFolder(id), write.fs).catch(() => NOTHING_TO_UNDO);
      const given = { roots, paths: null, mayLeaveRoots: false };
      return {
        undoableMs,
        paths: files.map(({ path }) => path),
        obstacles: await recordedObstacles(files, given, known(), write.fs).catch(() => []),
        isLive: undoableMs !== null && (await liveProblem(path)) !== null,
      };
    },
    async rewoundSessions() {
      const sessions: string[] = [];
      for (const name of await write.fs.readdir(rewindsFolder()).catch(() => [])) {
        const state = await findUndoable(join(rewindsFolder(), name), write.fs).catch(() => null);
        if (state !== null && state.undoableMs !== null) sessions.push(name);
      }
      return sessions;
    },
    recoverRewinds: (roots) =>
      recoverRewinds({
        rewindsFolder: rewindsFolder(),
        mayRecover: mayChange({ roots, paths: null, mayLeaveRoots: false, skipObstacles: false }),
        liveProblem,
        write,
      }),
    undoRewind({ id, path }, options) {
      const folder = sessionFolder(id);
      return undoRewind({
        rewindsFolder: rewindsFolder(),
        sessionFolder: folder,
        known: known(),
        options,
        mayRecover: mayChange(options),
        liveProblem: () => liveProblem(path),
        prune: () => prune(folder),
        write,
      });
    },
  };
}

function cannotRewind({ provider }: SessionRef): string {
  return `Files cannot be rewound with sessions of ${provider}.`;
}

/** Adds to the plan what concerns the session as a whole: a missing project folder, or an interrupted rewind. */
async function withCaveats(planned: PlannedRewind, sessionFolder: string, fs: WriteFs): Promise<PlannedRewind> {
  const { plan, reason, cwd } = planned;
  if (reason !== null) return planned;
  const changing = plan.files.filter(({ action }) => action !== 'unchanged').map(({ path }) => path);
  const problem = await goneProject(cwd, changing, fs);
  if (problem !== null) {
    const nothing = { files: [], coverage: [], insertions: 0, deletions: 0, token: '' };
    return { ...planned, plan: { ...plan, ...nothing, problem }, reason: 'folder-gone', files: [] };
  }
  const message = await interruptionOf(sessionFolder, fs);
  if (message === null) return planned;
  const note: CoverageNote = { kind: 'other', path: null, line: null, message };
  return { ...planned, plan: { ...plan, coverage: [note, ...plan.coverage] } };
}

/** A warning for people if a rewind of the session, or its undo, was interrupted; null otherwise. */
async function interruptionOf(sessionFolder: string, fs: WriteFs): Promise<string | null> {
  const half = await unfinished(sessionFolder, fs).catch(() => null);
  if (half === null) return null;
  const what =
    half.manifest.purpose === 'rewind' ? 'A rewind of this session' : 'The undoing of a rewind of this session';
  return `${what} was interrupted, and may have changed some files already. They are put back first, by the next rewind or undo; what is said here is of the files as they are.`;
}

/** The plan for a session that cannot be read or rewound. @param problem one sentence for people */
function emptyPlan(
  session: SessionRef,
  promptUuid: string,
  problem: string,
  reason: PlannedRewind['reason'],
): PlannedRewind {
  const plan: RewindPlan = {
    kind: 'client',
    filePath: session.path,
    sessionId: session.id,
    promptUuid,
    prompt: '',
    timeMs: null,
    problem,
    files: [],
    coverage: [],
    insertions: 0,
    deletions: 0,
    isLive: false,
    token: '',
  };
  return { plan, reason, files: [], cwd: null };
}

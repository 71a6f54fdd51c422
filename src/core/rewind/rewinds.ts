import { basename, join, resolve } from 'node:path';
import type { RewindApi } from '../../shared/api/rewind';
import type { ApplyRewindRequest, Checkpoint, RewindOutcome, RewindPlan, RewindRequest } from '../../shared/rewind';
import type { LiveStatus } from '../../shared/session';
import { findSessionSubagents } from '../messages/findSessionSubagents';
import { fileProblem } from '../scan/fileProblem';
import type { FileScanner } from '../scan/scanFile';
import { createPacer } from '../util/pacer';
import type { WriteDeps } from '../write/openTranscript';
import { errorName } from '../write/refusal';
import { applyChanges } from '../write/files/applyChanges';
import { FILE_PROBLEMS, FilesRefusal } from '../write/files/filesRefusal';
import { goneProject } from '../write/files/projectFolder';
import { pruneSafety } from '../write/files/pruneSafety';
import { recover, unfinished } from '../write/files/recover';
import { withFilesLock } from '../write/files/withFilesLock';
import { listCheckpoints } from './listCheckpoints';
import { interruptionOf, withCaveats } from './planCaveats';
import type { OwnCheckpoints } from './ownCheckpoints';
import { planRewind, type PlannedRewind } from './planRewind';
import { answered, chosenChanges, describeResult, doneOutcome, refusedOutcome, type Choice } from './rewindResult';
import { SessionHistory } from './sessionHistory';
import { unreadablePlan } from './unreadablePlan';
import { findUndoable, undoRewind, type Undoable } from './undoRewind';

export interface RewindParts {
  readonly scanFile: FileScanner;
  /** Absolute path of the config folder that the sessions are of. */
  readonly configDir: () => string;
  readonly write: WriteDeps;
  /** By session id. */
  readonly liveSessions: () => Promise<ReadonlyMap<string, LiveStatus>>;
  readonly ownCheckpoints: OwnCheckpoints;
}

export interface ListedCheckpoints {
  readonly checkpoints: readonly Checkpoint[];
  /** Why there are none: one sentence for people; null when the transcript could be read. */
  readonly problem: string | null;
  /** One sentence for people about what they should know of all of them; null as a rule. */
  readonly warning: string | null;
}

export interface Rewinds extends RewindApi {
  /** What `rewind` would answer; nothing is touched. */
  dryRun(request: ApplyRewindRequest): Promise<RewindOutcome>;
  listCheckpoints(filePath: string, roots: readonly string[]): Promise<ListedCheckpoints>;
}

/** Longest work between two turns of the event loop, in milliseconds. */
const MAX_WORK_MS = 10;
const NOTHING_TO_UNDO: Undoable = { undoableMs: null, paths: [] };
export const INTERRUPTED = 'A rewind had been interrupted before. What it had changed was put back first.';
const PUT_BACK_FIRST = `${INTERRUPTED} Look at the preview again.`;

export function createRewinds(parts: RewindParts): Rewinds {
  const { write } = parts;
  const pacer = createPacer(MAX_WORK_MS);
  const rewindsFolder = (): string => join(parts.configDir(), 'rethread', 'rewinds');
  const sessionIdOf = (filePath: string): string => basename(filePath, '.jsonl');
  const sessionFolder = (filePath: string): string => join(rewindsFolder(), sessionIdOf(filePath));
  const prune = (folder: string): Promise<void> =>
    pruneSafety({
      rewindsFolder: rewindsFolder(),
      projectsFolder: join(parts.configDir(), 'projects'),
      sessionFolder: folder,
      nowMs: write.now(),
      fs: write.fs,
    });
  const isLive = async (filePath: string): Promise<boolean> => (await parts.liveSessions()).has(sessionIdOf(filePath));

  const shared = async (history: SessionHistory, roots: readonly string[]) => ({
    history,
    roots: roots.map((root) => resolve(root)),
    own: await parts.ownCheckpoints.read(history.sessionId).catch(() => null),
    configDir: parts.configDir(),
    backupFolder: join(parts.configDir(), 'file-history', history.sessionId),
    fs: write.fs,
  });

  const plan = async ({ filePath, promptUuid, roots }: RewindRequest): Promise<PlannedRewind> => {
    const path = resolve(filePath);
    const live = await isLive(path);
    const subagents = (await findSessionSubagents(path)).map((agent) => agent.filePath);
    let history: SessionHistory;
    try {
      history = await SessionHistory.open(path, parts.scanFile, pacer);
    } catch (error) {
      const { kind, message } = fileProblem(error, path);
      return unreadablePlan(path, promptUuid, message, kind === 'missing' ? kind : 'unreadable');
    }
    try {
      const planned = await planRewind({ ...(await shared(history, roots)), promptUuid, subagents, isLive: live });
      return await withCaveats(planned, sessionFolder(path), write.fs);
    } catch (error) {
      return unreadablePlan(path, promptUuid, `A file could not be looked at (${errorName(error)}).`, 'unreadable');
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
    return unknown === undefined
      ? null
      : refusedOutcome('no-checkpoint', `The checkpoint knows nothing of ${unknown}.`);
  };

  const apply = async (planned: PlannedRewind, request: ApplyRewindRequest): Promise<RewindOutcome> => {
    const choice = choiceOf(request);
    const changes = chosenChanges(planned.files, choice);
    const result = describeResult(planned.plan, planned.files, choice);
    if (changes.length === 0) return doneOutcome(result, null, null);
    const { filePath, sessionId, promptUuid } = planned.plan;
    const facts = { purpose: 'rewind', sessionId, filePath, promptUuid, cwd: planned.cwd } as const;
    const folder = sessionFolder(filePath);
    return withFilesLock(rewindsFolder(), write, async (assertHeld) => {
      await recover(folder, write.fs);
      const beforeChange = async (): Promise<void> => {
        if (!request.mayBeLive && (await isLive(filePath))) throw new FilesRefusal('live', FILE_PROBLEMS.live);
        assertHeld();
      };
      const applied = await applyChanges({ facts, sessionFolder: folder, changes, beforeChange }, write);
      await prune(folder);
      return doneOutcome(result, applied.folder.path, null);
    });
  };

  const rewindNow = async (request: ApplyRewindRequest): Promise<RewindOutcome> => {
    const planned = await plan(request);
    const refused = refuse(planned, request);
    if (refused !== null) return refused;
    if (planned.plan.isLive && !request.mayBeLive) return refusedOutcome('live', FILE_PROBLEMS.live);
    return apply(planned, request);
  };

  const list = async (filePath: string, roots: readonly string[]): Promise<ListedCheckpoints> => {
    try {
      const history = await SessionHistory.open(resolve(filePath), parts.scanFile, pacer);
      try {
        const listed = await listCheckpoints(await shared(history, roots));
        const gone = await goneProject(
          history.cwd,
          listed.flatMap(({ filesChanged }) => filesChanged),
          write.fs,
        );
        const checkpoints = gone === null ? listed : listed.map((each) => ({ ...each, problem: each.problem ?? gone }));
        return {
          checkpoints,
          problem: null,
          warning: gone ?? (await interruptionOf(sessionFolder(history.filePath), write.fs)),
        };
      } finally {
        history.close();
      }
    } catch (error) {
      return { checkpoints: [], problem: fileProblem(error, filePath).message, warning: null };
    }
  };

  return {
    listCheckpoints: list,
    checkpoints: async (filePath, roots) => (await list(filePath, roots)).checkpoints,
    planRewind: async (request): Promise<RewindPlan> => (await plan(request)).plan,
    async dryRun(request) {
      const planned = await plan(request);
      const refused = refuse(planned, request);
      if (refused !== null) return refused;
      const result = describeResult(planned.plan, planned.files, choiceOf(request));
      return doneOutcome(result, null, planned.plan.isLive && !request.mayBeLive ? FILE_PROBLEMS.live : null);
    },
    rewind: (request) =>
      answered(async () => {
        const folder = sessionFolder(resolve(request.filePath));
        const isHalfDone = (await unfinished(folder, write.fs)) !== null;
        const lock = rewindsFolder();
        const putBack = isHalfDone ? await withFilesLock(lock, write, () => recover(folder, write.fs)) : null;
        const outcome = await answered(() => rewindNow(request));
        if (putBack === null) return outcome;
        // The preview was one of files that were half rewound.
        if (outcome.reason === 'changed-since-preview') return refusedOutcome('put-back-first', PUT_BACK_FIRST);
        return { ...outcome, warning: outcome.warning ?? INTERRUPTED };
      }),
    async rewindState(filePath) {
      const path = resolve(filePath);
      const undoable = await findUndoable(sessionFolder(path), write.fs).catch(() => NOTHING_TO_UNDO);
      return { ...undoable, isLive: undoable.undoableMs !== null && (await isLive(path).catch(() => false)) };
    },
    async rewoundSessions() {
      const sessions: string[] = [];
      for (const name of await write.fs.readdir(rewindsFolder()).catch(() => [])) {
        const state = await findUndoable(join(rewindsFolder(), name), write.fs).catch(() => null);
        if (state !== null && state.undoableMs !== null) sessions.push(name);
      }
      return sessions;
    },
    undoRewind(filePath, { mayBeLive } = { mayBeLive: false }) {
      const path = resolve(filePath);
      const folder = sessionFolder(path);
      const folders = { rewindsFolder: rewindsFolder(), sessionFolder: folder };
      return undoRewind({ ...folders, isLive: () => isLive(path), mayBeLive, prune: () => prune(folder), write });
    },
  };
}

function choiceOf({ paths, mayLeaveRoots }: ApplyRewindRequest): Choice {
  return { paths: paths === null ? null : new Set(paths.map((path) => resolve(path))), mayLeaveRoots };
}

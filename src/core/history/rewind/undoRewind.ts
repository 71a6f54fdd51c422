import { resolve } from 'node:path';
import type { UndoOptions } from '../../../protocol/channels/history';
import type { RewindFilesResult, RewindOutcome, RewoundFile } from '../../../protocol/history';
import type { FileChange } from '../../storage/files/fileChange';
import { assertProjectIsThere, FilesRefusal } from '../../storage/files/projectFolder';
import { clearLeftovers, type EntriesCheck, recover, type RolledBack, unfinished } from '../../storage/files/rollBack';
import { type LeftAlone, newestRewind, planUndo, undoChanges, type UndoPlan } from '../../storage/files/undoChanges';
import { withFilesLock } from '../../storage/files/withFilesLock';
import type { WriteDeps } from '../../storage/openTranscript';
import type { WriteFs } from '../../storage/writeFs';
import type { KnownFolders } from './allowedFolders';
import { changeAction } from './filePlan';
import { countLines, type LineCounts, readFileText } from './fileText';
import { choiceOf, isWanted, obstaclesProblem, ObstaclesRefusal, recordedObstacles } from './obstacles';
import { answered, doneOutcome, NOT_CHOSEN, refusedOutcome } from './rewindResult';

/** Why files are not changed while a client uses, or may use, the session. */
export interface LiveProblem {
  readonly code: 'live' | 'maybe-live';
  /** One sentence or two to show. */
  readonly text: string;
}

export interface UndoDeps {
  /** Folder of all safety snapshots. */
  readonly rewindsFolder: string;
  readonly sessionFolder: string;
  readonly known: KnownFolders;
  readonly options: UndoOptions;
  /** Whether what an interrupted rewind changed may be restored. */
  readonly mayRecover: EntriesCheck;
  /** Null if no client runs the session. */
  readonly liveProblem: () => Promise<LiveProblem | null>;
  /** Removes safety snapshots that are too old; under the lock. */
  readonly prune: () => Promise<void>;
  readonly write: WriteDeps;
}

/** What an undo would change, regardless of whether a client runs the session, and of what the person allows. */
export interface Undoable {
  /** When the rewind was made, in milliseconds since the epoch; null if none can be undone. */
  readonly undoableMs: number | null;
  readonly files: readonly Pick<FileChange, 'path' | 'realFolder'>[];
}

const CHANGED_SINCE = 'It was changed since the rewind.';
const GONE = 'It is gone.';

/** Undoes the newest rewind, or restores the files that an interrupted rewind has changed. Never rejects. */
export function undoRewind(deps: UndoDeps): Promise<RewindOutcome> {
  const { rewindsFolder, sessionFolder, options, mayRecover, liveProblem, prune, write } = deps;
  const { mayBeLive } = options;
  return answered(async () => {
    // The search must not create the folder.
    const { undoableMs } = await findUndoable(sessionFolder, write.fs);
    if (undoableMs === null) {
      await clearLeftovers(rewindsFolder, sessionFolder, write);
      return refusedOutcome('nothing-to-undo', 'There is no rewind of this session to undo.');
    }
    return withFilesLock(rewindsFolder, write, async (assertHeld) => {
      const recovered = await recover(sessionFolder, mayRecover, write.fs);
      // An interrupted undo is repeated from the beginning.
      if (recovered?.wasRewind === true) return recoveredOutcome(recovered);
      const rewind = await newestRewind(sessionFolder, write.fs);
      if (rewind === null) return refusedOutcome('nothing-to-undo', 'There is no rewind of this session to undo.');
      const live = mayBeLive ? null : await liveProblem();
      if (live !== null) return refusedOutcome(live.code, live.text);
      const { cwd = null, entries } = rewind.manifest;
      const paths = entries.map(({ path }) => path);
      await assertProjectIsThere(cwd, paths, write.fs);
      const unknown = options.paths?.find((path) => !paths.includes(resolve(path)));
      if (unknown !== undefined) return refusedOutcome('no-checkpoint', `The rewind did not change ${unknown}.`);
      const plan = await chosenUndo(await planUndo(rewind, write.fs), deps);
      const result = await describeUndo(plan, write.fs);
      const beforeChange = async (): Promise<void> => {
        const live = mayBeLive ? null : await liveProblem();
        if (live !== null) throw new FilesRefusal(live.code, live.text);
        assertHeld();
      };
      await undoChanges(rewind, plan, sessionFolder, beforeChange, write);
      await prune();
      return doneOutcome(result, rewind.folder.path, leftAloneWarning(plan.leftAlone, rewind.folder.path));
    });
  });
}

/** Reads only. Rejects with the file system's error. */
export async function findUndoable(sessionFolder: string, fs: WriteFs): Promise<Undoable> {
  const half = await unfinished(sessionFolder, fs);
  if (half !== null) return { undoableMs: half.manifest.madeMs, files: half.manifest.entries };
  const rewind = await newestRewind(sessionFolder, fs);
  if (rewind === null) return { undoableMs: null, files: [] };
  const { changes } = await planUndo(rewind, fs);
  return { undoableMs: rewind.manifest.madeMs, files: changes };
}

/** The part of the undo that the person wants. Throws an ObstaclesRefusal. */
async function chosenUndo(plan: UndoPlan, { options, known, write }: UndoDeps): Promise<UndoPlan> {
  const choice = choiceOf(options);
  const leftOut = plan.changes.flatMap(({ path }) => (isWanted(path, choice) ? [] : [{ path, why: NOT_CHOSEN }]));
  const wanted = plan.changes.filter(({ path }) => isWanted(path, choice));
  const obstacles = await recordedObstacles(wanted, options, known, write.fs);
  if (obstacles.length > 0 && !options.skipObstacles) {
    throw new ObstaclesRefusal('obstacles', obstacles, obstaclesProblem(obstacles));
  }
  const inTheWay = new Set(obstacles.map(({ path }) => path));
  return {
    ...plan,
    changes: wanted.filter(({ path }) => !inTheWay.has(path)),
    leftOut: [...leftOut, ...obstacles],
  };
}

function recoveredOutcome({ restored, leftAlone }: RolledBack): RewindOutcome {
  const files: RewoundFile[] = [
    ...restored.map((path): RewoundFile => ({ path, action: 'restore' })),
    ...leftAlone.map((path): RewoundFile => ({ path, action: 'skipped', why: CHANGED_SINCE })),
  ];
  const result = { canRewind: true, filesChanged: restored, insertions: 0, deletions: 0, files };
  return doneOutcome(result, null, 'A rewind had been interrupted. What it had changed was put back.');
}

async function describeUndo(
  { changes, leftAlone, leftOut, unchanged }: UndoPlan,
  fs: WriteFs,
): Promise<RewindFilesResult> {
  let insertions = 0;
  let deletions = 0;
  for (const change of changes) {
    const counts = await countChange(change, fs);
    insertions += counts.insertions;
    deletions += counts.deletions;
  }
  const files: RewoundFile[] = [
    ...changes.map((change): RewoundFile => ({ path: change.path, action: changeAction(change) })),
    ...leftAlone.map(({ path, isGone }): RewoundFile => ({
      path,
      action: 'skipped',
      why: isGone ? GONE : CHANGED_SINCE,
    })),
    ...leftOut.map(({ path, why }): RewoundFile => ({ path, action: 'skipped', why })),
    ...unchanged.map((path): RewoundFile => ({ path, action: 'unchanged' })),
  ];
  const notCovered = leftAlone.map(({ path, isGone }) =>
    isGone
      ? `${path} is gone, so it was not put back.`
      : `${path} was changed since the rewind, so it was left as it is.`,
  );
  const filesChanged = changes.map(({ path }) => path);
  return { canRewind: true, filesChanged, insertions, deletions, files, coverage: { notCovered } };
}

async function countChange({ path, before, after }: FileChange, fs: WriteFs): Promise<LineCounts> {
  const old = before.kind === 'absent' ? NOTHING : await readFileText(path, fs);
  const young = after.kind === 'absent' ? NOTHING : await readFileText(after.contentPath, fs);
  return old.kind === 'text' && young.kind === 'text'
    ? countLines(old.text, young.text)
    : { insertions: 0, deletions: 0 };
}

const NOTHING = { kind: 'text', text: '' } as const;

function leftAloneWarning(leftAlone: readonly LeftAlone[], safetyPath: string): string | null {
  const [first] = leftAlone;
  if (first === undefined) return null;
  if (leftAlone.length === 1) {
    const what = first.isGone ? 'is gone since the rewind' : 'was changed since the rewind and left as it is';
    return `One file ${what}. As it was before the rewind, it is in ${safetyPath}.`;
  }
  return `${leftAlone.length} files were changed since the rewind, or are gone, and were left as they are. As they were before it, they are in ${safetyPath}.`;
}

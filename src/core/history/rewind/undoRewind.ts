import type { RewindState } from '../../../protocol/channels/history';
import type { RewindFilesResult, RewindOutcome, RewoundFile } from '../../../protocol/history';
import { recover, type RolledBack, unfinished } from '../../storage/files/applyChanges';
import type { FileChange } from '../../storage/files/fileChange';
import { assertProjectIsThere, FILE_PROBLEMS, FilesRefusal } from '../../storage/files/projectFolder';
import { type LeftAlone, newestRewind, planUndo, undoChanges, type UndoPlan } from '../../storage/files/undoChanges';
import { withFilesLock } from '../../storage/files/withFilesLock';
import type { WriteDeps } from '../../storage/openTranscript';
import type { WriteFs } from '../../storage/writeFs';
import { changeAction } from './filePlan';
import { countLines, type LineCounts, readFileText } from './fileText';
import { answered, doneOutcome, refusedOutcome } from './rewindResult';

export interface UndoDeps {
  /** Folder of all safety snapshots. */
  readonly rewindsFolder: string;
  readonly sessionFolder: string;
  readonly isLive: () => Promise<boolean>;
  readonly mayBeLive: boolean;
  /** Removes safety snapshots that are too old; under the lock. */
  readonly prune: () => Promise<void>;
  readonly write: WriteDeps;
}

/** What an undo would change, regardless of whether a client runs the session. */
export type Undoable = Omit<RewindState, 'isLive'>;

const CHANGED_SINCE = 'It was changed since the rewind.';
const GONE = 'It is gone.';

/** Undoes the newest rewind, or restores the files that an interrupted rewind has changed. Never rejects. */
export function undoRewind(deps: UndoDeps): Promise<RewindOutcome> {
  const { rewindsFolder, sessionFolder, isLive, mayBeLive, prune, write } = deps;
  return answered(async () => {
    // The search must not create the folder.
    const { undoableMs } = await findUndoable(sessionFolder, write.fs);
    if (undoableMs === null) return refusedOutcome('nothing-to-undo', 'There is no rewind of this session to undo.');
    return withFilesLock(rewindsFolder, write, async (assertHeld) => {
      const recovered = await recover(sessionFolder, write.fs);
      // An interrupted undo is repeated from the beginning.
      if (recovered?.wasRewind === true) return recoveredOutcome(recovered);
      const rewind = await newestRewind(sessionFolder, write.fs);
      if (rewind === null) return refusedOutcome('nothing-to-undo', 'There is no rewind of this session to undo.');
      if (!mayBeLive && (await isLive())) return refusedOutcome('live', FILE_PROBLEMS.live);
      const { cwd = null, entries } = rewind.manifest;
      const paths = entries.map(({ path }) => path);
      await assertProjectIsThere(cwd, paths, write.fs);
      const plan = await planUndo(rewind, write.fs);
      const result = await describeUndo(plan, write.fs);
      const beforeChange = async (): Promise<void> => {
        if (!mayBeLive && (await isLive())) throw new FilesRefusal('live', FILE_PROBLEMS.live);
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
  if (half !== null) return { undoableMs: half.madeMs, paths: half.entries.map(({ path }) => path) };
  const rewind = await newestRewind(sessionFolder, fs);
  if (rewind === null) return { undoableMs: null, paths: [] };
  const { changes } = await planUndo(rewind, fs);
  return { undoableMs: rewind.manifest.madeMs, paths: changes.map(({ path }) => path) };
}

function recoveredOutcome({ restored, leftAlone }: RolledBack): RewindOutcome {
  const files: RewoundFile[] = [
    ...restored.map((path): RewoundFile => ({ path, action: 'restore' })),
    ...leftAlone.map((path): RewoundFile => ({ path, action: 'skipped', why: CHANGED_SINCE })),
  ];
  const result = { canRewind: true, filesChanged: restored, insertions: 0, deletions: 0, files };
  return doneOutcome(result, null, 'A rewind had been interrupted. What it had changed was put back.');
}

async function describeUndo({ changes, leftAlone, unchanged }: UndoPlan, fs: WriteFs): Promise<RewindFilesResult> {
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

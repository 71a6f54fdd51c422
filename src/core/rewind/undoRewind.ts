import type { RewindFilesResult, RewindOutcome, RewoundFile } from '../../shared/rewind';
import type { RewindState } from '../../shared/api/rewind';
import type { WriteDeps } from '../write/openTranscript';
import type { WriteFs } from '../write/writeFs';
import type { FileChange } from '../write/files/fileChange';
import { filesRefusalOf } from '../write/files/filesRefusal';
import { pruneSafety } from '../write/files/pruneSafety';
import { recover, unfinished } from '../write/files/recover';
import type { RolledBack } from '../write/files/rollBack';
import { newestRewind, planUndo, undoChanges, type UndoPlan } from '../write/files/undoChanges';
import { withFilesLock } from '../write/files/withFilesLock';
import { countLines, type LineCounts } from './countLines';
import { readFileText } from './fileText';
import { changeAction } from './filePlan';
import { doneOutcome, refusedOutcome } from './rewindResult';

export interface UndoParts {
  /** Folder of all safety snapshots. */
  readonly rewindsFolder: string;
  readonly sessionFolder: string;
  readonly write: WriteDeps;
}

const CHANGED_SINCE = 'It was changed since the rewind.';

/** Undoes the newest rewind, or puts back what one that never ended had changed. Never rejects. */
export async function undoRewind({ rewindsFolder, sessionFolder, write }: UndoParts): Promise<RewindOutcome> {
  try {
    // Looking for it makes no folder where there was none.
    const { undoableMs } = await rewindState(sessionFolder, write.fs);
    if (undoableMs === null) return refusedOutcome('nothing-to-undo', 'There is no rewind of this session to undo.');
    return await withFilesLock(rewindsFolder, write, async (assertHeld) => {
      const recovered = await recover(sessionFolder, write.fs);
      // An undo that was interrupted is done again, from the beginning.
      if (recovered?.wasRewind === true) return recoveredOutcome(recovered);
      const rewind = await newestRewind(sessionFolder, write.fs);
      if (rewind === null) return refusedOutcome('nothing-to-undo', 'There is no rewind of this session to undo.');
      const plan = await planUndo(rewind, write.fs);
      const result = await describeUndo(plan, write.fs);
      const beforeChange = async (): Promise<void> => {
        assertHeld();
        return Promise.resolve();
      };
      await undoChanges(rewind, plan, sessionFolder, beforeChange, write);
      await pruneSafety(sessionFolder, write.now(), write.fs);
      return doneOutcome(result, rewind.folder.path, leftAloneWarning(plan.leftAlone, rewind.folder.path));
    });
  } catch (error) {
    const refusal = filesRefusalOf(error);
    return refusedOutcome(refusal.code, refusal.message, refusal.safetyPath);
  }
}

/** Reads only. Rejects with the file system's error. */
export async function rewindState(sessionFolder: string, fs: WriteFs): Promise<RewindState> {
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
    ...leftAlone.map((path): RewoundFile => ({ path, action: 'skipped', why: CHANGED_SINCE })),
    ...unchanged.map((path): RewoundFile => ({ path, action: 'unchanged' })),
  ];
  const notCovered = leftAlone.map((path) => `${path} was changed since the rewind, so it was left as it is.`);
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

function leftAloneWarning(leftAlone: readonly string[], safetyPath: string): string | null {
  if (leftAlone.length === 0) return null;
  return leftAlone.length === 1
    ? `One file was changed since the rewind and left as it is. As it was before the rewind, it is in ${safetyPath}.`
    : `${leftAlone.length} files were changed since the rewind and left as they are. As they were before it, they are in ${safetyPath}.`;
}

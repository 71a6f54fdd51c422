import { join } from 'node:path';
import type { RecoveredRewind } from '../../../protocol/history';
import { type EntriesCheck, recover, unfinished } from '../../storage/files/rollBack';
import { withFilesLock } from '../../storage/files/withFilesLock';
import type { WriteDeps } from '../../storage/openTranscript';
import { FilesRefusal } from '../../storage/files/projectFolder';
import { errorName } from '../../storage/refusal';
import type { LiveProblem } from './undoRewind';

export interface RecoverDeps {
  /** Folder of all safety snapshots; its subfolders are named after sessions. */
  readonly rewindsFolder: string;
  /** Whether what an interrupted rewind changed may be restored. */
  readonly mayRecover: EntriesCheck;
  /** Null if no client runs the session of a transcript. */
  readonly liveProblem: (filePath: string) => Promise<LiveProblem | null>;
  readonly write: WriteDeps;
}

/**
 * Puts back what interrupted rewinds, and interrupted undos of rewinds, have changed. Those whose files may not be
 * changed, or whose session a client may run, stay as they are, with the reason. Never rejects.
 */
export async function recoverRewinds(deps: RecoverDeps): Promise<readonly RecoveredRewind[]> {
  const { rewindsFolder, write } = deps;
  const recovered: RecoveredRewind[] = [];
  for (const sessionId of await write.fs.readdir(rewindsFolder).catch(() => [])) {
    const half = await unfinished(join(rewindsFolder, sessionId), write.fs).catch(() => null);
    if (half === null) continue;
    const { filePath } = half.manifest;
    const end = await recoverOne(join(rewindsFolder, sessionId), filePath, deps).catch((error: unknown) => ({
      restored: [],
      leftAlone: [],
      problem: error instanceof FilesRefusal ? error.message : `The files could not be put back (${errorName(error)}).`,
    }));
    // Another process has put it back, or was just rewinding and has finished.
    if (end !== null) recovered.push({ sessionId, filePath, ...end });
  }
  return recovered;
}

async function recoverOne(
  sessionFolder: string,
  filePath: string,
  { rewindsFolder, mayRecover, liveProblem, write }: RecoverDeps,
): Promise<Pick<RecoveredRewind, 'restored' | 'leftAlone' | 'problem'> | null> {
  const live = await liveProblem(filePath);
  if (live !== null) return { restored: [], leftAlone: [], problem: live.text };
  const back = await withFilesLock(rewindsFolder, write, () => recover(sessionFolder, mayRecover, write.fs));
  return back === null ? null : { restored: back.restored, leftAlone: back.leftAlone, problem: null };
}

import type { CoverageNote } from '../../shared/rewind';
import { goneProject } from '../write/files/projectFolder';
import { unfinished } from '../write/files/recover';
import type { WriteFs } from '../write/writeFs';
import type { PlannedRewind } from './planRewind';

/** The plan with what is true of the session as a whole: a project folder that is gone, a rewind that never ended. */
export async function withCaveats(planned: PlannedRewind, sessionFolder: string, fs: WriteFs): Promise<PlannedRewind> {
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

/** What there is to say while a rewind of the session, or the undoing of one, is half done; null when none is. */
export async function interruptionOf(sessionFolder: string, fs: WriteFs): Promise<string | null> {
  const half = await unfinished(sessionFolder, fs).catch(() => null);
  if (half === null) return null;
  const what = half.purpose === 'rewind' ? 'A rewind of this session' : 'The undoing of a rewind of this session';
  return `${what} was interrupted, and may have changed some files already. They are put back first, by the next rewind or undo; what is said here is of the files as they are.`;
}

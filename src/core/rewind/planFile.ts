import { sha256Of } from '../write/files/sha256Of';
import type { FileAfter } from '../write/files/fileChange';
import { permissionsOf } from '../write/files/fileState';
import type { WriteFs } from '../write/writeFs';
import type { AllowedFolders } from './allowedFolders';
import { FilePlanDraft, type FilePlan } from './filePlan';
import { haveSameBytes } from './fileText';
import { lookAtContent, type ContentLook } from './lookAtContent';
import { codeOfOne, lookAtFile, type FileLook } from './lookAtFile';
import { findObstacle, obstacle, type Obstacle } from './obstacles';
import type { WantedFile, WantedState } from './wantedFiles';

type ReadFs = Pick<WriteFs, 'open' | 'lstat' | 'realpath' | 'accessToWrite'>;

/** Looks at the file and at what it is to be; changes nothing. Rejects only for faults of the disk. */
export async function planFile(wanted: WantedFile, allowed: AllowedFolders, fs: ReadFs): Promise<FilePlan> {
  const look = await lookAtFile(wanted.path, fs);
  const content = await lookAtContent(wanted.state, fs);
  const draft = new FilePlanDraft(wanted, look, content);
  if ((look.kind === 'blocked' || look.kind === 'impossible') && wanted.state.kind === 'absent')
    return draft.unchanged();
  if (look.kind !== 'file' && look.kind !== 'absent') return draft.skipped(standsInTheWay(look));
  if (content.kind === 'missing') return draft.skipped(content.obstacle);
  const before = look.kind === 'file' ? ({ kind: 'file', stat: look.stat } as const) : ({ kind: 'absent' } as const);
  try {
    if (content.kind === 'absent') {
      if (look.kind === 'absent') return draft.unchanged();
    } else if (look.kind === 'file') {
      const isSame = look.stat.size === content.stat.size;
      const hasSameBytes = isSame && (await haveSameBytes(wanted.path, content.path, Number(content.stat.size), fs));
      if (hasSameBytes && draft.modeChange === null) return draft.unchanged();
      draft.changesContent = !hasSameBytes;
    }
    const after = await afterOf(wanted.state, content, fs);
    if (after === null)
      return draft.skipped(obstacle('alteredBackup', 'Its copy is not what it was when it was made.'));
    draft.change = { path: wanted.path, realFolder: look.realFolder, before, after };
    const found = await findObstacle(draft.change, wanted, allowed, fs);
    if (found !== null && !found.isWaivable) return draft.skipped(found);
    await draft.count(fs);
    return draft.changed(found);
  } catch (error) {
    return draft.skipped(obstacle('readOnly', `It cannot be read (${codeOfOne(error)}).`));
  }
}

function standsInTheWay(look: FileLook): Obstacle {
  switch (look.kind) {
    case 'symlink':
      return obstacle('symlink', 'It is a symbolic link, which is not followed.');
    case 'unreadable':
      return obstacle('readOnly', `It cannot be looked at (${look.code}).`);
    case 'impossible':
      return obstacle('notAFile', 'No file can have such a path.');
    case 'other':
      return obstacle('notAFile', look.isFolder ? 'A folder stands in its place.' : 'It is no regular file.');
    default:
      return obstacle('notAFile', 'Its folder cannot be reached: a file or a broken link is in the way.');
  }
}

/** Null when the copy is not the one that was made. */
async function afterOf(state: WantedState, content: ContentLook, fs: ReadFs): Promise<FileAfter | null> {
  if (content.kind !== 'file' || state.kind !== 'file') return { kind: 'absent' };
  if (state.sha256 !== null && (await sha256Of(content.path, fs)) !== state.sha256) return null;
  const { path: contentPath, stat } = content;
  const mode = state.mode ?? permissionsOf(stat);
  return { kind: 'file', contentPath, size: Number(stat.size), sha256: state.sha256, mode, times: null, owner: null };
}

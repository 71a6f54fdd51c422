import { errorCode } from '../refusal';
import type { FileStat, WriteFs } from '../writeFs';
import type { FileBefore } from './fileChange';
import type { MadeState } from './safetyManifest';
import { sha256Of } from './sha256Of';

const PERMISSIONS = 0o7777n;

export function permissionsOf(stat: FileStat): number {
  return Number(stat.mode & PERMISSIONS);
}

/** Null when nothing stands there, also when its folder is gone. Rejects with any other error of the file system. */
export async function statOrNull(path: string, fs: Pick<WriteFs, 'lstat'>): Promise<FileStat | null> {
  try {
    return await fs.lstat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return null;
    throw error;
  }
}

/** The very file, with the very bytes, that stood there when the change was planned: or nothing, as then. */
export function isUntouched(stat: FileStat | null, before: FileBefore): boolean {
  if (before.kind === 'absent' || stat === null) return before.kind === 'absent' && stat === null;
  const known = before.stat;
  return (
    stat.isFile() &&
    stat.dev === known.dev &&
    stat.ino === known.ino &&
    stat.size === known.size &&
    stat.mtimeNs === known.mtimeNs &&
    stat.ctimeNs === known.ctimeNs &&
    stat.mode === known.mode &&
    stat.nlink === known.nlink
  );
}

/** A file of these bytes and permissions stands there, or nothing does. `stat`: of what does. */
export async function isInState(
  path: string,
  stat: FileStat | null,
  state: MadeState,
  fs: Pick<WriteFs, 'open'>,
): Promise<boolean> {
  if (state.kind === 'absent' || stat === null) return state.kind === 'absent' && stat === null;
  if (!stat.isFile() || Number(stat.size) !== state.size || permissionsOf(stat) !== state.mode) return false;
  return (await sha256Of(path, fs)) === state.sha256;
}

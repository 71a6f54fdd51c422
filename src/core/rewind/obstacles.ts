import { dirname, extname } from 'node:path';
import type { CoverageKind } from '../../shared/rewind';
import { errorCode } from '../write/refusal';
import type { FileChange } from '../write/files/fileChange';
import type { WriteFs } from '../write/writeFs';
import { isWithin, type AllowedFolders } from './allowedFolders';
import { leadsOverLink } from './leadsOverLink';
import { lstatOrNull } from './lookAtFile';
import type { WantedFile } from './wantedFiles';

/** Why a file is left as it is. */
export interface Obstacle {
  readonly kind: CoverageKind;
  /** One sentence for people. */
  readonly why: string;
  /** The person may say that it does not matter. */
  readonly isWaivable: boolean;
}

/** What keeps a change of a regular file, or of none, from being made; null when nothing does. */
export async function findObstacle(
  change: FileChange,
  wanted: WantedFile,
  allowed: AllowedFolders,
  fs: Pick<WriteFs, 'lstat' | 'realpath' | 'accessToWrite'>,
): Promise<Obstacle | null> {
  const { before, path, realFolder } = change;
  const isIn = (folder: string): boolean => isWithin(path, folder) || isWithin(realFolder, folder);
  // Conversations are not files that a conversation takes back; memories beside them are.
  const isTranscript = extname(path) === '.jsonl' && allowed.transcripts.some(isIn);
  if (isTranscript || allowed.guarded.some(isIn)) {
    return obstacle('outside', 'It is one of Claude’s own records.');
  }
  if (before.kind === 'file' && before.stat.nlink > 1n) {
    return obstacle('hardLink', 'It is a hard link: the file has other names, too.');
  }
  if (wanted.realFolder !== null && wanted.realFolder !== realFolder) {
    return obstacle('symlink', `Its folder was ${wanted.realFolder} and is ${realFolder} now.`);
  }
  if (wanted.realFolder === null && (await leadsOverLink(path, realFolder, allowed.roots, fs))) {
    return obstacle(
      'symlink',
      `A symbolic link leads to its folder, ${realFolder}; nothing tells whether it did then.`,
    );
  }
  if (!(await isWritable(change, fs))) {
    return obstacle('readOnly', 'It, or its folder, cannot be written.');
  }
  if (!allowed.roots.some((root) => isWithin(realFolder, root))) {
    return { ...obstacle('outside', 'It lies outside the folders that may be changed.'), isWaivable: true };
  }
  return null;
}

export function obstacle(kind: CoverageKind, why: string): Obstacle {
  return { kind, why, isWaivable: false };
}

async function isWritable(change: FileChange, fs: Pick<WriteFs, 'lstat' | 'accessToWrite'>): Promise<boolean> {
  const { before, after, path, realFolder } = change;
  if (before.kind === 'file' && after.kind === 'file' && !(await mayWrite(path, fs))) return false;
  return mayWrite(await nearestFolder(realFolder, fs), fs);
}

async function mayWrite(path: string, fs: Pick<WriteFs, 'accessToWrite'>): Promise<boolean> {
  try {
    await fs.accessToWrite(path);
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS', 'ETXTBSY'].includes(errorCode(error) ?? '')) return false;
    throw error;
  }
}

/** The folder itself, or the nearest one above it that is there. */
async function nearestFolder(folder: string, fs: Pick<WriteFs, 'lstat'>): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    if (dirname(at) === at || (await lstatOrNull(at, fs)) !== null) return at;
  }
}

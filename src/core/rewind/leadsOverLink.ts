import { dirname } from 'node:path';
import type { WriteFs } from '../write/writeFs';
import { realPathOf } from '../write/files/realFolder';
import { isWithin } from './allowedFolders';
import { lstatOrNull } from './lookAtFile';

/**
 * Whether a symbolic link is on the way to a file, below the root that it is in: a project itself is often reached by one. Of a
 * file that is on no way in a root, only when it is in one all the same. Rejects with the file system's error.
 *
 * @param realFolder the folder of `path` without symbolic links
 * @param roots without symbolic links
 */
export async function leadsOverLink(
  path: string,
  realFolder: string,
  roots: readonly string[],
  fs: Pick<WriteFs, 'lstat' | 'realpath'>,
): Promise<boolean> {
  const folders = foldersAbove(path);
  for (const [at, folder] of folders.entries()) {
    if (!roots.includes(await realPathOf(folder, fs))) continue;
    for (const below of folders.slice(at + 1)) {
      if ((await lstatOrNull(below, fs))?.isSymbolicLink() === true) return true;
    }
    return false;
  }
  return roots.some((root) => isWithin(realFolder, root));
}

/** The outermost first. */
function foldersAbove(path: string): readonly string[] {
  const folders = [dirname(path)];
  for (let at = dirname(path); dirname(at) !== at; at = dirname(at)) folders.unshift(dirname(at));
  return folders;
}

import { basename, dirname, join } from 'node:path';
import { errorCode } from '../refusal';
import type { WriteFs } from '../writeFs';

/**
 * The folder of a path without symbolic links; of one that does not exist, where it would be made: below the nearest folder
 * that does. Rejects with ENOTDIR when something else stands in the way, and with the file system's error.
 */
export async function realFolderOf(path: string, fs: Pick<WriteFs, 'realpath' | 'lstat'>): Promise<string> {
  return realPathOf(dirname(path), fs);
}

/** As `realFolderOf`, of the folder itself. */
export async function realPathOf(folder: string, fs: Pick<WriteFs, 'realpath' | 'lstat'>): Promise<string> {
  try {
    return await fs.realpath(folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    // A link that leads nowhere: what is behind it cannot be told.
    const isThere = await fs.lstat(folder).then(
      () => true,
      () => false,
    );
    if (isThere) throw error;
    return join(await realPathOf(dirname(folder), fs), basename(folder));
  }
}

import { dirname } from 'node:path';
import { closeQuietly } from '../leftovers';
import { errorCode } from '../refusal';
import type { WriteFs } from '../writeFs';

/** Windows opens no folders; some network mounts sync none. */
const CANNOT_SYNC = ['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'EBADF', 'ENOSYS'];

/** Resolves when the names in a path's folder are on the disk, as far as the system can be asked for that. */
export async function syncFolderOf(path: string, fs: WriteFs): Promise<void> {
  try {
    const folder = await fs.open(dirname(path), 'read');
    try {
      await folder.sync();
    } finally {
      await closeQuietly(folder);
    }
  } catch (error) {
    if (!CANNOT_SYNC.includes(errorCode(error) ?? '')) throw error;
  }
}

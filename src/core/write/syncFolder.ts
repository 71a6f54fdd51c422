import { closeQuietly } from './leftovers';
import { errorCode } from './refusal';
import type { WriteFs } from './writeFs';

/** Windows and some mounts cannot sync a folder; their renames are as durable as they get. */
const CANNOT_SYNC_FOLDER = ['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'EBADF'];

/** Puts the names in a folder on the disk; says whether that was done, where it can be. Never rejects. */
export async function syncFolder(folder: string, fs: WriteFs): Promise<boolean> {
  try {
    const handle = await fs.open(folder, 'read');
    try {
      await handle.sync();
    } finally {
      await closeQuietly(handle);
    }
    return true;
  } catch (error) {
    return CANNOT_SYNC_FOLDER.includes(errorCode(error) ?? '');
  }
}

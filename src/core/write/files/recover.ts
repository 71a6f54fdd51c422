import type { WriteFs } from '../writeFs';
import { rollBack, type RolledBack } from './rollBack';
import { listSafetyFolders } from './safetyFolder';

/**
 * Puts back what transactions of dead processes left half done, newest first. To be called under the lock, before anything
 * else. Null when there was nothing to put back. Rejects with the file system's error.
 */
export async function recover(sessionFolder: string, fs: WriteFs): Promise<RolledBack | null> {
  let all: RolledBack | null = null;
  for (const folder of await listSafetyFolders(sessionFolder, fs)) {
    if ((await folder.has('done')) || (await folder.has('undone'))) continue;
    const manifest = await folder.readManifest();
    if (manifest !== null) {
      const { restored, leftAlone } = await rollBack(manifest, folder, fs);
      all = { restored: [...(all?.restored ?? []), ...restored], leftAlone: [...(all?.leftAlone ?? []), ...leftAlone] };
      // Of a file that somebody else changed since, the snapshot may be the only copy from before.
      if (leftAlone.length > 0) {
        await folder.mark('undone');
        continue;
      }
    }
    await folder.remove();
  }
  return all;
}

/** Whether `recover` would find anything. Reads only. */
export async function needsRecovery(sessionFolder: string, fs: WriteFs): Promise<boolean> {
  for (const folder of await listSafetyFolders(sessionFolder, fs)) {
    if (!(await folder.has('done')) && !(await folder.has('undone')) && (await folder.readManifest()) !== null)
      return true;
  }
  return false;
}

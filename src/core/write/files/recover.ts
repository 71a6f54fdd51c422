import type { WriteFs } from '../writeFs';
import { assertProjectIsThere } from './projectFolder';
import { rollBack, type RolledBack } from './rollBack';
import { listSafetyFolders } from './safetyFolder';
import type { SafetyManifest } from './safetyManifest';

export interface Recovered extends RolledBack {
  /** A rewind was put back, not only the undoing of one. */
  readonly wasRewind: boolean;
}

/**
 * Puts back what transactions of dead processes left half done, newest first. To be called under the lock, before anything
 * else. Null when there was nothing to put back. Rejects with the file system's error, or with
 * a FilesRefusal when the project folder is gone.
 */
export async function recover(sessionFolder: string, fs: WriteFs): Promise<Recovered | null> {
  const restored: string[] = [];
  const leftAlone: string[] = [];
  let wasRewind = false;
  for (const folder of await listSafetyFolders(sessionFolder, fs)) {
    if ((await folder.has('done')) || (await folder.has('undone'))) continue;
    const manifest = await folder.readManifest();
    // Not ours to judge, and maybe the only copy of something.
    if (manifest === null && (await folder.isBegun())) continue;
    if (manifest !== null) {
      const paths = manifest.entries.map(({ path }) => path);
      await assertProjectIsThere(manifest.cwd ?? null, paths, fs);
      const back = await rollBack(manifest, folder, fs);
      wasRewind ||= manifest.purpose === 'rewind';
      restored.push(...back.restored);
      leftAlone.push(...back.leftAlone);
      // Of a file that somebody else changed since, the snapshot may be the only copy from before.
      if (back.leftAlone.length > 0) {
        await folder.mark('undone');
        continue;
      }
    }
    await folder.remove();
  }
  return restored.length + leftAlone.length === 0 ? null : { restored, leftAlone, wasRewind };
}

/** What a process was at when it died in the middle of a transaction; null when none did. Reads only. */
export async function unfinished(sessionFolder: string, fs: WriteFs): Promise<SafetyManifest | null> {
  for (const folder of await listSafetyFolders(sessionFolder, fs)) {
    if ((await folder.has('done')) || (await folder.has('undone'))) continue;
    const manifest = await folder.readManifest();
    if (manifest !== null) return manifest;
  }
  return null;
}

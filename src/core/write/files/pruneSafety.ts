import type { WriteFs } from '../writeFs';
import { isInState, statOrNull } from './fileState';
import { listSafetyFolders, safetyTime, type SafetyFolder } from './safetyFolder';
import type { SafetyManifest } from './safetyManifest';
import { targetPath } from './takeSafety';

/** Snapshots of a session that are kept however old they are. */
const KEPT_COUNT = 20;
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Removes snapshots that are neither among the newest 20 of the session nor younger than 30 days; one that may hold the only
 * copy of something stays. To be called under the lock. Never rejects.
 */
export async function pruneSafety(sessionFolder: string, nowMs: number, fs: WriteFs): Promise<void> {
  try {
    for (const folder of (await listSafetyFolders(sessionFolder, fs)).slice(KEPT_COUNT)) {
      if (nowMs - safetyTime(folder) < KEPT_MS) continue;
      const manifest = await folder.readManifest();
      if (manifest !== null && (await isDispensable(folder, manifest, fs))) await folder.remove();
    }
  } catch {
    // What cannot be looked at is kept.
  }
}

/** The files are as they were before, or the snapshot holds what a rewind had made, of which the copies are elsewhere. */
async function isDispensable(folder: SafetyFolder, manifest: SafetyManifest, fs: WriteFs): Promise<boolean> {
  if (!(await folder.has('done'))) return false;
  if (manifest.purpose === 'undo') return true;
  for (const entry of manifest.entries) {
    if (entry.before.kind === 'absent') continue;
    const target = targetPath(entry);
    if (!(await isInState(target, await statOrNull(target, fs), entry.before, fs))) return false;
  }
  return true;
}

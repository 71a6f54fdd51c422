import { join } from 'node:path';
import { removeQuietly } from '../leftovers';
import { isSameFile, fileIdentity } from '../fileIdentity';
import type { WriteFs } from '../writeFs';
import { copyFile } from './copyFile';
import { isInState, isUntouched, statOrNull } from './fileState';
import { removeFolderQuietly, type SafetyFolder } from './safetyFolder';
import type { KeptState, SafetyEntry, SafetyManifest } from './safetyManifest';
import { targetPath } from './takeSafety';

export interface RolledBack {
  /** Absolute paths of the files that were put back. */
  readonly restored: readonly string[];
  /** Those that are neither as they were nor as the transaction made them: somebody else changed them. */
  readonly leftAlone: readonly string[];
}

/**
 * Puts back what a transaction changed, however far it came: it looks at each file, not at what was noted. Can be done again
 * when it fails half-way. Rejects with the file system's error.
 */
export async function rollBack(manifest: SafetyManifest, folder: SafetyFolder, fs: WriteFs): Promise<RolledBack> {
  const restored: string[] = [];
  const leftAlone: string[] = [];
  for (const entry of [...manifest.entries].reverse()) {
    await removeTemporaries(entry, fs);
    const target = targetPath(entry);
    const found = await statOrNull(target, fs);
    if (await isInState(target, found, entry.before, fs)) continue;
    if (!(await isInState(target, found, entry.after, fs))) {
      leftAlone.push(entry.path);
      continue;
    }
    await putBack(entry, folder, fs);
    restored.push(entry.path);
  }
  for (const made of [...manifest.folders].reverse()) await removeFolderQuietly(made, fs);
  return { restored, leftAlone };
}

async function putBack(entry: SafetyEntry, folder: SafetyFolder, fs: WriteFs): Promise<void> {
  const target = targetPath(entry);
  if (entry.before.kind === 'absent') {
    await fs.unlink(target).catch(async (error: unknown) => {
      if ((await statOrNull(target, fs)) !== null) throw error;
    });
    return;
  }
  const seen = await statOrNull(target, fs);
  const temporary = backName(entry);
  const { stat } = await copyFile(folder.copyPath(entry.before.copy), temporary, attributesOf(entry.before), fs);
  try {
    const before = seen === null ? ({ kind: 'absent' } as const) : ({ kind: 'file', stat: seen } as const);
    if (!isUntouched(await statOrNull(target, fs), before)) throw new Error('Changed while it was put back');
    await fs.rename(temporary, target);
  } catch (error) {
    // Over a network a rename may happen and its answer get lost: the path tells.
    const there = await statOrNull(target, fs).catch(() => null);
    if (there !== null && isSameFile(there, fileIdentity(stat))) return;
    await removeQuietly(temporary, fs);
    throw error;
  }
}

export function attributesOf(state: KeptState & { readonly kind: 'file' }): {
  readonly mode: number;
  readonly owner: { readonly uid: number; readonly gid: number };
  readonly times: { readonly atimeNs: bigint; readonly mtimeNs: bigint };
} {
  const { mode, uid, gid, atimeNs, mtimeNs } = state;
  return { mode, owner: { uid, gid }, times: { atimeNs: BigInt(atimeNs), mtimeNs: BigInt(mtimeNs) } };
}

/** Files that the transaction, or one that put it back before, was writing when it ended. */
async function removeTemporaries(entry: SafetyEntry, fs: WriteFs): Promise<void> {
  for (const path of [temporaryPath(entry), backName(entry)]) {
    if ((await statOrNull(path, fs)) !== null) await fs.unlink(path);
  }
}

export function temporaryPath({ realFolder, temporary }: SafetyEntry): string {
  return join(realFolder, temporary);
}

function backName(entry: SafetyEntry): string {
  return `${temporaryPath(entry)}.back`;
}

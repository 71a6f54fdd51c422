import type { WriteDeps } from '../openTranscript';
import type { WriteFs } from '../writeFs';
import { applyChanges, type AppliedChanges } from './applyChanges';
import type { FileAfter, FileChange } from './fileChange';
import { FilesRefusal } from './filesRefusal';
import { isInState, statOrNull } from './fileState';
import { attributesOf } from './rollBack';
import { listSafetyFolders, removeFolderQuietly, type SafetyFolder } from './safetyFolder';
import type { SafetyEntry, SafetyManifest } from './safetyManifest';
import { targetPath } from './takeSafety';

/** A rewind that was done and not undone. */
export interface DoneRewind {
  readonly folder: SafetyFolder;
  readonly manifest: SafetyManifest;
}

/** The newest one of a session; null when there is none. Rejects with the file system's error. */
export async function newestRewind(sessionFolder: string, fs: WriteFs): Promise<DoneRewind | null> {
  for (const folder of await listSafetyFolders(sessionFolder, fs)) {
    if (!(await folder.has('done')) || (await folder.has('undone'))) continue;
    const manifest = await folder.readManifest();
    if (manifest?.purpose === 'rewind') return { folder, manifest };
  }
  return null;
}

/** What undoing a rewind would do. */
export interface UndoPlan {
  readonly changes: readonly FileChange[];
  /** Absolute paths of files that changed since the rewind. */
  readonly leftAlone: readonly string[];
  /** Those that are as they were before it already. */
  readonly unchanged: readonly string[];
}

export async function planUndo({ folder, manifest }: DoneRewind, fs: WriteFs): Promise<UndoPlan> {
  const changes: FileChange[] = [];
  const leftAlone: string[] = [];
  const unchanged: string[] = [];
  for (const entry of manifest.entries) {
    const target = targetPath(entry);
    const stat = await statOrNull(target, fs);
    if (await isInState(target, stat, entry.after, fs)) {
      const { path, realFolder } = entry;
      const before = stat === null ? ({ kind: 'absent' } as const) : ({ kind: 'file', stat } as const);
      changes.push({ path, realFolder, before, after: contentBefore(entry, folder) });
    } else if (await isInState(target, stat, entry.before, fs)) unchanged.push(entry.path);
    else leftAlone.push(entry.path);
  }
  return { changes, leftAlone, unchanged };
}

function contentBefore({ before }: SafetyEntry, folder: SafetyFolder): FileAfter {
  if (before.kind === 'absent') return before;
  const { copy, size, sha256 } = before;
  return { kind: 'file', contentPath: folder.copyPath(copy), size, sha256, ...attributesOf(before) };
}

/**
 * Undoes a rewind by a transaction of its own: all that can be undone, or nothing. Throws as `applyChanges`. Null when no
 * file had to be changed.
 */
export async function undoChanges(
  rewind: DoneRewind,
  plan: UndoPlan,
  sessionFolder: string,
  beforeChange: () => Promise<void>,
  deps: WriteDeps,
): Promise<AppliedChanges | null> {
  const { manifest, folder } = rewind;
  const { changes, leftAlone, unchanged } = plan;
  if (changes.length + unchanged.length === 0 && leftAlone.length > 0) {
    throw new FilesRefusal(
      'changed-since-rewind',
      `Every file was changed since the rewind, so nothing was changed. As they were before it, they are in ${folder.path}.`,
      folder.path,
    );
  }
  const { sessionId, filePath, promptUuid } = manifest;
  const applied =
    changes.length === 0
      ? null
      : await applyChanges(
          { purpose: 'undo', sessionId, filePath, promptUuid, sessionFolder, changes, beforeChange },
          deps,
        );
  for (const made of [...manifest.folders].reverse()) await removeFolderQuietly(made, deps.fs);
  // Without its mark the rewind can be undone once more, and there is nothing left to do then.
  await folder.mark('undone').catch(() => undefined);
  return applied;
}

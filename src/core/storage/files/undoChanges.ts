import { basename, dirname } from 'node:path';
import type { WriteDeps } from '../openTranscript';
import type { WriteFs } from '../writeFs';
import { type AppliedChanges, applyChanges } from './applyChanges';
import { type FileAfter, type FileChange, isInState, statOrNull } from './fileChange';
import { FilesRefusal } from './projectFolder';
import { attributesOf } from './rollBack';
import {
  listSafetyFolders,
  removeFolderQuietly,
  type SafetyEntry,
  type SafetyFolder,
  type SafetyManifest,
} from './safetyFolder';
import { targetPath } from './takeSafety';

/** A completed rewind that was not undone. */
export interface DoneRewind {
  readonly folder: SafetyFolder;
  readonly manifest: SafetyManifest;
}

/** The newest such rewind of a session; null if there is none. Rejects with the file system's error. */
export async function newestRewind(sessionFolder: string, fs: WriteFs): Promise<DoneRewind | null> {
  for (const folder of await listSafetyFolders(sessionFolder, fs)) {
    if (!(await folder.has('done')) || (await folder.has('undone'))) continue;
    const manifest = await folder.readManifest();
    if (manifest?.purpose === 'rewind') return { folder, manifest };
  }
  return null;
}

/** A file that was changed or removed since the rewind. */
export interface LeftAlone {
  /** Absolute. */
  readonly path: string;
  readonly isGone: boolean;
}

/** What undoing a rewind would do. Files that an earlier undo has already restored are in no list. */
export interface UndoPlan {
  readonly changes: readonly FileChange[];
  readonly leftAlone: readonly LeftAlone[];
  /** Files that the person left out, with the reason. */
  readonly leftOut: readonly { readonly path: string; readonly why: string }[];
  /** Files that already are as they were before the rewind. */
  readonly unchanged: readonly string[];
}

export async function planUndo(rewind: DoneRewind, fs: WriteFs): Promise<UndoPlan> {
  const { folder, manifest } = rewind;
  const given = await restoredBefore(rewind, fs);
  const changes: FileChange[] = [];
  const leftAlone: LeftAlone[] = [];
  const unchanged: string[] = [];
  for (const entry of manifest.entries) {
    if (given.has(entry.path)) continue;
    const target = targetPath(entry);
    const stat = await statOrNull(target, fs);
    if (await isInState(target, stat, entry.after, fs)) {
      const { path, realFolder } = entry;
      const before = stat === null ? ({ kind: 'absent' } as const) : ({ kind: 'file', stat } as const);
      changes.push({ path, realFolder, before, after: contentBefore(entry, folder) });
    } else if (await isInState(target, stat, entry.before, fs)) unchanged.push(entry.path);
    else leftAlone.push({ path: entry.path, isGone: stat === null });
  }
  return { changes, leftAlone, leftOut: [], unchanged };
}

/**
 * Absolute paths of the files that an earlier undo of the rewind has restored, while it left others alone. Later
 * changes of these files do not come from the rewind.
 */
async function restoredBefore({ folder }: DoneRewind, fs: WriteFs): Promise<ReadonlySet<string>> {
  const paths = new Set<string>();
  for (const later of await listSafetyFolders(dirname(folder.path), fs)) {
    if (later.path === folder.path) break;
    if (!(await later.has('done'))) continue;
    const manifest = await later.readManifest();
    if (manifest?.undoes !== basename(folder.path)) continue;
    for (const { path } of manifest.entries) paths.add(path);
  }
  return paths;
}

function contentBefore({ before }: SafetyEntry, folder: SafetyFolder): FileAfter {
  if (before.kind === 'absent') return before;
  const { copy, size, sha256 } = before;
  return { kind: 'file', contentPath: folder.copyPath(copy), size, sha256, ...attributesOf(before) };
}

/**
 * Undoes a rewind in its own transaction: everything that can be undone, or nothing. Throws like `applyChanges`. Null
 * if no file had to be changed. If files are left alone or left out, this rewind remains the next one to undo.
 */
export async function undoChanges(
  rewind: DoneRewind,
  plan: UndoPlan,
  sessionFolder: string,
  beforeChange: () => Promise<void>,
  deps: WriteDeps,
): Promise<AppliedChanges | null> {
  const { manifest, folder } = rewind;
  const { changes, leftAlone, leftOut } = plan;
  if (changes.length === 0 && leftAlone.length > 0 && leftOut.length === 0) {
    throw new FilesRefusal(
      'changed-since-rewind',
      `Every file that is left to undo was changed since the rewind, or is gone, so nothing was changed. As they were before it, they are in ${folder.path}.`,
      folder.path,
    );
  }
  const { sessionId, filePath, promptUuid, cwd = null } = manifest;
  const header = { purpose: 'undo', sessionId, filePath, promptUuid, cwd, undoes: basename(folder.path) } as const;
  const applied =
    changes.length === 0 ? null : await applyChanges({ header, sessionFolder, changes, beforeChange }, deps);
  for (const made of [...manifest.folders].reverse()) await removeFolderQuietly(made, deps.fs);
  // Without the mark, the rewind can be undone again, but then there is nothing left to do.
  if (leftAlone.length + leftOut.length === 0) await folder.mark('undone').catch(() => undefined);
  return applied;
}

import { join } from 'node:path';
import { fileIdentity, isSameFile } from '../fileAttributes';
import type { WriteDeps } from '../openTranscript';
import { errorCode } from '../refusal';
import { removeQuietly, type WriteFs } from '../writeFs';
import { copyFile, type FileChange, isInState, isUntouched, statOrNull } from './fileChange';
import {
  assertProjectIsThere,
  FILE_PROBLEMS,
  FilesRefusal,
  filesRefusalOf,
  realPathOf,
  syncFolderOf,
} from './projectFolder';
import {
  type KeptState,
  listSafetyFolders,
  removeFolderQuietly,
  type SafetyEntry,
  SafetyFolder,
  safetyId,
  type SafetyManifest,
} from './safetyFolder';
import { missingFolders, takeSafety, targetPath } from './takeSafety';

export interface FilesTransaction {
  readonly header: Pick<SafetyManifest, 'purpose' | 'sessionId' | 'filePath' | 'promptUuid' | 'cwd' | 'undoes'>;
  /** Folder with the session's safety snapshots. */
  readonly sessionFolder: string;
  readonly changes: readonly FileChange[];
  /** Called when everything is prepared and nothing is changed yet. Throws a Refusal to forbid the changes. */
  readonly beforeChange: () => Promise<void>;
}

export interface AppliedChanges {
  readonly folder: SafetyFolder;
  readonly manifest: SafetyManifest;
}

/**
 * Makes all of the changes or none. Call it under the lock. First copies everything that it affects, then writes all
 * replacing content to temporary files in the target folders, then renames each of them to its target.
 *
 * Throws a FilesRefusal. Everything is then unchanged, except with `half-done`, which means that restoring failed as
 * well: the safety snapshot stays, and the next transaction or undo continues to restore.
 */
export async function applyChanges(transaction: FilesTransaction, deps: WriteDeps): Promise<AppliedChanges> {
  const { fs } = deps;
  const token = deps.random().replace(/[^\w]/g, '').slice(0, 12);
  const folder = await createFolder(transaction.sessionFolder, token, deps).catch(rethrow);
  let manifest: SafetyManifest | null = null;
  const attempted = new Set<string>();
  try {
    const { header, changes } = transaction;
    await assertProjectIsThere(
      header.cwd ?? null,
      changes.map(({ path }) => path),
      fs,
    );
    const entries = await takeSafety(changes, folder, token, fs);
    const folders = await missingFolders(changes, fs);
    const madeMs = deps.now();
    manifest = { format: 1, ...header, madeMs, entries, folders };
    await folder.writeManifest(manifest);
    await stage(transaction, manifest, fs);
    await transaction.beforeChange();
    for (const [at, change] of changes.entries()) {
      await assertUntouched(change, fs);
      attempted.add(change.path);
      await commit(change, manifest.entries[at], fs);
    }
    await syncFolders(manifest, fs);
    await folder.mark('done');
    return { folder, manifest };
  } catch (error) {
    await restoreAll(manifest, attempted, folder, fs, error);
    throw filesRefusalOf(error);
  }
}

function rethrow(error: unknown): never {
  throw filesRefusalOf(error);
}

async function createFolder(sessionFolder: string, token: string, deps: WriteDeps): Promise<SafetyFolder> {
  for (let ms = deps.now(); ; ms++) {
    const folder = new SafetyFolder(join(sessionFolder, safetyId(ms, token)), deps.fs);
    try {
      await folder.create();
      return folder;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') continue;
      await folder.remove();
      throw error;
    }
  }
}

/** Writes the replacing content to temporary files in the target folders. */
async function stage({ changes }: FilesTransaction, manifest: SafetyManifest, fs: WriteFs): Promise<void> {
  for (const made of manifest.folders) await fs.mkdir(made);
  for (const [at, { before, after }] of changes.entries()) {
    const entry = manifest.entries[at];
    if (after.kind === 'absent' || entry === undefined) continue;
    const owner =
      after.owner ?? (before.kind === 'file' ? { uid: Number(before.stat.uid), gid: Number(before.stat.gid) } : null);
    const given = { mode: after.mode, owner, times: after.times };
    const { sha256 } = await copyFile(after.contentPath, temporaryPath(entry), given, fs);
    if (entry.after.kind !== 'file' || entry.after.sha256 !== sha256) {
      throw new FilesRefusal('write-failed', `The copy ${after.contentPath} changed, so nothing was changed.`);
    }
  }
}

async function assertUntouched(change: FileChange, fs: WriteFs): Promise<void> {
  const isInPlace = (await realPathOf(change.realFolder, fs)) === change.realFolder;
  if (!isInPlace || !isUntouched(await statOrNull(targetPath(change), fs), change.before)) {
    throw new FilesRefusal('changed-since-preview', FILE_PROBLEMS.changed);
  }
}

/** Directly follows the last check, because no portable call combines the two. */
async function commit(change: FileChange, entry: SafetyEntry | undefined, fs: WriteFs): Promise<void> {
  if (change.after.kind === 'absent') await fs.unlink(targetPath(change));
  else if (entry !== undefined) await fs.rename(temporaryPath(entry), targetPath(change));
}

async function syncFolders(manifest: SafetyManifest, fs: WriteFs): Promise<void> {
  const paths = [...manifest.folders, ...manifest.entries.map(targetPath)];
  const folders = new Map(paths.map((path) => [join(path, '..'), path]));
  for (const path of folders.values()) await syncFolderOf(path, fs);
}

/** Restores everything; throws on failure. `attempted`: files that may have changed. */
async function restoreAll(
  manifest: SafetyManifest | null,
  attempted: ReadonlySet<string>,
  folder: SafetyFolder,
  fs: WriteFs,
  cause: unknown,
): Promise<void> {
  try {
    if (manifest !== null) {
      // The mark may be on disk although writing it returned an error.
      await folder.unmark('done');
      const { leftAlone } = await rollBack(manifest, folder, fs);
      if (leftAlone.some((path) => attempted.has(path))) throw new Error('A file changed meanwhile');
    }
  } catch (error) {
    throw new FilesRefusal(
      'half-done',
      `Something failed, and so did putting things back. Every file as it was is in ${folder.path}. “Undo Rewind” tries again.`,
      folder.path,
      { cause: new AggregateError([cause, error]) },
    );
  }
  await folder.remove();
}

export interface RolledBack {
  /** Absolute paths of the files that were restored. */
  readonly restored: readonly string[];
  /**
   * Files that are neither in their original state nor as the transaction made them, because something else changed
   * them.
   */
  readonly leftAlone: readonly string[];
}

/**
 * Restores what a transaction changed, regardless of its progress: it checks each file and relies on no record of
 * progress. Can be repeated if it fails half-way. Rejects with the file system's error.
 */
async function rollBack(manifest: SafetyManifest, folder: SafetyFolder, fs: WriteFs): Promise<RolledBack> {
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
    // On a network file system, a rename may succeed although its response is lost, so the path is checked.
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

/** Removes files that the transaction, or an earlier rollback of it, was writing when it ended. */
async function removeTemporaries(entry: SafetyEntry, fs: WriteFs): Promise<void> {
  for (const path of [temporaryPath(entry), backName(entry)]) {
    if ((await statOrNull(path, fs)) !== null) await fs.unlink(path);
  }
}

function temporaryPath({ realFolder, temporary }: SafetyEntry): string {
  return join(realFolder, temporary);
}

function backName(entry: SafetyEntry): string {
  return `${temporaryPath(entry)}.back`;
}

export interface Recovered extends RolledBack {
  /** A rewind was rolled back, not only the undoing of one. */
  readonly wasRewind: boolean;
}

/**
 * Rolls back unfinished transactions of dead processes, newest first. Call it under the lock, before anything else.
 * Null if there was nothing to restore. Rejects with the file system's error, or with a FilesRefusal if the project
 * folder is gone.
 */
export async function recover(sessionFolder: string, fs: WriteFs): Promise<Recovered | null> {
  const restored: string[] = [];
  const leftAlone: string[] = [];
  let wasRewind = false;
  for (const folder of await listSafetyFolders(sessionFolder, fs)) {
    if ((await folder.has('done')) || (await folder.has('undone'))) continue;
    const manifest = await folder.readManifest();
    // The manifest is unreadable, and the snapshot may be the only copy of something, so it stays.
    if (manifest === null && (await folder.isBegun())) continue;
    if (manifest !== null) {
      const paths = manifest.entries.map(({ path }) => path);
      await assertProjectIsThere(manifest.cwd ?? null, paths, fs);
      const back = await rollBack(manifest, folder, fs);
      wasRewind ||= manifest.purpose === 'rewind';
      restored.push(...back.restored);
      leftAlone.push(...back.leftAlone);
      // If something else has changed a file since, the snapshot may hold the only earlier copy.
      if (back.leftAlone.length > 0) {
        await folder.mark('undone');
        continue;
      }
    }
    await folder.remove();
  }
  return restored.length + leftAlone.length === 0 ? null : { restored, leftAlone, wasRewind };
}

/** The manifest of a transaction during which a process died; null if there is none. Reads only. */
export async function unfinished(sessionFolder: string, fs: WriteFs): Promise<SafetyManifest | null> {
  for (const folder of await listSafetyFolders(sessionFolder, fs)) {
    if ((await folder.has('done')) || (await folder.has('undone'))) continue;
    const manifest = await folder.readManifest();
    if (manifest !== null) return manifest;
  }
  return null;
}

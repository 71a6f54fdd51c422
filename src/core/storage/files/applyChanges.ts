import { join } from 'node:path';
import { fileIdentity, isSameFile } from '../fileAttributes';
import type { WriteDeps } from '../openTranscript';
import { errorCode } from '../refusal';
import type { FileStat, WriteFs } from '../writeFs';
import { displacedPath, isSameContent, moveToSafety, putInPlace, takeAside, temporaryPath } from './exchangeFile';
import { copyFile, type FileChange, isUntouched, sha256Of, statOrNull } from './fileChange';
import {
  assertProjectIsThere,
  FILE_PROBLEMS,
  FilesRefusal,
  filesRefusalOf,
  realPathOf,
  syncFolderOf,
} from './projectFolder';
import { rollBack } from './rollBack';
import { type SafetyEntry, SafetyFolder, safetyId, type SafetyManifest } from './safetyFolder';
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
 * replacing content to temporary files in the target folders, then exchanges each target for its temporary file. What
 * stood at the targets goes into the safety snapshot, after it was compared with the copy.
 *
 * Throws a FilesRefusal. Everything is then unchanged, except with `half-done`, which means that restoring failed as
 * well: the safety snapshot stays, and the next transaction or undo continues to restore. If another program changed
 * one of the files in the middle of it, what that program wrote stays at its path, with a copy in the snapshot.
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
    const planned = new Map<SafetyEntry, FileChange>();
    for (const [at, change] of changes.entries()) {
      const entry = entries[at];
      if (entry === undefined) continue;
      planned.set(entry, change);
      await assertUntouched(change, fs);
      attempted.add(change.path);
      await commit(change, entry, fs);
    }
    for (const [entry, change] of planned) await keepDisplaced(entry, change, folder, fs);
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
    const like = before.kind === 'file' ? targetPath(entry) : after.contentPath;
    const { sha256 } = await copyFile(after.contentPath, temporaryPath(entry), given, fs, like);
    if (entry.after.kind !== 'file' || entry.after.sha256 !== sha256) {
      throw new FilesRefusal('write-failed', `The copy ${after.contentPath} changed, so nothing was changed.`);
    }
  }
}

async function assertUntouched(change: FileChange, fs: WriteFs): Promise<void> {
  const isInPlace = (await realPathOf(change.realFolder, fs)) === change.realFolder;
  if (!isInPlace || !isUntouched(await statOrNull(targetPath(change), fs), change.before)) throw changedRefusal();
}

function changedRefusal(): FilesRefusal {
  return new FilesRefusal('changed-since-preview', FILE_PROBLEMS.changed);
}

/** Directly follows the last check. Whatever came between the two is only moved aside, so that it can be compared. */
async function commit(change: FileChange, entry: SafetyEntry, fs: WriteFs): Promise<void> {
  const [target, displaced] = [targetPath(change), displacedPath(entry)];
  if (change.before.kind === 'file' && !(await takeAside(target, displaced, fs))) throw changedRefusal();
  if (change.after.kind === 'file') {
    const made = await fs.lstat(temporaryPath(entry));
    if (!(await putInPlace(temporaryPath(entry), target, fs))) throw changedRefusal();
    await assertIsThere(change, made, fs);
  }
  await assertAsPlanned(entry, change, fs);
}

/** A folder of the path may have been exchanged for a link at that moment. */
async function assertIsThere(change: FileChange, made: FileStat, fs: WriteFs): Promise<void> {
  const isInPlace = (await realPathOf(change.realFolder, fs)) === change.realFolder;
  const there = await statOrNull(targetPath(change), fs);
  const isOurs = there !== null && isSameFile(there, fileIdentity(made));
  if (isInPlace && isOurs) return;
  // A rollback leaves alone what it does not find in its folder, unless something was displaced there.
  if (isOurs && change.before.kind === 'absent') await fs.unlink(targetPath(change));
  throw changedRefusal();
}

/** Compares what was displaced with what was planned and copied. */
async function assertAsPlanned(entry: SafetyEntry, { before }: FileChange, fs: WriteFs): Promise<void> {
  if (before.kind === 'absent' || entry.before.kind === 'absent') return;
  const displaced = displacedPath(entry);
  const isPlanned = isSameContent(await fs.lstat(displaced), before.stat);
  // Two writes within the resolution of the clock leave the same times.
  if (!isPlanned || (await sha256Of(displaced, fs)) !== entry.before.sha256) throw changedRefusal();
}

/**
 * Moves what was displaced into the snapshot, as late as possible: a program that has opened it may still write to it.
 * On the same file system, it remains the same file, and keeps what is written even later.
 */
async function keepDisplaced(entry: SafetyEntry, change: FileChange, folder: SafetyFolder, fs: WriteFs): Promise<void> {
  if (entry.before.kind === 'absent') return;
  await assertAsPlanned(entry, change, fs);
  await moveToSafety(displacedPath(entry), entry.before.copy, folder, fs);
}

async function syncFolders(manifest: SafetyManifest, fs: WriteFs): Promise<void> {
  const paths = [...manifest.folders, ...manifest.entries.map(targetPath)];
  const folders = new Map(paths.map((path) => [join(path, '..'), path]));
  for (const path of folders.values()) await syncFolderOf(path, fs);
}

/**
 * Restores everything; throws a FilesRefusal if that fails, or if another program has changed one of the files
 * meanwhile. `attempted`: files that may have changed.
 */
async function restoreAll(
  manifest: SafetyManifest | null,
  attempted: ReadonlySet<string>,
  folder: SafetyFolder,
  fs: WriteFs,
  cause: unknown,
): Promise<void> {
  let others: readonly string[] = [];
  let hasKept = false;
  try {
    if (manifest !== null) {
      // The mark may be on disk although writing it returned an error.
      await folder.unmark('done');
      const back = await rollBack(manifest, folder, fs);
      others = back.leftAlone.filter((path) => attempted.has(path));
      hasKept = back.hasKept;
      if (others.length > 0 || hasKept) await folder.mark('undone');
    }
  } catch (error) {
    throw new FilesRefusal(
      'half-done',
      `Something failed, and so did putting things back. Every file as it was is in ${folder.path}. “Undo Rewind” tries again.`,
      folder.path,
      { cause: new AggregateError([cause, error]) },
    );
  }
  if (others.length > 0 || hasKept) throw keptRefusal(others, folder, cause);
  await folder.remove();
}

function keptRefusal([first, ...more]: readonly string[], folder: SafetyFolder, cause: unknown): FilesRefusal {
  const what = first === undefined ? 'A file' : more.length === 0 ? first : `${first} and ${more.length} more`;
  return new FilesRefusal(
    'changed-since-preview',
    `${what} changed at the last moment, so everything was put back. What another program wrote there was kept; it is also in ${folder.path}, with the file as it was before.`,
    folder.path,
    { cause },
  );
}

import { join } from 'node:path';
import { errorCode } from '../refusal';
import type { WriteDeps } from '../openTranscript';
import type { WriteFs } from '../writeFs';
import { copyFile } from './copyFile';
import type { FileChange } from './fileChange';
import { FILE_PROBLEMS, FilesRefusal, filesRefusalOf } from './filesRefusal';
import { isUntouched, statOrNull } from './fileState';
import { assertProjectIsThere } from './projectFolder';
import { realPathOf } from './realFolder';
import { rollBack, temporaryPath } from './rollBack';
import { SafetyFolder, safetyId } from './safetyFolder';
import type { SafetyEntry, SafetyManifest } from './safetyManifest';
import { syncFolderOf } from './syncFolderOf';
import { missingFolders, takeSafety, targetPath } from './takeSafety';

export interface FilesTransaction {
  readonly facts: Pick<SafetyManifest, 'purpose' | 'sessionId' | 'filePath' | 'promptUuid' | 'cwd' | 'undoes'>;
  /** Folder with the session's safety snapshots. */
  readonly sessionFolder: string;
  readonly changes: readonly FileChange[];
  /** Asked when all is prepared and nothing changed yet: throws a Refusal when nothing may be. */
  readonly beforeChange: () => Promise<void>;
}

export interface AppliedChanges {
  readonly folder: SafetyFolder;
  readonly manifest: SafetyManifest;
}

/**
 * Makes all of the changes or none. To be called under the lock. Everything that it touches is copied first; all new content
 * is written beside its place before anything changes; then each file gets its place by a rename.
 *
 * Throws a FilesRefusal, and then everything is as it was, but for `half-done`, when putting things back failed as well: the
 * safety snapshot stays, and the next transaction or undo goes on putting back.
 */
export async function applyChanges(transaction: FilesTransaction, deps: WriteDeps): Promise<AppliedChanges> {
  const { fs } = deps;
  const token = deps.random().replace(/[^\w]/g, '').slice(0, 12);
  const folder = await createFolder(transaction.sessionFolder, token, deps).catch(rethrow);
  let manifest: SafetyManifest | null = null;
  const attempted = new Set<string>();
  try {
    const { facts, changes } = transaction;
    await assertProjectIsThere(
      facts.cwd ?? null,
      changes.map(({ path }) => path),
      fs,
    );
    const entries = await takeSafety(changes, folder, token, fs);
    const folders = await missingFolders(changes, fs);
    const madeMs = deps.now();
    manifest = { format: 1, ...facts, madeMs, entries, folders };
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
    await takeBack(manifest, attempted, folder, fs, error);
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

/** Writes the new content beside its place. */
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

/** Follows the last look directly: no portable call does both at once. */
async function commit(change: FileChange, entry: SafetyEntry | undefined, fs: WriteFs): Promise<void> {
  if (change.after.kind === 'absent') await fs.unlink(targetPath(change));
  else if (entry !== undefined) await fs.rename(temporaryPath(entry), targetPath(change));
}

async function syncFolders(manifest: SafetyManifest, fs: WriteFs): Promise<void> {
  const paths = [...manifest.folders, ...manifest.entries.map(targetPath)];
  const folders = new Map(paths.map((path) => [join(path, '..'), path]));
  for (const path of folders.values()) await syncFolderOf(path, fs);
}

/** Puts everything back; throws when that fails. `attempted`: what may have changed. */
async function takeBack(
  manifest: SafetyManifest | null,
  attempted: ReadonlySet<string>,
  folder: SafetyFolder,
  fs: WriteFs,
  cause: unknown,
): Promise<void> {
  try {
    if (manifest !== null) {
      // Its mark may be on the disk although its answer was an error.
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

import { isSameFile } from '../fileAttributes';
import { LOCK_STALE_MS, type WriteDeps } from '../openTranscript';
import { errorCode } from '../refusal';
import { type FileStat, isGone, type WriteFs } from '../writeFs';
import {
  backPath,
  copyToSafety,
  displacedPath,
  moveToSafety,
  putInPlace,
  takeAside,
  temporaryPath,
  withdrawnPath,
} from './exchangeFile';
import { copyFile, isInState, sha256Of, statOrNull } from './fileChange';
import { assertProjectIsThere, realPathOf } from './projectFolder';
import {
  type KeptState,
  listSafetyFolders,
  removeFolderQuietly,
  type SafetyEntry,
  type SafetyFolder,
  type SafetyManifest,
} from './safetyFolder';
import { targetPath } from './takeSafety';
import { withFilesLock } from './withFilesLock';

export interface RolledBack {
  /** Absolute paths of the files that were restored. */
  readonly restored: readonly string[];
  /**
   * Files that are neither in their original state nor as the transaction made them, because something else changed
   * them.
   */
  readonly leftAlone: readonly string[];
  /** Whether the snapshot holds something that another program wrote. */
  readonly hasKept: boolean;
}

/**
 * Restores what a transaction changed, regardless of its progress: it checks each file and relies on no record of
 * progress. Can be repeated if it fails half-way. Rejects with the file system's error.
 */
export async function rollBack(manifest: SafetyManifest, folder: SafetyFolder, fs: WriteFs): Promise<RolledBack> {
  const restored: string[] = [];
  const leftAlone: string[] = [];
  for (const entry of [...manifest.entries].reverse()) {
    const restoration = new Restoration(entry, folder, fs);
    // If the folder was exchanged for a link in the middle of a change, the change is where the link leads.
    const isHere = (await isInPlace(entry, fs)) || (await restoration.hasBegun());
    const end = isHere ? await persistently(() => restoration.run()) : 'leftAlone';
    if (end === 'restored') restored.push(entry.path);
    if (end === 'leftAlone') leftAlone.push(entry.path);
  }
  for (const made of [...manifest.folders].reverse()) await removeFolderQuietly(made, fs);
  return { restored, leftAlone, hasKept: await holdsOthers(manifest, folder, fs) };
}

/** Another program that is busy with the file may remove it between two calls. */
const MAX_ATTEMPTS = 10;

async function persistently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Whether the path of the entry's folder still leads to it, and not to another folder over a link. */
async function isInPlace({ realFolder }: SafetyEntry, fs: WriteFs): Promise<boolean> {
  try {
    return (await realPathOf(realFolder, fs)) === realFolder;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errorCode(error) ?? '')) return false;
    throw error;
  }
}

/** Whether a displaced file has bytes that neither the original nor the transaction's own file had. */
async function holdsOthers(manifest: SafetyManifest, folder: SafetyFolder, fs: WriteFs): Promise<boolean> {
  const states = manifest.entries.flatMap(({ before, after }) => [before, after]);
  const hashes = new Set(states.flatMap((state) => (state.kind === 'file' ? [state.sha256] : [])));
  for (const path of await folder.displacedPaths()) {
    if ((await statOrNull(path, fs))?.isFile() !== true || !hashes.has(await sha256Of(path, fs))) return true;
  }
  return false;
}

type RestorationEnd = 'unchanged' | 'restored' | 'leftAlone';

/** Restores one file. */
class Restoration {
  readonly #target: string;
  readonly #displaced: string;
  readonly #withdrawn: string;
  readonly #back: string;

  constructor(
    private readonly entry: SafetyEntry,
    private readonly folder: SafetyFolder,
    private readonly fs: WriteFs,
  ) {
    this.#target = targetPath(entry);
    this.#displaced = displacedPath(entry);
    this.#withdrawn = withdrawnPath(entry);
    this.#back = backPath(entry);
  }

  /** Whether a file that stood at the path was moved aside, and is there still. */
  async hasBegun(): Promise<boolean> {
    return (await this.#has(this.#displaced)) || this.#has(this.#withdrawn);
  }

  async run(): Promise<RestorationEnd> {
    const { fs, entry } = this;
    const staged = await this.#drop(temporaryPath(entry));
    await this.#drop(this.#back);
    const hasBegun = await this.hasBegun();
    const found = await statOrNull(this.#target, fs);
    if (!hasBegun && (await isInState(this.#target, found, entry.before, fs))) return 'unchanged';
    const isForeign = !(await this.#withdraw(found, staged));
    const isFree = (await statOrNull(this.#target, fs)) === null;
    if (isFree && !isForeign) await this.#putBack();
    // Something else stands at the path. The person's file is newer than the original, and stays.
    await this.#keep(this.#displaced);
    // Another program may have opened it while it stood at the path, and may write to it.
    await this.#keep(this.#withdrawn);
    await this.#drop(this.#back);
    const end = await statOrNull(this.#target, fs);
    if (await isInState(this.#target, end, entry.before, fs)) return 'restored';
    await copyToSafety(this.#target, this.#name, this.folder, fs);
    return 'leftAlone';
  }

  /** Entries without a copy have no name of their own. */
  get #name(): string {
    const { before, temporary } = this.entry;
    return before.kind === 'file' ? before.copy : temporary;
  }

  /**
   * Takes the file that the transaction made away from its path. False if something else stands there, or stood there:
   * another program has written it.
   */
  async #withdraw(found: FileStat | null, staged: FileStat | null): Promise<boolean> {
    const { fs, entry } = this;
    // A file that was not put in place yet is still at its temporary name.
    const isOurs = found !== null && entry.after.kind === 'file' && (staged === null || isSameFile(staged, found));
    if (isOurs && (await isInState(this.#target, found, entry.after, fs))) {
      if (!(await this.#has(this.#displaced))) await this.#copyBack();
      await this.#keep(this.#withdrawn);
      await takeAside(this.#target, this.#withdrawn, fs);
    } else if (found !== null) return false;
    const withdrawn = await statOrNull(this.#withdrawn, fs);
    if (withdrawn === null) {
      // Nothing stands at the path. Unless the transaction took it away, another program did.
      return entry.after.kind === 'absent' || (await this.#has(this.#displaced));
    }
    if (await isInState(this.#withdrawn, withdrawn, entry.after, fs)) return true;
    await putInPlace(this.#withdrawn, this.#target, fs);
    return false;
  }

  async #putBack(): Promise<void> {
    const { fs, entry } = this;
    if (await this.#has(this.#displaced)) {
      await putInPlace(this.#displaced, this.#target, fs);
      return;
    }
    if (entry.before.kind === 'absent') return;
    if (!(await this.#has(this.#back))) await this.#copyBack();
    await putInPlace(this.#back, this.#target, fs);
  }

  /** Prepares the original, so that nothing is taken away before it can come back. */
  async #copyBack(): Promise<void> {
    const { before } = this.entry;
    if (before.kind === 'absent' || (await this.#has(this.#back))) return;
    await copyFile(this.folder.copyPath(before.copy), this.#back, attributesOf(before), this.fs);
  }

  async #has(path: string): Promise<boolean> {
    return (await statOrNull(path, this.fs)) !== null;
  }

  /** Moves a file that another program may have written into the snapshot. */
  async #keep(path: string): Promise<void> {
    if (await this.#has(path)) await moveToSafety(path, this.#name, this.folder, this.fs);
  }

  /** Removes a file that only transactions write. @returns its stat; null if there was none */
  async #drop(path: string): Promise<FileStat | null> {
    const stat = await statOrNull(path, this.fs);
    if (stat !== null) await this.fs.unlink(path);
    return stat;
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

export interface Recovered extends RolledBack {
  /** A rewind was rolled back, not only the undoing of one. */
  readonly wasRewind: boolean;
}

/** Throws a FilesRefusal if not all of these files may be changed. */
export type EntriesCheck = (entries: readonly SafetyEntry[], folderPath: string) => Promise<void>;

/**
 * Rolls back unfinished transactions of dead processes, newest first. Call it under the lock, before anything else.
 * Null if there was nothing to restore. Rejects with the file system's error, with a FilesRefusal if the project
 * folder is gone, and with what `mayChange` rejects with: a record is a file, and may have been forged.
 */
export async function recover(sessionFolder: string, mayChange: EntriesCheck, fs: WriteFs): Promise<Recovered | null> {
  const restored: string[] = [];
  const leftAlone: string[] = [];
  let wasRewind = false;
  let hasKept = false;
  for (const folder of await listSafetyFolders(sessionFolder, fs)) {
    if ((await folder.has('done')) || (await folder.has('undone'))) continue;
    const manifest = await folder.readManifest();
    // The manifest is unreadable, and the snapshot may be the only copy of something, so it stays.
    if (manifest === null && (await folder.isBegun())) continue;
    if (manifest !== null) {
      const paths = manifest.entries.map(({ path }) => path);
      await assertProjectIsThere(manifest.cwd ?? null, paths, fs);
      await mayChange(manifest.entries, folder.path);
      const back = await rollBack(manifest, folder, fs);
      wasRewind ||= manifest.purpose === 'rewind';
      restored.push(...back.restored);
      leftAlone.push(...back.leftAlone);
      hasKept ||= back.hasKept;
      // If something else has changed a file since, the snapshot may hold the only earlier copy.
      if (back.leftAlone.length > 0 || back.hasKept) {
        await folder.mark('undone');
        continue;
      }
    }
    await folder.remove();
  }
  return restored.length + leftAlone.length === 0 ? null : { restored, leftAlone, hasKept, wasRewind };
}

/**
 * What a dead process leaves where nothing has to be put back, by path: its lock, and snapshots of transactions that it
 * never began. Nothing while a process may be at work. Rejects with the file system's error.
 */
export async function findLeftovers(
  rewindsFolder: string,
  sessionFolder: string,
  { fs, now }: Pick<WriteDeps, 'fs' | 'now'>,
): Promise<readonly string[]> {
  const lockPath = `${rewindsFolder}.lock`;
  const lock = await statOrNull(lockPath, fs);
  if (lock !== null && now() - Number(lock.mtimeMs) <= LOCK_STALE_MS) return [];
  const snapshots = await unbegun(sessionFolder, fs);
  return [...(lock === null ? [] : [lockPath]), ...snapshots.map(({ path }) => path)];
}

/**
 * Removes what `findLeftovers` finds. For commands that have nothing to change, and therefore take no lock. Never rejects: whoever
 * holds the lock may be at work.
 */
export async function clearLeftovers(rewindsFolder: string, sessionFolder: string, deps: WriteDeps): Promise<void> {
  try {
    const isClear =
      (await isGone(`${rewindsFolder}.lock`, deps.fs)) && (await unbegun(sessionFolder, deps.fs)).length === 0;
    if (isClear) return;
    await withFilesLock(rewindsFolder, deps, async () => {
      for (const folder of await unbegun(sessionFolder, deps.fs)) await folder.remove();
    });
  } catch {
    // The next command tries again.
  }
}

async function unbegun(sessionFolder: string, fs: WriteFs): Promise<readonly SafetyFolder[]> {
  const found: SafetyFolder[] = [];
  for (const folder of await listSafetyFolders(sessionFolder, fs)) {
    if (!(await folder.isBegun()) && !(await folder.has('done')) && !(await folder.has('undone'))) found.push(folder);
  }
  return found;
}

/** A transaction during which a process died. */
export interface Unfinished {
  /** Absolute path of its safety snapshot. */
  readonly folderPath: string;
  readonly manifest: SafetyManifest;
}

/** The newest one; null if there is none. Reads only. */
export async function unfinished(sessionFolder: string, fs: WriteFs): Promise<Unfinished | null> {
  for (const folder of await listSafetyFolders(sessionFolder, fs)) {
    if ((await folder.has('done')) || (await folder.has('undone'))) continue;
    const manifest = await folder.readManifest();
    if (manifest !== null) return { folderPath: folder.path, manifest };
  }
  return null;
}

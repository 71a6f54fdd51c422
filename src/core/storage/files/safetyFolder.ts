import { dirname, join, sep } from 'node:path';
import { isJsonObject, type JsonObject, parseObject } from '../../util/json';
import { readFully, writeFully } from '../fileBytes';
import { errorCode } from '../refusal';
import { closeQuietly, removeQuietly, type WriteFs } from '../writeFs';
import { syncFolderOf } from './projectFolder';

const PRIVATE_FOLDER = 0o700;
const MANIFEST = 'manifest.json';
const FILES = 'files';
const DISPLACED = 'displaced';
/** Names of empty files that mark the progress of a transaction. */
export type SafetyMark = 'done' | 'undone';

/** Name of a snapshot's folder. Names sort by time. */
export function safetyId(madeMs: number, random: string): string {
  return `${String(madeMs).padStart(15, '0')}-${random.replace(/[^\w]/g, '').slice(0, 12)}`;
}

/**
 * One safety snapshot: `<rewinds>/<session>/<id>/` with `manifest.json`, `files/<n>`, `displaced/<n>`, and marks.
 * Without a manifest, its transaction never began; without a mark, its transaction did not end. `files` has the copies
 * that an undo restores, and `displaced` the very files that stood at the paths, with all that was written to them.
 */
export class SafetyFolder {
  constructor(
    readonly path: string,
    private readonly fs: WriteFs,
  ) {}

  copyPath(name: string): string {
    return join(this.path, FILES, name);
  }

  /** A path for a displaced file at which nothing is. `name`: that of its entry. */
  async freeDisplacedPath(name: string): Promise<string> {
    const folder = join(this.path, DISPLACED);
    await makePrivateFolders(folder, this.fs);
    const names = new Set(await this.fs.readdir(folder));
    for (let at = 0; ; at++) {
      const free = at === 0 ? name : `${name}.${at}`;
      if (!names.has(free)) return join(folder, free);
    }
  }

  async displacedPaths(): Promise<readonly string[]> {
    const folder = join(this.path, DISPLACED);
    return (await namesIn(folder, this.fs)).map((name) => join(folder, name));
  }

  /** Rejects with EEXIST if the folder exists. */
  async create(): Promise<void> {
    await makePrivateFolders(dirname(this.path), this.fs);
    await this.fs.mkdir(this.path, PRIVATE_FOLDER);
    await this.fs.mkdir(join(this.path, FILES), PRIVATE_FOLDER);
  }

  /** From this point on, the transaction has begun, even if this process dies. */
  async writeManifest(manifest: SafetyManifest): Promise<void> {
    const { fs } = this;
    const path = join(this.path, MANIFEST);
    await syncFolderOf(join(this.path, FILES, '.'), fs);
    const file = await fs.open(`${path}.tmp`, 'create');
    try {
      await writeFully(file, Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`));
      await file.sync();
    } finally {
      await closeQuietly(file);
    }
    await fs.rename(`${path}.tmp`, path);
    for (const each of [path, this.path, dirname(this.path)]) await syncFolderOf(each, fs);
  }

  /** Null if there is no manifest, or it is not completely readable. Rejects with the file system's error. */
  async readManifest(): Promise<SafetyManifest | null> {
    try {
      const file = await this.fs.open(join(this.path, MANIFEST), 'read');
      try {
        const bytes = Buffer.alloc(Number((await file.stat()).size));
        return parseManifest(bytes.subarray(0, await readFully(file, bytes, 0)).toString('utf8'));
      } finally {
        await closeQuietly(file);
      }
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null;
      throw error;
    }
  }

  async has(mark: SafetyMark): Promise<boolean> {
    return this.#holds(mark);
  }

  /** Whether there is a manifest, including one that only a later version can read. */
  async isBegun(): Promise<boolean> {
    return this.#holds(MANIFEST);
  }

  async #holds(name: string): Promise<boolean> {
    try {
      await this.fs.lstat(join(this.path, name));
      return true;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    }
  }

  async mark(mark: SafetyMark): Promise<void> {
    const path = join(this.path, mark);
    const file = await this.fs.open(path, 'create');
    try {
      await file.sync();
    } finally {
      await closeQuietly(file);
    }
    await syncFolderOf(path, this.fs);
  }

  async unmark(mark: SafetyMark): Promise<void> {
    await removeQuietly(join(this.path, mark), this.fs);
  }

  /** Removes the manifest first: without it, the rest is not mistaken for a transaction. Never rejects. */
  async remove(): Promise<void> {
    const { fs } = this;
    for (const name of [MANIFEST, `${MANIFEST}.tmp`]) await removeIfThere(join(this.path, name), fs);
    for (const files of [join(this.path, FILES), join(this.path, DISPLACED)]) {
      for (const name of await namesIn(files, fs)) await removeQuietly(join(files, name), fs);
      await removeFolderQuietly(files, fs);
    }
    for (const name of await namesIn(this.path, fs)) await removeQuietly(join(this.path, name), fs);
    await removeFolderQuietly(this.path, fs);
  }
}

/** The snapshots of a session, newest first; empty if there is no folder. */
export async function listSafetyFolders(sessionFolder: string, fs: WriteFs): Promise<readonly SafetyFolder[]> {
  const names = await fs.readdir(sessionFolder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  return names
    .filter((name) => /^\d{15}-\w+$/.test(name))
    .sort()
    .reverse()
    .map((name) => new SafetyFolder(join(sessionFolder, name), fs));
}

/** When a snapshot was made, in milliseconds since the epoch. */
export function safetyTime({ path }: SafetyFolder): number {
  return Number.parseInt(/(\d{15})-\w+$/.exec(path)?.[1] ?? '0', 10);
}

/** Creates a folder and its missing parents, accessible only to this user. */
export async function makePrivateFolders(path: string, fs: WriteFs): Promise<void> {
  try {
    await fs.mkdir(path, PRIVATE_FOLDER);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makePrivateFolders(dirname(path), fs);
    await fs.mkdir(path, PRIVATE_FOLDER).catch((again: unknown) => {
      if (errorCode(again) !== 'EEXIST') throw again;
    });
  }
}

async function namesIn(folder: string, fs: WriteFs): Promise<readonly string[]> {
  return fs.readdir(folder).catch(() => fs.readdir(folder).catch(() => []));
}

async function removeIfThere(path: string, fs: WriteFs): Promise<void> {
  await fs.unlink(path).catch(async (error: unknown) => {
    if (errorCode(error) !== 'ENOENT') await fs.unlink(path).catch(() => undefined);
  });
}

/** Retries once. A folder that is not empty stays. */
export async function removeFolderQuietly(path: string, fs: WriteFs): Promise<void> {
  await fs.rmdir(path).catch(async (error: unknown) => {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) {
      await fs.rmdir(path).catch(() => undefined);
    }
  });
}

/** The record of a file in a safety snapshot: enough to recognize the file and to restore it. */
export type KeptState =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'file';
      /** Name of the copy in the snapshot's `files` folder. */
      readonly copy: string;
      readonly size: number;
      readonly sha256: string;
      readonly mode: number;
      readonly uid: number;
      readonly gid: number;
      /** Nanoseconds since the epoch, as text. */
      readonly atimeNs: string;
      readonly mtimeNs: string;
    };

export type MadeState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly size: number; readonly sha256: string; readonly mode: number };

export interface SafetyEntry {
  /** Absolute. */
  readonly path: string;
  /** Its folder without symbolic links. */
  readonly realFolder: string;
  /** Name, in that folder, of the file that is written first and then renamed. */
  readonly temporary: string;
  readonly before: KeptState;
  readonly after: MadeState;
}

/**
 * What a transaction changes. It is written before anything is changed, so that another process can restore everything
 * if this one dies.
 */
export interface SafetyManifest {
  readonly format: 1;
  readonly purpose: 'rewind' | 'undo';
  readonly sessionId: string;
  /** Absolute path of the transcript. */
  readonly filePath: string;
  readonly promptUuid: string | null;
  /** Absolute path of the session's project folder; null or absent if unknown. */
  readonly cwd?: string | null;
  /** For an undo: the name of the snapshot whose rewind it undoes, at least for these files. */
  readonly undoes?: string;
  /** Milliseconds since the epoch. */
  readonly madeMs: number;
  readonly entries: readonly SafetyEntry[];
  /** Folders that the transaction creates, outermost first. */
  readonly folders: readonly string[];
}

/** Null if it is not a valid manifest: incomplete, or of a later version. */
export function parseManifest(text: string): SafetyManifest | null {
  const object = parseObject(text);
  if (object?.['format'] !== 1) return null;
  const entries: unknown = object['entries'];
  const folders: unknown = object['folders'];
  const isWhole =
    Array.isArray(entries) &&
    entries.every((entry: unknown) => isJsonObject(entry) && isEntry(entry)) &&
    Array.isArray(folders) &&
    folders.every((folder) => typeof folder === 'string' && isFolderOf(folder, entries)) &&
    (object['purpose'] === 'rewind' || object['purpose'] === 'undo') &&
    typeof object['madeMs'] === 'number' &&
    typeof object['filePath'] === 'string' &&
    typeof object['sessionId'] === 'string' &&
    ['string', 'undefined'].includes(typeof (object['cwd'] ?? undefined)) &&
    ['string', 'undefined'].includes(typeof object['undoes']);
  // SAFETY: every field was checked.
  return isWhole ? (object as unknown as SafetyManifest) : null;
}

const NAME = /^[\w.-]+$/;
/** A record is a file that may have been forged: no name in it leads out of its folder, or to a file of another kind. */
const TEMPORARY_NAME = /^\.rethread-\w*-\d+\.tmp$/;

/** Whether a rewind can have created the folder for one of the files. */
function isFolderOf(folder: string, entries: readonly unknown[]): boolean {
  return entries.some((entry) => {
    const realFolder = isJsonObject(entry) ? entry['realFolder'] : null;
    return typeof realFolder === 'string' && (realFolder === folder || realFolder.startsWith(folder + sep));
  });
}

function isEntry(entry: JsonObject): boolean {
  const { before, after } = entry;
  return (
    typeof entry['path'] === 'string' &&
    typeof entry['realFolder'] === 'string' &&
    typeof entry['temporary'] === 'string' &&
    TEMPORARY_NAME.test(entry['temporary']) &&
    isJsonObject(before) &&
    isJsonObject(after) &&
    (before['kind'] === 'absent' || (isFileState(before) && isCopy(before))) &&
    (after['kind'] === 'absent' || isFileState(after))
  );
}

function isFileState(state: JsonObject): boolean {
  const { kind, size, sha256, mode } = state;
  return kind === 'file' && typeof size === 'number' && typeof sha256 === 'string' && typeof mode === 'number';
}

function isCopy({ copy, uid, gid, atimeNs, mtimeNs }: JsonObject): boolean {
  const isTime = (time: unknown): boolean => typeof time === 'string' && /^-?\d+$/.test(time);
  return (
    typeof copy === 'string' &&
    NAME.test(copy) &&
    typeof uid === 'number' &&
    typeof gid === 'number' &&
    isTime(atimeNs) &&
    isTime(mtimeNs)
  );
}

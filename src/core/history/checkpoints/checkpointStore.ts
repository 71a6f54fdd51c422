import { basename, join, resolve } from 'node:path';
import { CHUNK_BYTES, readFully } from '../../storage/fileBytes';
import { errorCode, errorName } from '../../storage/refusal';
import { appendRow } from '../../storage/store/appendRow';
import {
  clearStore,
  createSessionFolder,
  type FolderDeps,
  removeSessionFolder,
  writeFirstFile,
} from '../../storage/store/sessionFolder';
import { closeQuietly, type ReadableFile, type WriteFs } from '../../storage/writeFs';
import { type JsonObject, parseObject, stringField } from '../../util/json';
import { captureFile } from './captureFile';
import { findKnownCopy, type KnownCopy, type SeenFile } from './knownCopy';
import { readLastRow, readRows } from './readRows';
import { type MutatingCall, numberField, readCheckpoint, type StoredCheckpoint, type StoredFile } from './storedRow';
import {
  idOfFolderName,
  isSessionFolderName,
  pathsIn,
  sessionPaths,
  type SessionPaths,
  storeLayout,
  type StoreLayout,
} from './storeLayout';

/** What is known about a session without reading its rows. */
export interface StoredSessionInfo {
  readonly id: string;
  /** Working directory; empty if unknown. */
  readonly cwd: string;
  readonly model: string | null;
  /** The session from which it was forked; null if it is not a fork. */
  readonly parentSessionId: string | null;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
}

export interface ListedSession extends StoredSessionInfo {
  /** The time of its last row, in milliseconds since the epoch. */
  readonly updatedMs: number;
}

export interface StoreDeps extends FolderDeps {
  /** Absolute path of Claude Code's config folder. */
  readonly configDir: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Larger files are not kept. By default, the limit is `MAX_KEPT_BYTES`. */
  readonly maxFileBytes?: number;
  /** Called for each file that could not be kept, with the code of the error and the path. */
  readonly onProblem?: (code: string, path: string) => void;
}

/** Unfinished files of this age belong to dead processes and may be removed. */
const UNFINISHED_MS = 3_600_000;

/**
 * The checkpoints of sessions of any tool. Any number of threads and processes may use one store at the same time. All
 * methods reject with a StoreError.
 */
export class CheckpointStore {
  constructor(protected readonly deps: StoreDeps) {}

  /** Opens a session so that checkpoints can be added to it. Creates the session if it is missing. */
  open(id: string, cwd: string): Promise<CheckpointedSession> {
    return storeErrorsOf('open a session', async () => {
      const paths = this.pathsOf(id);
      const known = await readSessionInfo(paths, this.deps.fs);
      const info = known ?? this.infoOf({ id, cwd });
      // If another process creates the session at the same time, it exists all the same.
      if (known === null) await createSession(paths, info, this.deps);
      return new CheckpointedSession(info, paths, this.deps);
    });
  }

  /** Oldest first; empty if there is no such session. */
  checkpoints(id: string): Promise<readonly StoredCheckpoint[]> {
    return storeErrorsOf('read checkpoints', async () => {
      const { rows } = await readRows(this.pathsOf(id).checkpoints, this.deps.fs);
      return rows.flatMap((row) => readCheckpoint(row) ?? []);
    });
  }

  /** Newest first. */
  list(): Promise<readonly ListedSession[]> {
    return storeErrorsOf('list sessions', async () => {
      const { fs } = this.deps;
      const { layout } = this;
      const listed: ListedSession[] = [];
      // A folder that is missing or cannot be listed counts as an empty store.
      for (const name of await fs.readdir(layout.sessions).catch(() => [])) {
        const paths = pathsIn(join(layout.sessions, name), layout);
        const info = isSessionFolderName(name) ? await readSessionInfo(paths, fs) : null;
        if (info !== null) listed.push({ ...info, updatedMs: await readUpdatedMs(paths, info, fs) });
      }
      return listed.sort((a, b) => b.updatedMs - a.updatedMs || b.createdMs - a.createdMs);
    });
  }

  /**
   * Removes the sessions. Copies that other sessions share are kept. Resolves to the ids of the sessions that existed.
   */
  deleteAll(ids: readonly string[]): Promise<readonly string[]> {
    return storeErrorsOf('delete a session', async () => {
      const { sessions, pool } = this.layout;
      const deleted: string[] = [];
      for (const id of ids) if (await removeSessionFolder(this.pathsOf(id).folder, this.deps)) deleted.push(id);
      await clearStore(sessions, pool, this.deps.now() - UNFINISHED_MS, this.deps.fs);
      return deleted;
    });
  }

  protected get layout(): StoreLayout {
    return storeLayout(this.deps.configDir());
  }

  protected pathsOf(id: string): SessionPaths {
    return sessionPaths(this.layout, id);
  }

  protected infoOf({
    id,
    cwd,
    model = null,
  }: Pick<StoredSessionInfo, 'id' | 'cwd'> & Partial<StoredSessionInfo>): StoredSessionInfo {
    return { id, cwd: resolve(cwd), model, parentSessionId: null, createdMs: this.deps.now() };
  }
}

/**
 * An open session that checkpoints can be added to. Any number of threads and processes may open one session at once.
 */
export class CheckpointedSession {
  /** @param paths null for a session that keeps nothing */
  constructor(
    readonly info: StoredSessionInfo,
    protected readonly paths: SessionPaths | null,
    protected readonly deps: StoreDeps,
  ) {}

  /**
   * Keeps the state of the files that a tool call is about to change. Null for a session that keeps nothing. The
   * checkpoint says which files could not be kept. Rejects with a StoreError if the checkpoint itself could not be
   * kept.
   *
   * @param changed absolute paths
   */
  async checkpoint(call: MutatingCall, changed: readonly string[]): Promise<StoredCheckpoint | null> {
    if (this.paths === null) return null;
    const timeMs = this.deps.now();
    const { checkpoints, content } = this.paths;
    const files: StoredFile[] = [];
    const seenFiles: (SeenFile | null)[] = [];
    const findKnown = (path: string): Promise<KnownCopy | null> => findKnownCopy(checkpoints, path, this.deps.fs);
    // One file at a time, so that two files with the same content share one copy.
    for (const path of changed) {
      const { file, failed, seen } = await captureFile(path, content, this.deps, this.deps.maxFileBytes, findKnown);
      if (failed !== null) this.deps.onProblem?.(failed, file.path);
      files.push(file);
      seenFiles.push(seen);
    }
    const checkpoint = { timeMs, ...call, files };
    // The row is written last, so that the copies to which it refers exist.
    const seen = seenFiles.some((each) => each !== null) ? { seen: seenFiles } : {};
    await keepRow(checkpoints, 'checkpoints', { ...checkpoint, ...seen }, this.deps);
    return checkpoint;
  }
}

/**
 * `exists`: a session with this id exists. `missing`: no session has this id. `unknown-message`: the session has no
 * such message. `no-space`: the disk or the quota is full. `failed`: `cause`, if there is one, says why.
 */
export type StoreErrorCode = 'exists' | 'missing' | 'unknown-message' | 'no-space' | 'failed';

/** An operation of the store failed. Everything that was kept before is unchanged. */
export class StoreError extends Error {
  constructor(
    readonly code: StoreErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'StoreError';
  }
}

/** Runs `work` and converts its errors to StoreErrors. @param doing the words after "Failed to" in the message */
export async function storeErrorsOf<Result>(doing: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    const code = errorCode(cause);
    const isFull = code === 'ENOSPC' || code === 'EDQUOT';
    throw new StoreError(isFull ? 'no-space' : 'failed', `Failed to ${doing} (${errorName(cause)})`, { cause });
  }
}

/** Appends a row to a file of a session. Rejects with a StoreError. */
export function keepRow(path: string, kind: string, row: JsonObject, deps: FolderDeps): Promise<void> {
  return storeErrorsOf(`keep a row of ${kind}`, () => appendRow(path, kind, row, deps));
}

/** Creates a session's folder with its info. False if the folder already exists. Rejects with Node's error. */
export function createSession(
  paths: SessionPaths,
  info: StoredSessionInfo,
  deps: FolderDeps,
  fill: (unfinished: string) => Promise<void> = () => Promise.resolve(),
): Promise<boolean> {
  return createSessionFolder(
    paths.folder,
    async (unfinished) => {
      const bytes = Buffer.from(`${JSON.stringify(infoRow(info))}\n`);
      await writeFirstFile(`${unfinished}/${basename(paths.info)}`, bytes, deps.fs);
      await fill(unfinished);
    },
    deps,
  );
}

/** The row that describes a session; it is written once, when the session is created. */
function infoRow({ id, cwd, model, parentSessionId, createdMs }: StoredSessionInfo): JsonObject {
  return { rethread: 'session', version: 1, id, cwd, model, parentSessionId, createdMs };
}

/** Null if there is no such session, or its id is unknown. Rejects with Node's error if the store cannot be read. */
export async function readSessionInfo(paths: SessionPaths, fs: WriteFs): Promise<StoredSessionInfo | null> {
  const text = await readSmall(paths.info, fs);
  if (text === null && (await fs.lstat(paths.folder).catch(() => null)) === null) return null;
  const row = parseObject(text ?? '') ?? {};
  const id = stringField(row, 'id') ?? idOfFolderName(basename(paths.folder));
  if (id === null) return null;
  return {
    id,
    cwd: stringField(row, 'cwd') ?? '',
    model: stringField(row, 'model'),
    parentSessionId: stringField(row, 'parentSessionId'),
    createdMs: numberField(row, 'createdMs') ?? 0,
  };
}

/** The time of the session's last row, or of its creation, in milliseconds since the epoch. */
async function readUpdatedMs(paths: SessionPaths, info: StoredSessionInfo, fs: WriteFs): Promise<number> {
  const last = await Promise.all([paths.messages, paths.checkpoints].map((path) => readLastRow(path, fs)));
  return Math.max(info.createdMs, ...last.map((row) => numberField(row ?? {}, 'timeMs') ?? 0));
}

/** The first `CHUNK_BYTES` of a file, which hold all of a session's info; null if there is no file. */
async function readSmall(path: string, fs: WriteFs): Promise<string | null> {
  let file: ReadableFile;
  try {
    file = await fs.open(path, 'read');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null;
    throw error;
  }
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    return buffer.toString('utf8', 0, await readFully(file, buffer, 0));
  } finally {
    await closeQuietly(file);
  }
}

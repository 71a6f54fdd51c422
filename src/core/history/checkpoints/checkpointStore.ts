import { basename, join, resolve } from 'node:path';
import { CHUNK_BYTES, readFully } from '../../storage/fileBytes';
import { errorCode, errorName } from '../../storage/refusal';
import { closeQuietly } from '../../storage/staleFiles';
import { appendRow } from '../../storage/store/appendRow';
import {
  clearStore,
  createSessionFolder,
  type FolderDeps,
  removeSessionFolder,
  writeFirstFile,
} from '../../storage/store/sessionFolder';
import type { ReadableFile, WriteFs } from '../../storage/writeFs';
import { type JsonObject, parseObject, stringField } from '../../util/json';
import { captureFile } from './captureFile';
import { readLastRow, readRows } from './readRows';
import {
  idOfFolderName,
  isSessionFolderName,
  pathsIn,
  sessionPaths,
  type SessionPaths,
  storeLayout,
  type StoreLayout,
} from './storeLayout';
import { type MutatingCall, numberField, readCheckpoint, type StoredCheckpoint, type StoredFile } from './storedRow';

/** What is known of a session without reading it. */
export interface StoredSessionInfo {
  readonly id: string;
  /** Working directory; empty when nothing tells. */
  readonly cwd: string;
  readonly model: string | null;
  /** The session that it was forked from; null for any other. */
  readonly parentSessionId: string | null;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
}

export interface ListedSession extends StoredSessionInfo {
  /** When something was last kept of it, in milliseconds since the epoch. */
  readonly updatedMs: number;
}

export interface StoreDeps extends FolderDeps {
  /** Absolute path of Claude Code's config folder. */
  readonly configDir: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called with what could not be kept of a file: the code of an error, and the path. */
  readonly onProblem?: (code: string, path: string) => void;
}

/** What a process left half made is its own for so long. */
const UNFINISHED_MS = 3_600_000;

/**
 * The checkpoints of sessions of any tool. Any number of threads and processes may use one store at the same time. All
 * methods reject with a StoreError.
 */
export class CheckpointStore {
  constructor(protected readonly deps: StoreDeps) {}

  /** A session to add checkpoints to. It is made when it is missing. */
  open(id: string, cwd: string): Promise<CheckpointedSession> {
    return storeErrorsOf('open a session', async () => {
      const paths = this.pathsOf(id);
      const known = await readSessionInfo(paths, this.deps.fs);
      const info = known ?? this.infoOf({ id, cwd });
      // Another process may make it at the same time: then it exists as well.
      if (known === null) await createSession(paths, info, this.deps);
      return new CheckpointedSession(info, paths, this.deps);
    });
  }

  /** Oldest first; none when there is no such session. */
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
      // No folder is an empty store; so is one that cannot be listed, for whoever looks for sessions.
      for (const name of await fs.readdir(layout.sessions).catch(() => [])) {
        const paths = pathsIn(join(layout.sessions, name), layout);
        const info = isSessionFolderName(name) ? await readSessionInfo(paths, fs) : null;
        if (info !== null) listed.push({ ...info, updatedMs: await readUpdatedMs(paths, info, fs) });
      }
      return listed.sort((a, b) => b.updatedMs - a.updatedMs || b.createdMs - a.createdMs);
    });
  }

  /** Removes what is each session's own; what others share stays. Resolves to the sessions that existed. */
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

/** A session that checkpoints are added to. Several may be open on one session, in any threads and processes. */
export class CheckpointedSession {
  /** @param paths null for a session that keeps nothing */
  constructor(
    readonly info: StoredSessionInfo,
    protected readonly paths: SessionPaths | null,
    protected readonly deps: StoreDeps,
  ) {}

  /**
   * Keeps the state of the files that a tool call is about to change; null for a session that keeps nothing. The
   * checkpoint says what could not be kept of them. Rejects with a StoreError when the checkpoint itself could not be kept.
   *
   * @param changed absolute paths
   */
  async checkpoint(call: MutatingCall, changed: readonly string[]): Promise<StoredCheckpoint | null> {
    if (this.paths === null) return null;
    const timeMs = this.deps.now();
    const files: StoredFile[] = [];
    // One after the other: what two of them share is found.
    for (const path of changed) {
      const { file, failed } = await captureFile(path, this.paths.content, this.deps);
      if (failed !== null) this.deps.onProblem?.(failed, file.path);
      files.push(file);
    }
    const checkpoint = { timeMs, ...call, files };
    // The row comes last, when the copies that it names exist.
    await keepRow(this.paths.checkpoints, 'checkpoints', { ...checkpoint }, this.deps);
    return checkpoint;
  }
}

/** `exists`, `missing`: the session. `unknown-message`: it has no such message. `failed`: `cause` says why. */
export type StoreErrorCode = 'exists' | 'missing' | 'unknown-message' | 'no-space' | 'failed';

/** What a session could not be asked for, or not keep. What was kept before is as it was. */
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

/** @param doing as in "Failed to <doing>" */
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

/** Makes a session's folder with its info. False when there is one already. Rejects with Node's error. */
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

/** What is written of a session once, when it is made. */
function infoRow({ id, cwd, model, parentSessionId, createdMs }: StoredSessionInfo): JsonObject {
  return { rethread: 'session', version: 1, id, cwd, model, parentSessionId, createdMs };
}

/** Null when there is no such session, or nothing tells its id. Rejects with Node's error when the store cannot be read. */
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

/** When something was last kept of the session, in milliseconds since the epoch. */
async function readUpdatedMs(paths: SessionPaths, info: StoredSessionInfo, fs: WriteFs): Promise<number> {
  const last = await Promise.all([paths.messages, paths.checkpoints].map((path) => readLastRow(path, fs)));
  return Math.max(info.createdMs, ...last.map((row) => numberField(row ?? {}, 'timeMs') ?? 0));
}

/** The first bytes of a file, which is all of one as short as this; null when there is none. */
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

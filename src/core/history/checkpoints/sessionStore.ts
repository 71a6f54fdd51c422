import { join, resolve } from 'node:path';
import { clearStore, removeSessionFolder } from '../../storage/store/sessionFolder';
import { copySession } from './copySession';
import { checkpointsOf, readMessages } from './readMessages';
import { readRows } from './readRows';
import { createSession, readFacts, readUpdatedMs, type SessionFacts } from './sessionFacts';
import { diskKeeper, type KeeperParts, noKeeper } from './sessionKeeper';
import { StoreError, storeErrorFrom } from './storeError';
import { isSessionFolderName, pathsIn, sessionPaths, type SessionPaths, storeLayout } from './storeLayout';
import { readCheckpoint, type StoredCheckpoint } from './storedRow';
import { StoredSession } from './storedSession';

export interface NewSession {
  /** Any text; one is drawn without it. */
  readonly id?: string;
  readonly cwd: string;
  readonly model?: string;
  /** False: nothing of the session is written, ever. */
  readonly persist?: boolean;
}

export interface ForkedSession {
  /** One is drawn without it. */
  readonly id?: string;
  /** uuid of the message that the fork ends with; all of the session without it. */
  readonly at?: string;
}

export interface ListedSession extends SessionFacts {
  /** When something was last kept of it, in milliseconds since the epoch. */
  readonly updatedMs: number;
}

export interface StoreParts extends KeeperParts {
  /** Absolute path of Claude Code's config folder. */
  readonly configDir: () => string;
}

/** What a process left half made is its own for so long. */
const UNFINISHED_MS = 3_600_000;
const NOTHING = { messages: [], torn: 0, after: null };

/**
 * Sessions of our own, and the checkpoints of sessions of any tool. Any number of threads and processes may use one
 * store at the same time. All methods reject with a StoreError.
 */
export class SessionStore {
  constructor(private readonly parts: StoreParts) {}

  /** `exists` when there is a session of that id. */
  create(session: NewSession): Promise<StoredSession> {
    return guarded('create a session', async () => {
      const facts = this.#factsOf(session);
      if (session.persist === false) return new StoredSession(facts, noKeeper(this.parts), NOTHING);
      const paths = this.#pathsOf(facts.id);
      if (!(await createSession(paths, facts, this.parts))) throw exists(facts.id);
      return new StoredSession(facts, diskKeeper(paths, this.parts), NOTHING);
    });
  }

  /** As it is by what was kept of it. */
  load(id: string): Promise<StoredSession> {
    return this.resume(id);
  }

  /**
   * The session of a working directory of which something was kept last; null when there is none. A folder is the same by
   * whichever of its names.
   */
  async latest(cwd: string): Promise<StoredSession | null> {
    const { fs } = this.parts;
    const named = resolve(cwd);
    const real = await fs.realpath(named).catch(() => named);
    for (const session of await this.list()) {
      const isSame =
        session.cwd === named || session.cwd === real || (await fs.realpath(session.cwd).catch(() => null)) === real;
      if (isSame) return this.load(session.id);
    }
    return null;
  }

  /**
   * The session as it was when it ended with message `at`, or as it is. What is appended then follows that message; what
   * followed it before stays in the file and is no part of the session any more.
   */
  resume(id: string, at?: string): Promise<StoredSession> {
    return guarded('load a session', async () => {
      const paths = this.#pathsOf(id);
      const facts = await readFacts(paths, this.parts.fs);
      if (facts === null) throw new StoreError('missing', `There is no session ${id}`);
      const { messages, torn } = await readMessages(paths.messages, this.parts.fs);
      const end = at === undefined ? messages.length : messages.findLastIndex(({ uuid }) => uuid === at) + 1;
      if (at !== undefined && end === 0) throw new StoreError('unknown-message', `There is no message ${at} in ${id}`);
      const after = end === messages.length ? null : (at ?? null);
      const loaded = { messages: messages.slice(0, end), torn, after };
      return new StoredSession(facts, diskKeeper(paths, this.parts), loaded);
    });
  }

  /** A session of its own that begins as the other does, and has its checkpoints up to there. */
  fork(id: string, { id: forkId, at }: ForkedSession = {}): Promise<StoredSession> {
    return guarded('fork a session', async () => {
      const { fs, now, random } = this.parts;
      const { facts: source, messages } = await this.resume(id, at);
      const facts = { ...source, id: forkId ?? random(), parentSessionId: id, createdMs: now() };
      const from = this.#pathsOf(id);
      const all = await this.checkpoints(id);
      const checkpoints = at === undefined ? all : checkpointsOf(messages, all);
      const fill = (unfinished: string): Promise<void> =>
        copySession({ messages, checkpoints, content: from.content }, pathsIn(unfinished, this.#layout), {
          fs,
          random,
        });
      const paths = this.#pathsOf(facts.id);
      if (!(await createSession(paths, facts, this.parts, fill))) throw exists(facts.id);
      return new StoredSession(facts, diskKeeper(paths, this.parts), { ...NOTHING, messages });
    });
  }

  /** Removes what is the session's own; what others share stays. False when there is none. */
  async delete(id: string): Promise<boolean> {
    return (await this.deleteAll([id])).length > 0;
  }

  /** As `delete`, for the time that one takes. Resolves to those that there were. */
  deleteAll(ids: readonly string[]): Promise<readonly string[]> {
    return guarded('delete a session', async () => {
      const { sessions, pool } = this.#layout;
      const deleted: string[] = [];
      for (const id of ids) if (await removeSessionFolder(this.#pathsOf(id).folder, this.parts)) deleted.push(id);
      await clearStore(sessions, pool, this.parts.now() - UNFINISHED_MS, this.parts.fs);
      return deleted;
    });
  }

  /** Newest first. */
  list(): Promise<readonly ListedSession[]> {
    return guarded('list sessions', async () => {
      const { fs } = this.parts;
      const layout = this.#layout;
      const listed: ListedSession[] = [];
      for (const name of await readNames(layout.sessions, this.parts)) {
        const paths = pathsIn(join(layout.sessions, name), layout);
        const facts = isSessionFolderName(name) ? await readFacts(paths, fs) : null;
        if (facts !== null) listed.push({ ...facts, updatedMs: await readUpdatedMs(paths, facts, fs) });
      }
      return listed.sort((a, b) => b.updatedMs - a.updatedMs || b.createdMs - a.createdMs);
    });
  }

  /** Oldest first; none when there is no such session. */
  checkpoints(id: string): Promise<readonly StoredCheckpoint[]> {
    return guarded('read checkpoints', async () => {
      const { rows } = await readRows(this.#pathsOf(id).checkpoints, this.parts.fs);
      return rows.flatMap((row) => readCheckpoint(row) ?? []);
    });
  }

  /** Of who only adds to a session: without its messages. It is made when it is missing. */
  open(id: string, cwd: string): Promise<StoredSession> {
    return guarded('open a session', async () => {
      const paths = this.#pathsOf(id);
      const known = await readFacts(paths, this.parts.fs);
      const facts = known ?? this.#factsOf({ id, cwd });
      // Another process may make it at the same time: then it is there, too.
      if (known === null) await createSession(paths, facts, this.parts);
      return new StoredSession(facts, diskKeeper(paths, this.parts), NOTHING);
    });
  }

  get #layout() {
    return storeLayout(this.parts.configDir());
  }

  #pathsOf(id: string): SessionPaths {
    return sessionPaths(this.#layout, id);
  }

  #factsOf({ id, cwd, model }: NewSession): SessionFacts {
    return {
      id: id ?? this.parts.random(),
      cwd: resolve(cwd),
      model: model ?? null,
      parentSessionId: null,
      createdMs: this.parts.now(),
    };
  }
}

async function readNames(folder: string, { fs }: StoreParts): Promise<readonly string[]> {
  // No folder is an empty store; so is one that cannot be listed, for whoever looks for sessions.
  return fs.readdir(folder).catch(() => []);
}

function exists(id: string): StoreError {
  return new StoreError('exists', `There is a session ${id} already`);
}

async function guarded<Result>(doing: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw storeErrorFrom(doing, error);
  }
}

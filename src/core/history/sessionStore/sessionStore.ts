/*
 * Rethread's own sessions, kept on disk with the checkpoints (for the layout, see ../checkpoints/README.md).
 *
 * In: messages and rows of the full stream, as JSON objects; paths of files that a tool call is about to change.
 * Out: sessions as they were kept, even after a crash. They can be created, loaded, found by their working directory,
 * resumed at a message, forked and deleted.
 * Never: a write for a session with `persist: false`, a change to rows that were kept, or access to Claude Code's own
 * transcripts.
 *
 * This module is parked: only its tests import it, and it is in no bundle.
 */
import { resolve } from 'node:path';
import { writeForkedSession } from '../../storage/forkedSession';
import type { WriteFs } from '../../storage/writeFs';
import { type JsonObject, objectField, stringField } from '../../util/json';
import {
  CheckpointedSession,
  CheckpointStore,
  createSession,
  storeErrorsOf,
  keepRow,
  readSessionInfo,
  type StoredSessionInfo,
  type StoreDeps,
  StoreError,
} from '../checkpoints/checkpointStore';
import { readRows } from '../checkpoints/readRows';
import { pathsIn, type SessionPaths } from '../checkpoints/storeLayout';
import { numberField, type StoredCheckpoint } from '../checkpoints/storedRow';

export interface NewSession {
  /** Any text; a random id by default. */
  readonly id?: string;
  readonly cwd: string;
  readonly model?: string;
  /** True by default. If false, nothing about the session is ever written. */
  readonly persist?: boolean;
}

export interface ForkedSession {
  /** A random id by default. */
  readonly id?: string;
  /** uuid of the last message of the fork; by default, the fork has all messages. */
  readonly at?: string;
}

/** A message of one of Rethread's own sessions. */
export interface StoredMessage {
  readonly uuid: string;
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
  readonly body: JsonObject;
}

const NOTHING: LoadedSession = { messages: [], torn: 0, after: null };

/**
 * Rethread's own sessions with their messages and checkpoints. Any number of threads and processes may use one store at
 * the same time. All methods reject with a StoreError.
 */
export class SessionStore extends CheckpointStore {
  /** Rejects with `exists` if there is a session with that id. */
  create({ id = this.deps.random(), cwd, model, persist = true }: NewSession): Promise<StoredSession> {
    return storeErrorsOf('create a session', async () => {
      const info = this.infoOf({ id, cwd, model: model ?? null });
      if (!persist) return new StoredSession(info, null, this.deps, NOTHING);
      const paths = this.pathsOf(id);
      if (!(await createSession(paths, info, this.deps))) throw exists(id);
      return new StoredSession(info, paths, this.deps, NOTHING);
    });
  }

  /** Loads the session with all its messages. Rejects with `missing` if there is no such session. */
  load(id: string): Promise<StoredSession> {
    return this.resume(id);
  }

  /**
   * The session of a working directory to which a row was added last; null if there is none. Paths that lead to the
   * same real folder count as equal.
   */
  async latest(cwd: string): Promise<StoredSession | null> {
    const { fs } = this.deps;
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
   * Loads the session up to message `at`, or all of it. The next appended message then follows `at`. The messages that
   * followed it before stay in the file, but are no longer part of the session. Rejects with `missing` or
   * `unknown-message`.
   */
  resume(id: string, at?: string): Promise<StoredSession> {
    return storeErrorsOf('load a session', async () => {
      const paths = this.pathsOf(id);
      const info = await readSessionInfo(paths, this.deps.fs);
      if (info === null) throw new StoreError('missing', `There is no session ${id}`);
      const { messages, torn } = await readMessages(paths.messages, this.deps.fs);
      const end = at === undefined ? messages.length : messages.findLastIndex(({ uuid }) => uuid === at) + 1;
      if (at !== undefined && end === 0) throw new StoreError('unknown-message', `There is no message ${at} in ${id}`);
      const after = end === messages.length ? null : (at ?? null);
      return new StoredSession(info, paths, this.deps, { messages: messages.slice(0, end), torn, after });
    });
  }

  /** Creates a session with the messages of another one, up to `at`, and with the checkpoints up to there. */
  fork(id: string, { id: forkId, at }: ForkedSession = {}): Promise<StoredSession> {
    return storeErrorsOf('fork a session', async () => {
      const { now, random } = this.deps;
      const { info: source, messages } = await this.resume(id, at);
      const info = { ...source, id: forkId ?? random(), parentSessionId: id, createdMs: now() };
      const all = await this.checkpoints(id);
      const checkpoints = at === undefined ? all : checkpointsOf(messages, all);
      const content = {
        messages: messages.map((message) => messageRow({ ...message, after: null })),
        checkpoints: checkpoints.map((checkpoint) => ({ ...checkpoint })),
        hashes: keptHashes(checkpoints),
        copies: this.pathsOf(id).content,
      };
      const fill = (unfinished: string): Promise<void> =>
        writeForkedSession(content, pathsIn(unfinished, this.layout), this.deps);
      const paths = this.pathsOf(info.id);
      if (!(await createSession(paths, info, this.deps, fill))) throw exists(info.id);
      return new StoredSession(info, paths, this.deps, { ...NOTHING, messages });
    });
  }

  /** Removes the session. Copies that other sessions share are kept. False if there is no such session. */
  async delete(id: string): Promise<boolean> {
    return (await this.deleteAll([id])).length > 0;
  }

  /** Opens a session to append to it, without loading its messages. Creates the session if it is missing. */
  override async open(id: string, cwd: string): Promise<StoredSession> {
    const { info } = await super.open(id, cwd);
    return new StoredSession(info, this.pathsOf(id), this.deps, NOTHING);
  }
}

interface LoadedSession {
  readonly messages: readonly StoredMessage[];
  /** Number of lines that are not rows, because the process that wrote them died. */
  readonly torn: number;
  /** uuid of the message that the next one follows, if that is not the last one in the file; null otherwise. */
  readonly after: string | null;
}

/** An open session. Any number of threads and processes may open one session at once. */
export class StoredSession extends CheckpointedSession {
  readonly torn: number;
  readonly #messages: StoredMessage[];
  #after: string | null;

  /** @param paths null for a session that keeps nothing */
  constructor(info: StoredSessionInfo, paths: SessionPaths | null, deps: StoreDeps, loaded: LoadedSession) {
    super(info, paths, deps);
    this.#messages = [...loaded.messages];
    this.#after = loaded.after;
    this.torn = loaded.torn;
  }

  /** The messages that were loaded, and those that this object has appended since. */
  get messages(): readonly StoredMessage[] {
    return this.#messages;
  }

  /**
   * Keeps a message. Rejects with a StoreError if it could not be kept; only this message is lost then.
   *
   * @param uuid a random one by default
   */
  async append(body: JsonObject, uuid?: string): Promise<StoredMessage> {
    const message = { uuid: uuid ?? this.deps.random(), timeMs: this.deps.now(), body };
    const after = this.#after;
    this.#after = null;
    try {
      if (this.paths !== null) {
        await keepRow(this.paths.messages, 'messages', messageRow({ ...message, after }), this.deps);
      }
    } catch (error) {
      this.#after ??= after;
      throw error;
    }
    this.#messages.push(message);
    return message;
  }

  /** Keeps a row of the full stream, for audit. It is not part of the messages. Rejects with a StoreError. */
  async record(entry: JsonObject): Promise<void> {
    if (this.paths === null) return;
    await keepRow(this.paths.transcript, 'transcript', { timeMs: this.deps.now(), entry }, this.deps);
  }
}

interface MessageRow extends StoredMessage {
  /** uuid of the message that it follows, if the session was resumed there; null if it follows the previous row. */
  readonly after: string | null;
}

export function messageRow({ uuid, timeMs, after, body }: MessageRow): JsonObject {
  return { uuid, timeMs, ...(after === null ? {} : { after }), body };
}

/** The messages that are part of the session, in order. Rejects with Node's error. */
export async function readMessages(path: string, fs: WriteFs): Promise<Omit<LoadedSession, 'after'>> {
  const { rows, torn } = await readRows(path, fs);
  const messages: StoredMessage[] = [];
  for (const row of rows) {
    const read = readMessage(row);
    if (read === null) continue;
    const { after, ...message } = read;
    if (after !== null) dropAfter(messages, after);
    messages.push(message);
  }
  return { messages, torn };
}

/** Null for a row that is not a message. */
function readMessage(row: JsonObject): MessageRow | null {
  const uuid = stringField(row, 'uuid');
  const body = objectField(row, 'body');
  if (uuid === null || body === null) return null;
  return { uuid, timeMs: numberField(row, 'timeMs') ?? 0, after: stringField(row, 'after'), body };
}

/** Removes the messages after the one at which the session was resumed. */
function dropAfter(messages: StoredMessage[], uuid: string): void {
  const at = messages.findLastIndex((message) => message.uuid === uuid);
  if (at >= 0) messages.length = at + 1;
}

/** The checkpoints of the turns that the messages belong to. */
function checkpointsOf(
  messages: readonly StoredMessage[],
  checkpoints: readonly StoredCheckpoint[],
): readonly StoredCheckpoint[] {
  const uuids = new Set(messages.map(({ uuid }) => uuid));
  const endMs = messages.at(-1)?.timeMs ?? 0;
  return checkpoints.filter(({ promptUuid, timeMs }) =>
    promptUuid === null ? timeMs <= endMs : uuids.has(promptUuid),
  );
}

function keptHashes(checkpoints: readonly StoredCheckpoint[]): ReadonlySet<string> {
  const states = checkpoints.flatMap(({ files }) => files.map(({ state }) => state));
  return new Set(states.flatMap((state) => (state.kind === 'file' ? [state.sha256] : [])));
}

function exists(id: string): StoreError {
  return new StoreError('exists', `There is a session ${id} already`);
}

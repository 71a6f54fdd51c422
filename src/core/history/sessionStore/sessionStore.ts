/*
 * Sessions of our own, kept on disk beside the checkpoints (their layout: ../../checkpoints/README.md).
 *
 * In: messages and rows of the full stream, as JSON objects; paths of files that a tool call is about to change.
 * Out: sessions as they were kept, also after a crash: created, loaded, the latest of a folder, resumed at a message,
 * forked, deleted.
 * Never: it writes nothing of a session with `persist: false`, changes nothing that was kept, and knows nothing of Claude
 * Code's own transcripts.
 *
 * This module is parked: only its tests import it, and no bundle holds it, until a face uses it.
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

/** A message of a session of ours. */
export interface StoredMessage {
  readonly uuid: string;
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
  readonly body: JsonObject;
}

const NOTHING: LoadedSession = { messages: [], torn: 0, after: null };

/**
 * Sessions of our own with their messages and checkpoints. Any number of threads and processes may use one store at the
 * same time. All methods reject with a StoreError.
 */
export class SessionStore extends CheckpointStore {
  /** `exists` when there is a session of that id. */
  create({ id = this.deps.random(), cwd, model, persist = true }: NewSession): Promise<StoredSession> {
    return storeErrorsOf('create a session', async () => {
      const info = this.infoOf({ id, cwd, model: model ?? null });
      if (!persist) return new StoredSession(info, null, this.deps, NOTHING);
      const paths = this.pathsOf(id);
      if (!(await createSession(paths, info, this.deps))) throw exists(id);
      return new StoredSession(info, paths, this.deps, NOTHING);
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
   * The session as it was when it ended with message `at`, or as it is. What is appended then follows that message; what
   * followed it before stays in the file and is no part of the session any more.
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

  /** A session of its own that begins as the other does, and has its checkpoints up to there. */
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

  /** Removes what is the session's own; what others share stays. False when there is none. */
  async delete(id: string): Promise<boolean> {
    return (await this.deleteAll([id])).length > 0;
  }

  /** Of who only adds to a session: without its messages. It is made when it is missing. */
  override async open(id: string, cwd: string): Promise<StoredSession> {
    const { info } = await super.open(id, cwd);
    return new StoredSession(info, this.pathsOf(id), this.deps, NOTHING);
  }
}

interface LoadedSession {
  readonly messages: readonly StoredMessage[];
  /** Lines that are no message: cut when their writer died. */
  readonly torn: number;
  /** The message that the next one follows, though it is not the last one that was kept. */
  readonly after: string | null;
}

/** A session of ours that is open. Several may be open on one session, in any threads and processes. */
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

  /** Those that were there when it was opened, and those that were appended here since. */
  get messages(): readonly StoredMessage[] {
    return this.#messages;
  }

  /**
   * Keeps a message. Rejects with a StoreError when it could not be kept; nothing but this message is lost then.
   *
   * @param uuid one is drawn without it
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

  /** Keeps a row of the full stream, for audit; it is no message. Rejects with a StoreError. */
  async record(entry: JsonObject): Promise<void> {
    if (this.paths === null) return;
    await keepRow(this.paths.transcript, 'transcript', { timeMs: this.deps.now(), entry }, this.deps);
  }
}

interface MessageRow extends StoredMessage {
  /** The message that it follows, when that was not the last one: what came after that was left. */
  readonly after: string | null;
}

export function messageRow({ uuid, timeMs, after, body }: MessageRow): JsonObject {
  return { uuid, timeMs, ...(after === null ? {} : { after }), body };
}

/** The messages that a session consists of, in order. Rejects with Node's error. */
export async function readMessages(path: string, fs: WriteFs): Promise<Omit<LoadedSession, 'after'>> {
  const { rows, torn } = await readRows(path, fs);
  const messages: StoredMessage[] = [];
  for (const row of rows) {
    const read = readMessage(row);
    if (read === null) continue;
    const { after, ...message } = read;
    if (after !== null) leaveAfter(messages, after);
    messages.push(message);
  }
  return { messages, torn };
}

/** Null for a row that is no message. */
function readMessage(row: JsonObject): MessageRow | null {
  const uuid = stringField(row, 'uuid');
  const body = objectField(row, 'body');
  if (uuid === null || body === null) return null;
  return { uuid, timeMs: numberField(row, 'timeMs') ?? 0, after: stringField(row, 'after'), body };
}

/** What came after a message was left when the session was resumed there. */
function leaveAfter(messages: StoredMessage[], uuid: string): void {
  const at = messages.findLastIndex((message) => message.uuid === uuid);
  if (at >= 0) messages.length = at + 1;
}

/** The checkpoints of the turns that the messages are of. */
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

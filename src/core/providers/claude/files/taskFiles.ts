import { configDirOf, sessionIdOf } from '../format/paths';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readId, readTaskFields, readTodoList, type TaskFields, type TodoEntry } from '../format/taskCalls';
import { parseObject } from '../../../util/json';
import { openRegularHandle } from '../../../util/openForeignFile';

/** A list as stored on disk by the client, and when it was written (milliseconds since the epoch). */
export type FiledList =
  | { readonly source: 'tasks'; readonly mtimeMs: number; readonly tasks: ReadonlyMap<string, TaskFields> }
  | { readonly source: 'todos'; readonly mtimeMs: number; readonly entries: readonly TodoEntry[] };

export interface FiledTasks {
  /** Null if there is none. */
  readonly tasks: (FiledList & { readonly source: 'tasks' }) | null;
  readonly todos: (FiledList & { readonly source: 'todos' }) | null;
  /** Absolute paths. */
  readonly malformed: readonly string[];
  readonly duplicates: readonly string[];
}

const NO_FILES: FiledTasks = { tasks: null, todos: null, malformed: [], duplicates: [] };

/** Files read for one session. */
const MAX_FILES = 20_000;
const MAX_TASK_BYTES = 256 * 1024;
const MAX_TODOS_BYTES = 16 * 1024 * 1024;
/** At most this many files are read at the same time. */
const MAX_PARALLEL_READS = 16;
/** Checks that only stat the folder before the next full read: not every write changes a folder. */
const CHECKS_BETWEEN_READS = 10;

interface KnownFile {
  readonly stamp: string;
  readonly id: string | null;
  readonly fields: TaskFields | null;
  readonly mtimeMs: number;
}

/**
 * The tasks that the client stores for a session beside its transcript: `tasks/<session>/<id>.json`, and
 * `todos/<session>-agent-<session>.json` of older clients. The files are never written. (docs/tasks.md)
 */
export class TaskFiles {
  readonly #folder: string | null;
  readonly #todos: string | null;
  readonly #known = new Map<string, KnownFile>();
  #filed = NO_FILES;
  #stamp = '';
  #checksLeft = 0;
  #version = 0;

  constructor(filePath: string) {
    const configDir = configDirOf(filePath);
    const sessionId = sessionIdOf(filePath);
    this.#folder = configDir === null ? null : join(configDir, 'tasks', sessionId);
    this.#todos = configDir === null ? null : join(configDir, 'todos', `${sessionId}-agent-${sessionId}.json`);
  }

  /** Whether the transcript is in a config folder. */
  get hasPlace(): boolean {
    return this.#folder !== null;
  }

  /** The tasks as last read. */
  get filed(): FiledTasks {
    return this.#filed;
  }

  /** Increases when anything in `filed` changes. */
  get version(): number {
    return this.#version;
  }

  /** Reads what changed. Never rejects: files that are missing or cannot be read are skipped. */
  async refresh(): Promise<void> {
    if (this.#folder === null || this.#todos === null) return;
    const gate = `${await stampOf(this.#folder)} ${await stampOf(this.#todos)}`;
    if (gate === this.#stamp && this.#checksLeft > 0) {
      this.#checksLeft--;
      return;
    }
    this.#stamp = gate;
    this.#checksLeft = CHECKS_BETWEEN_READS;
    const filed = await this.#read(this.#folder, this.#todos);
    if (isSame(filed, this.#filed)) return;
    this.#filed = filed;
    this.#version++;
  }

  async #read(folder: string, todosPath: string): Promise<FiledTasks> {
    const malformed: string[] = [];
    const duplicates: string[] = [];
    const names = (await namesIn(folder)).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
    const paths = names.slice(0, MAX_FILES).map((name) => join(folder, name));
    for (let at = 0; at < paths.length; at += MAX_PARALLEL_READS) {
      await Promise.all(paths.slice(at, at + MAX_PARALLEL_READS).map((path) => this.#readFile(path)));
    }
    const listed = new Set(paths);
    for (const path of this.#known.keys()) if (!listed.has(path)) this.#known.delete(path);
    const tasks = new Map<string, TaskFields>();
    const owners = new Map<string, string>();
    let mtimeMs = 0;
    for (const path of paths) {
      const file = this.#known.get(path);
      if (file === undefined) continue;
      mtimeMs = Math.max(mtimeMs, file.mtimeMs);
      if (file.id === null || file.fields === null) {
        malformed.push(path);
        continue;
      }
      const owner = owners.get(file.id);
      // If two files have the same id, the client's file is the one with that name.
      const isNamed = basename(path, '.json') === file.id;
      if (owner === undefined || isNamed) {
        tasks.set(file.id, file.fields);
        owners.set(file.id, path);
      }
      if (owner !== undefined) duplicates.push(isNamed ? owner : path);
    }
    const folderMs = (await statOf(folder))?.mtimeMs ?? null;
    const todos = await readTodos(todosPath);
    if (todos === 'malformed') malformed.push(todosPath);
    return {
      tasks: folderMs === null ? null : { source: 'tasks', mtimeMs: Math.max(mtimeMs, folderMs), tasks },
      todos: todos === 'malformed' ? null : todos,
      malformed,
      duplicates,
    };
  }

  async #readFile(path: string): Promise<void> {
    const stats = await statOf(path);
    if (stats === null) {
      this.#known.delete(path);
      return;
    }
    const stamp = `${stats.size} ${stats.mtimeMs}`;
    if (this.#known.get(path)?.stamp === stamp) return;
    const object = stats.size > MAX_TASK_BYTES ? null : parseObject((await textOf(path)) ?? '');
    const fields = object === null ? null : readTaskFields(object);
    const id = object === null || fields?.subject === null ? null : readId(object['id']);
    this.#known.set(path, { stamp, id, fields, mtimeMs: stats.mtimeMs });
  }
}

async function readTodos(path: string): Promise<FiledTasks['todos'] | 'malformed'> {
  const stats = await statOf(path);
  if (stats === null) return null;
  const text = stats.size > MAX_TODOS_BYTES ? null : await textOf(path);
  if (text === null) return 'malformed';
  try {
    const list = readTodoList(JSON.parse(text));
    return list === null ? 'malformed' : { source: 'todos', mtimeMs: stats.mtimeMs, entries: list.entries };
  } catch {
    return 'malformed';
  }
}

async function statOf(path: string): Promise<{ readonly size: number; readonly mtimeMs: number } | null> {
  try {
    const { size, mtimeMs } = await stat(path);
    return { size, mtimeMs };
  } catch {
    return null;
  }
}

async function stampOf(path: string): Promise<string> {
  const stats = await statOf(path);
  return stats === null ? '-' : `${stats.size}:${stats.mtimeMs}`;
}

async function textOf(path: string): Promise<string | null> {
  try {
    const { file } = await openRegularHandle(path);
    try {
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

/** Sorted, so that the order is always the same. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch {
    return [];
  }
}

function isSame(one: FiledTasks, other: FiledTasks): boolean {
  const plain = ({ tasks, ...rest }: FiledTasks): string =>
    JSON.stringify([tasks === null ? null : [tasks.mtimeMs, ...tasks.tasks], rest]);
  return plain(one) === plain(other);
}

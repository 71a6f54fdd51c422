import type { Task, TaskList, TaskNote } from '../../../protocol/task';
import { isSubagentFinished, type SubagentIndex } from '../../providers/claude/files/subagents';
import { type FiledTasks, TaskFiles } from '../../providers/claude/files/taskFiles';
import type { ConversationOrder } from '../order/conversationOrder';
import { SessionParts, type SessionPartsDeps } from '../sessionParts';
import type { TranscriptState } from '../transcriptState';
import { finishTasks, progressOf, type SubagentState } from './finishList';
import { compareIds, type ReducedList, type ReducedTasks, reduceTasks, setFields } from './reduceTasks';
import { newDraft, type TaskDraft } from './taskDraft';
import { TaskLog, taskSteps } from './taskLog';

export interface SessionTasksDeps extends SessionPartsDeps {
  /** Whether a client is running the session. */
  readonly isLive: (sessionId: string) => boolean;
}

/** The maximum number of entries that a list contains. */
export interface TaskLimits {
  readonly tasks: number;
  readonly history: number;
}

export const NO_LIMITS: TaskLimits = { tasks: Infinity, history: Infinity };

/** The tasks of the transcript, valid for one version of the log and one order of the chain. */
interface Reading {
  /** Increases with each reading. */
  readonly number: number;
  readonly logVersion: number;
  readonly order: ConversationOrder;
  readonly reduced: ReducedTasks;
  readonly otherBranches: number;
}

/**
 * The tasks of one session. Its owner refreshes and closes it. A refresh reads only what was appended to the
 * transcript, and rebuilds the list only if that contains tasks.
 */
export class SessionTasks {
  readonly #deps: SessionTasksDeps;
  readonly #parts: SessionParts;
  readonly #log = new TaskLog();
  readonly #files: TaskFiles;
  #reading: Reading | null = null;
  #readings = 0;
  /** The state whose rows have all been read into the log. */
  #stateRead: TranscriptState | null = null;
  #title: string | null = null;
  #revision = 0;
  /** Everything that the list depends on, as of the last list. */
  #madeOf = '';

  constructor(deps: SessionTasksDeps) {
    this.#deps = deps;
    this.#parts = new SessionParts(deps, () => {
      this.#log.clear();
      this.#reading = null;
      this.#stateRead = null;
    });
    this.#files = new TaskFiles(deps.filePath);
  }

  get filePath(): string {
    return this.#deps.filePath;
  }

  close(): void {
    this.#parts.close();
  }

  /** Checks the transcript and the files. Resolves to true if there is a new list to send. Never rejects. */
  async refresh(): Promise<boolean> {
    await this.#parts.file.refresh();
    return this.noteChanges();
  }

  /** Like `refresh`, after another reader has checked the transcript. */
  async noteChanges(): Promise<boolean> {
    this.#parts.file.noteChanges();
    await this.#files.refresh();
    this.#parts.subagents.refresh();
    await this.#read();
    const madeOf = this.#ingredients();
    if (madeOf === this.#madeOf) return false;
    this.#madeOf = madeOf;
    this.#revision++;
    return true;
  }

  /** The list as of the last refresh. */
  list(limits: TaskLimits): TaskList {
    const { filePath } = this.#deps;
    const { filed } = this.#files;
    const { isLive, sessionId } = this;
    const reduced = this.#reading?.reduced ?? reduceTasks([]);
    const { list, origin } = chooseList(reduced, filed);
    const agent = (callId: string, agentId: string | null): ReturnType<typeof subagentState> =>
      subagentState(this.#parts.subagents, callId, agentId);
    const all = this.#parts.problem === null ? finishTasks(list, { isLive, agent }) : [];
    const history = this.#parts.problem === null ? list.history : [];
    const told = limits.history === Infinity ? history : history.slice(-limits.history);
    const notes: readonly TaskNote[] = listNotes(all, {
      filed,
      hasPlace: this.#files.hasPlace,
      otherBranches: this.#reading?.otherBranches ?? 0,
      malformedLines: reduced.malformedLines,
    });
    return {
      revision: this.#revision,
      sessionId,
      filePath,
      title: this.#title,
      isLive,
      source: all.length === 0 && history.length === 0 ? 'none' : list.source,
      origin,
      tasks: limits.tasks === Infinity ? all : all.slice(0, limits.tasks),
      moreTasks: Math.max(0, all.length - limits.tasks),
      progress: progressOf(all),
      history: told,
      moreHistory: list.droppedHistory + history.length - told.length,
      notes,
      problem: this.#parts.problem,
    };
  }

  get sessionId(): string {
    return this.#parts.session.id;
  }

  get isLive(): boolean {
    return this.#deps.isLive(this.sessionId);
  }

  async #read(): Promise<void> {
    if (this.#stateRead !== null && this.#stateRead === this.#parts.file.state) return;
    await this.#parts.answers.askRefreshed(async (state, rows, pause) => {
      if (!(await this.#log.read(rows, pause))) return null;
      this.#note(state);
      this.#stateRead = state;
      return true;
    });
  }

  /** Rows that continue the chain do not affect the steps before them. */
  #note(state: TranscriptState): void {
    this.#title = state.session.metadata.title;
    const order = state.order({ kind: 'chain' });
    const logVersion = this.#log.version;
    if (this.#reading?.logVersion === logVersion && this.#reading.order === order) return;
    const { steps, otherBranches } = taskSteps(state, this.#log);
    this.#reading = { number: ++this.#readings, logVersion, order, reduced: reduceTasks(steps), otherBranches };
  }

  #ingredients(): string {
    const { version } = this.#files;
    const { revision } = this.#parts.subagents;
    return [this.#reading?.number, version, revision, String(this.isLive), this.#title, this.#parts.problem].join('\n');
  }
}

/** The path of a subagent's transcript, and whether its `meta.json` marks it as finished. Never throws. */
function subagentState(subagents: SubagentIndex, callId: string, agentId: string | null): SubagentState {
  const transcript = subagents.find(callId, agentId);
  return { transcript, isFinished: transcript !== null && isSubagentFinished(transcript) };
}

/** Maximum number of lines, paths or ids in a note. */
const MAX_NAMED = 20;

export interface NoteContext {
  readonly filed: FiledTasks;
  /** Whether the transcript is where the client would store task files. */
  readonly hasPlace: boolean;
  readonly otherBranches: number;
  readonly malformedLines: readonly number[];
}

/** Notes for people about a list. */
function listNotes(
  tasks: readonly Task[],
  { filed: { tasks: files, malformed, duplicates }, hasPlace, otherBranches, malformedLines }: NoteContext,
): readonly TaskNote[] {
  const ids = tasks.flatMap((task) => (task.kind === 'task' && task.isInCycle ? [task.id] : []));
  // A fork starts with an empty list, although its rows contain tasks. (docs/tasks.md)
  const lost = hasPlace && files === null ? tasks.filter(({ kind }) => kind === 'task').length : 0;
  const notes: readonly TaskNote[] = [
    { kind: 'otherBranches', count: otherBranches },
    { kind: 'malformedCalls', count: malformedLines.length, lines: malformedLines.slice(0, MAX_NAMED) },
    { kind: 'malformedFiles', count: malformed.length, paths: malformed.slice(0, MAX_NAMED) },
    { kind: 'duplicateIds', count: duplicates.length, paths: duplicates.slice(0, MAX_NAMED) },
    { kind: 'notKept', count: lost },
    { kind: 'cycles', count: ids.length, ids: ids.slice(0, MAX_NAMED) },
  ];
  return notes.filter(({ count }) => count > 0);
}

interface ChosenList {
  readonly list: ReducedList;
  readonly origin: 'transcript' | 'files';
}

/**
 * The client writes the files right before the row with the result. If a file is newer than that row by more than this,
 * something else changed it. Some file systems store times with a resolution of two seconds.
 */
const SLACK_MS = 2_000;

/**
 * Chooses between the transcript and the client's files. The files are used if they were written after the last row
 * that changed the list, or if no row has a time; in every other case the transcript is used. An empty `todos` file is
 * ignored, because clients leave one both when the list is finished and when it is not. (docs/tasks.md)
 */
function chooseList({ list, changedMs }: ReducedTasks, filed: FiledTasks): ChosenList {
  const fromTranscript: ChosenList = { list, origin: 'transcript' };
  const isNewer = (mtimeMs: number): boolean => changedMs === null || mtimeMs > changedMs + SLACK_MS;
  const tasks = filed.tasks !== null && isNewer(filed.tasks.mtimeMs) ? filed.tasks : null;
  const todos =
    filed.todos !== null && filed.todos.entries.length > 0 && isNewer(filed.todos.mtimeMs) ? filed.todos : null;
  // An empty folder means that the list was cleared, if there was one.
  const hasTasks = tasks !== null && (tasks.tasks.size > 0 || (list.source === 'tasks' && list.tasks.length > 0));
  if (tasks !== null && hasTasks && tasks.mtimeMs >= (todos?.mtimeMs ?? 0)) {
    return differing(list, { ...bare(list, 'tasks'), tasks: tasksOf(tasks.tasks, known(list, 'tasks')) });
  }
  if (todos === null) return fromTranscript;
  return differing(list, { ...bare(list, 'todos'), tasks: todosOf(todos.entries, known(list, 'todos')) });
}

/** The history from the transcript stays valid if the list is of the same kind. */
function bare<T extends 'tasks' | 'todos'>(
  list: ReducedList,
  source: T,
): Pick<ReducedList, 'history' | 'droppedHistory'> & { readonly source: T } {
  const isSame = list.source === source;
  return { source, history: isSame ? list.history : [], droppedHistory: isSame ? list.droppedHistory : 0 };
}

function known(list: ReducedList, source: 'tasks' | 'todos'): readonly TaskDraft[] {
  return list.source === source ? list.tasks : [];
}

/** The origin stays `transcript` if the files contain the same list. */
function differing(list: ReducedList, filed: ReducedList): ChosenList {
  return isSameList(list, filed) ? { list, origin: 'transcript' } : { list: filed, origin: 'files' };
}

function isSameList(one: ReducedList, other: ReducedList): boolean {
  if (one.source !== other.source || one.tasks.length !== other.tasks.length) return false;
  return one.tasks.every((task, at) => {
    const twin = other.tasks[at];
    return twin !== undefined && keyOf(task) === keyOf(twin);
  });
}

function keyOf({ id, subject, status, statusText, activeForm, owner, description, blockedBy }: TaskDraft): string {
  return JSON.stringify([id, subject, status, statusText, activeForm, owner, description, [...blockedBy].sort()]);
}

function tasksOf(files: (FiledTasks['tasks'] & object)['tasks'], before: readonly TaskDraft[]): readonly TaskDraft[] {
  const byId = new Map(before.map((task) => [task.id, task]));
  const tasks: TaskDraft[] = [];
  for (const [id, fields] of files) {
    const status = fields.status ?? { status: 'pending', text: null };
    if (status.status === 'deleted') continue;
    const task = placedAs(newDraft(id, '', null), byId.get(id));
    setFields(task, fields);
    task.status = status.status;
    task.statusText = status.text;
    for (const blocked of fields.blocks) task.blocks.add(blocked);
    for (const blocker of fields.blockedBy) task.blockedBy.add(blocker);
    tasks.push(task);
  }
  return tasks.sort((a, b) => compareIds(a.id, b.id));
}

function todosOf(
  entries: (FiledTasks['todos'] & object)['entries'],
  before: readonly TaskDraft[],
): readonly TaskDraft[] {
  const left = new Map<string, TaskDraft[]>();
  let lastId = 0;
  for (const task of before) {
    left.set(task.subject, [...(left.get(task.subject) ?? []), task]);
    lastId = Math.max(lastId, Number(task.id));
  }
  return entries.flatMap(({ subject, status, activeForm }) => {
    if (status.status === 'deleted') return [];
    const twin = left.get(subject)?.shift();
    const task = placedAs(newDraft(twin?.id ?? String(++lastId), subject, null), twin);
    task.status = status.status;
    task.statusText = status.text;
    task.activeForm = activeForm;
    return [task];
  });
}

function placedAs(task: TaskDraft, twin: TaskDraft | undefined): TaskDraft {
  task.createdAt = twin?.createdAt ?? null;
  task.changedAt = twin?.changedAt ?? null;
  return task;
}

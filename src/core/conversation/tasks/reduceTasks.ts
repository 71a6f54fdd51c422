import type { TaskChange, TaskPlace } from '../../../protocol/task';
import type { TaskFields, TodoEntry } from '../../providers/claude/format/taskCalls';
import { type AgentDraft, AgentWork } from './agentWork';
import { ChangeLog, newDraft, type TaskDraft } from './taskDraft';
import type { TaskStep } from './taskLog';

interface ReducedCommon {
  readonly history: readonly TaskChange[];
  readonly droppedHistory: number;
}

/** The list that results from the steps. */
export type ReducedList =
  | ({ readonly source: 'todos' | 'tasks'; readonly tasks: readonly TaskDraft[] } & ReducedCommon)
  | ({ readonly source: 'agents'; readonly tasks: readonly AgentDraft[] } & ReducedCommon);

export interface ReducedTasks {
  /** The list of the tool that was used last, or of the subagents if none was used. */
  readonly list: ReducedList;
  /** Time of the last call that changed the list, or of its result; null if there is none or no row has a time. */
  readonly changedMs: number | null;
  /** Lines of calls in a form that no client writes. */
  readonly malformedLines: readonly number[];
}

/** Applies the steps, oldest first. Rejected calls change nothing. */
export function reduceTasks(steps: readonly TaskStep[]): ReducedTasks {
  const todos = new TodoLists();
  const tasks = new SingleTasks();
  const agents = new AgentWork();
  const malformedLines: number[] = [];
  const listCalls = new Set<string>();
  let source: 'todos' | 'tasks' | 'agents' = 'agents';
  let changedMs: number | null = null;
  const noteTime = (timeMs: number | null): void => {
    if (timeMs !== null && timeMs > (changedMs ?? -Infinity)) changedMs = timeMs;
  };
  for (const step of steps) {
    const { at } = step;
    if (step.kind === 'notice') agents.notice(step.notice, at);
    if (step.kind === 'result') {
      agents.answer(step.result, at);
      if (listCalls.has(step.result.callId)) noteTime(at.timeMs);
    }
    if (step.kind !== 'call') continue;
    const { call, result } = step;
    if (call.kind === 'agent') agents.start(call.callId, call.subject, call.agentType, at);
    if (call.kind === 'malformed' || (call.kind === 'todos' && !call.isWhole)) malformedLines.push(at.line);
    if (call.kind === 'agent' || call.kind === 'malformed' || result?.isRefused === true) continue;
    if (call.kind === 'todos') todos.write(call.entries, at);
    else if (call.kind === 'update') tasks.update(call.taskId, call.fields, at);
    // Only the result contains the task's id.
    else if (result !== null && result.taskId !== null) tasks.create(result.taskId, call.fields, at);
    source = call.kind === 'todos' ? 'todos' : 'tasks';
    listCalls.add(call.callId);
    noteTime(at.timeMs);
  }
  return { list: listOf(source, { todos, tasks, agents }), changedMs, malformedLines };
}

function listOf(
  source: 'todos' | 'tasks' | 'agents',
  { todos, tasks, agents }: { readonly todos: TodoLists; readonly tasks: SingleTasks; readonly agents: AgentWork },
): ReducedList {
  const history = ({ changes, dropped }: ChangeLog): ReducedCommon => ({ history: changes, droppedHistory: dropped });
  switch (source) {
    case 'todos':
      return { source, tasks: todos.list, ...history(todos.changes) };
    case 'tasks':
      return { source, tasks: tasks.list, ...history(tasks.changes) };
    case 'agents':
      return { source, tasks: agents.list, ...history(agents.changes) };
  }
}

/** The tasks of TaskCreate and TaskUpdate, by their ids. */
class SingleTasks {
  readonly #tasks = new Map<string, TaskDraft>();
  readonly changes = new ChangeLog();

  /** Sorted by number, as Claude lists them. */
  get list(): readonly TaskDraft[] {
    return [...this.#tasks.values()].sort((a, b) => compareIds(a.id, b.id));
  }

  create(id: string, fields: TaskFields, at: TaskPlace): void {
    const task = newDraft(id, fields.subject ?? '', at);
    this.#tasks.set(id, task);
    setFields(task, fields);
    this.changes.added(task, at);
  }

  update(id: string, fields: TaskFields, at: TaskPlace): void {
    const task = this.#tasks.get(id);
    if (task === undefined) return;
    if (fields.status?.status === 'deleted') {
      this.#remove(task, at);
      return;
    }
    const { id: taskId, subject: before } = task;
    setFields(task, fields);
    const { subject } = task;
    if (subject !== before) this.changes.add({ kind: 'subject', taskId, subject, from: before, to: subject, at });
    if (fields.status !== null) {
      this.changes.setStatus(task, { status: fields.status.status, text: fields.status.text }, at);
    }
    for (const blocked of fields.blocks) this.#link(task, this.#tasks.get(blocked), blocked, at);
    for (const blocker of fields.blockedBy) this.#waitFor(task, blocker, at);
    task.changedAt = at;
  }

  #link(task: TaskDraft, blocked: TaskDraft | undefined, blockedId: string, at: TaskPlace): void {
    task.blocks.add(blockedId);
    if (blocked !== undefined) this.#waitFor(blocked, task.id, at);
  }

  #waitFor(task: TaskDraft, blockerId: string, at: TaskPlace): void {
    this.#tasks.get(blockerId)?.blocks.add(task.id);
    if (task.blockedBy.has(blockerId)) return;
    task.blockedBy.add(blockerId);
    task.changedAt = at;
    this.changes.add({ kind: 'blockedBy', taskId: task.id, subject: task.subject, ids: [...task.blockedBy], at });
  }

  /** The client also removes the id from the other tasks. */
  #remove(task: TaskDraft, at: TaskPlace): void {
    this.#tasks.delete(task.id);
    for (const id of [...task.blocks, ...task.blockedBy]) {
      this.#tasks.get(id)?.blocks.delete(task.id);
      this.#tasks.get(id)?.blockedBy.delete(task.id);
    }
    this.changes.removed(task, at);
  }
}

/** Sets the fields of a call or a file other than the status and the links. */
export function setFields(task: TaskDraft, { subject, description, activeForm, owner }: TaskFields): void {
  task.subject = subject ?? task.subject;
  task.description = description ?? task.description;
  task.activeForm = activeForm ?? task.activeForm;
  task.owner = owner ?? task.owner;
}

/** Sorts numeric ids by value, before all others. */
export function compareIds(a: string, b: string): number {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== y) return x - y;
  return a < b ? -1 : a > b ? 1 : 0;
}

function numberOf(id: string): number {
  return /^\d{1,15}$/.test(id) ? Number(id) : Number.MAX_SAFE_INTEGER;
}

/**
 * The list of TodoWrite, which each call replaces as a whole. Entries have no ids, so an entry is identified by its
 * text from list to list and receives a number when it first appears.
 */
class TodoLists {
  #list: readonly TaskDraft[] = [];
  #lastId = 0;
  readonly changes = new ChangeLog();

  get list(): readonly TaskDraft[] {
    return this.#list;
  }

  write(entries: readonly TodoEntry[], at: TaskPlace): void {
    const before = new Map<string, TaskDraft[]>();
    for (const task of this.#list) {
      const same = before.get(task.subject);
      if (same === undefined) before.set(task.subject, [task]);
      else same.push(task);
    }
    const list: TaskDraft[] = [];
    for (const { subject, status, activeForm } of entries) {
      // `deleted` is a status of TaskUpdate, which removes the task from the list.
      if (status.status === 'deleted') continue;
      const kept = { status: status.status, text: status.text };
      const known = before.get(subject)?.shift();
      const task = known ?? newDraft(String(++this.#lastId), subject, at);
      if (known === undefined) {
        task.status = kept.status;
        task.statusText = kept.text;
        this.changes.added(task, at);
      } else this.changes.setStatus(task, kept, at);
      task.activeForm = activeForm;
      list.push(task);
    }
    for (const same of before.values()) for (const gone of same) this.changes.removed(gone, at);
    this.#list = list;
  }
}

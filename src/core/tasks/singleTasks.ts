import type { TaskPlace } from '../../shared/task';
import type { TaskFields } from '../claude/taskCalls';
import { ChangeLog, newDraft, type TaskDraft } from './taskDraft';

/** The tasks of TaskCreate and TaskUpdate, by their ids. */
export class SingleTasks {
  readonly #tasks = new Map<string, TaskDraft>();
  readonly changes = new ChangeLog();

  /** As Claude lists them: by number. */
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

  /** The client takes the id out of the other tasks as well. */
  #remove(task: TaskDraft, at: TaskPlace): void {
    this.#tasks.delete(task.id);
    for (const id of [...task.blocks, ...task.blockedBy]) {
      this.#tasks.get(id)?.blocks.delete(task.id);
      this.#tasks.get(id)?.blockedBy.delete(task.id);
    }
    this.changes.removed(task, at);
  }
}

/** What a call, or a file, says beside the status and the links. */
export function setFields(task: TaskDraft, { subject, description, activeForm, owner }: TaskFields): void {
  task.subject = subject ?? task.subject;
  task.description = description ?? task.description;
  task.activeForm = activeForm ?? task.activeForm;
  task.owner = owner ?? task.owner;
}

/** Numbers by their size, before everything else. */
export function compareIds(a: string, b: string): number {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== y) return x - y;
  return a < b ? -1 : a > b ? 1 : 0;
}

function numberOf(id: string): number {
  return /^\d{1,15}$/.test(id) ? Number(id) : Number.MAX_SAFE_INTEGER;
}

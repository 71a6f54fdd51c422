import type { TaskChange, TaskPlace, TaskStatus } from '../../../protocol/task';
import type { StatedStatus } from '../../providers/claude/format/taskCalls';

/** A task while its list is being built. */
export interface TaskDraft {
  readonly id: string;
  subject: string;
  status: TaskStatus;
  statusText: string | null;
  activeForm: string | null;
  description: string | null;
  owner: string | null;
  readonly blocks: Set<string>;
  readonly blockedBy: Set<string>;
  createdAt: TaskPlace | null;
  changedAt: TaskPlace | null;
}

/** A status with which a task stays in its list. */
export interface KeptStatus extends StatedStatus {
  readonly status: TaskStatus;
}

export function newDraft(id: string, subject: string, at: TaskPlace | null): TaskDraft {
  return {
    id,
    subject,
    status: 'pending',
    statusText: null,
    activeForm: null,
    description: null,
    owner: null,
    blocks: new Set(),
    blockedBy: new Set(),
    createdAt: at,
    changedAt: at,
  };
}

/** Number of changes that are kept, the latest ones. */
const MAX_CHANGES = 20_000;

/** The changes of a list, oldest first. */
export class ChangeLog {
  readonly #changes: TaskChange[] = [];
  #dropped = 0;

  get changes(): readonly TaskChange[] {
    return this.#changes.slice(-MAX_CHANGES);
  }

  /** Number of older changes that were dropped. */
  get dropped(): number {
    return this.#dropped + Math.max(0, this.#changes.length - MAX_CHANGES);
  }

  add(change: TaskChange): void {
    this.#changes.push(change);
    if (this.#changes.length < 2 * MAX_CHANGES) return;
    this.#changes.splice(0, MAX_CHANGES);
    this.#dropped += MAX_CHANGES;
  }

  added(task: TaskDraft, at: TaskPlace): void {
    this.add({ kind: 'added', taskId: task.id, subject: task.subject, status: task.status, at });
  }

  removed(task: TaskDraft, at: TaskPlace): void {
    this.add({ kind: 'removed', taskId: task.id, subject: task.subject, at });
  }

  /** Changes the status and logs the change. Does nothing if the status is the same. */
  setStatus(task: TaskDraft, { status, text }: KeptStatus, at: TaskPlace): void {
    if (task.status === status && task.statusText === text) return;
    this.add({ kind: 'status', taskId: task.id, subject: task.subject, from: task.status, to: status, at });
    task.status = status;
    task.statusText = text;
    task.changedAt = at;
  }
}

import type { TaskPlace } from '../../shared/task';
import type { TodoEntry } from '../claude/taskCalls';
import { ChangeLog, newDraft, type TaskDraft } from './taskDraft';

/**
 * The list of TodoWrite: each call writes all of it. Entries have no ids, so that one goes by its text from list to list,
 * and is given a number when it first comes.
 */
export class TodoLists {
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
      // The word of another tool, which takes a task from its list.
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

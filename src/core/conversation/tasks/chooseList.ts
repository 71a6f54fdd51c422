import { compareIds, type ReducedList, type ReducedTasks, setFields } from './reduceTasks';
import { newDraft, type TaskDraft } from './taskDraft';
import type { FiledTasks } from '../../providers/claude/files/taskFiles';

export interface ChosenList {
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
export function chooseList({ list, changedMs }: ReducedTasks, filed: FiledTasks): ChosenList {
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

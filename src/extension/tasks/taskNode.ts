import type { Task, TaskChange, TaskList } from '../../protocol/task';

/** A task in the tree. */
export interface TaskNode {
  readonly kind: 'task';
  readonly filePath: string;
  readonly task: Task;
  /** A client is running the session. */
  readonly isLive: boolean;
  /** The task's changes, oldest first. */
  readonly changes: readonly TaskChange[];
  /** All tasks by id, to name the ones that this task waits for. */
  readonly others: ReadonlyMap<string, Task>;
}

/** A change of a task, shown below it. */
export interface ChangeNode {
  readonly kind: 'change';
  readonly filePath: string;
  readonly change: TaskChange;
  readonly index: number;
  readonly taskKind: Task['kind'];
}

/** Represents tasks that are not shown. */
export interface HiddenNode {
  readonly kind: 'hidden';
  readonly count: number;
}

export type TasksNode = TaskNode | ChangeNode | HiddenNode;

/** Converts the list to nodes. */
export function taskNodes(list: TaskList): readonly TasksNode[] {
  const { filePath, isLive, tasks, moreTasks } = list;
  const others = new Map(tasks.map((task) => [task.id, task]));
  const changes = new Map<string, TaskChange[]>();
  for (const change of list.history) {
    const known = changes.get(change.taskId);
    if (known === undefined) changes.set(change.taskId, [change]);
    else known.push(change);
  }
  const nodes = tasks.map((task): TaskNode => ({
    kind: 'task',
    filePath,
    task,
    isLive,
    changes: changes.get(task.id) ?? [],
    others,
  }));
  return moreTasks === 0 ? nodes : [...nodes, { kind: 'hidden', count: moreTasks }];
}

export function changeNodes({ filePath, changes, task }: TaskNode): readonly ChangeNode[] {
  return changes.map((change, index) => ({ kind: 'change', filePath, change, index, taskKind: task.kind }));
}

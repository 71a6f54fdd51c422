import type { SingleTask, Task, TaskList, TaskPlace } from '../../../src/protocol/task';

export const TASKS_PATH = '/c/projects/-p/44444444-4444-4444-8444-444444444444.jsonl';

export function place(line: number): TaskPlace {
  return { line, uuid: null, timeMs: Date.UTC(2026, 5, 1, 10) };
}

export function task(change: Partial<SingleTask> = {}): SingleTask {
  return {
    kind: 'task',
    id: '1',
    subject: 'Write the parser',
    status: 'pending',
    statusText: null,
    createdAt: place(2),
    changedAt: place(2),
    activeForm: 'Writing the parser',
    description: null,
    owner: null,
    blocks: [],
    blockedBy: [],
    openBlockers: [],
    isInCycle: false,
    ...change,
  };
}

export function list(tasks: readonly Task[], change: Partial<TaskList> = {}): TaskList {
  const count = (status: Task['status']): number => tasks.filter((each) => each.status === status).length;
  return {
    revision: 1,
    sessionId: '44444444-4444-4444-8444-444444444444',
    filePath: TASKS_PATH,
    title: 'Mend the login form',
    isLive: false,
    source: tasks.length === 0 ? 'none' : 'tasks',
    origin: 'transcript',
    tasks,
    moreTasks: 0,
    progress: {
      total: tasks.length,
      completed: count('completed'),
      inProgress: count('in_progress'),
      failed: count('failed') + count('stopped'),
    },
    history: [],
    moreHistory: 0,
    notes: [],
    problem: null,
    ...change,
  };
}

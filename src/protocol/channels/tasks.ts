import { answeredEvent, call, type Calls, defineChannel, type Events } from '../channel';
import type { TaskList } from '../task';

const MINUTE_MS = 60_000;

/** The task list of one session at a time; `filePath` names the session. */
export const tasksChannel = defineChannel(
  'tasks',
  {
    /** Reads the session's list, and follows it until it is closed. Another one that was followed is closed. */
    openTasks: call<(filePath: string) => TaskList>({ timeoutMs: 10 * MINUTE_MS }),
    /** One that is not followed is no error. */
    closeTasks: call<(filePath: string) => void>({ timeoutMs: 2 * MINUTE_MS }),
  },
  {
    /** The list that is followed changed, or can be read no more. Its answer asks for the next one. */
    tasksChanged: answeredEvent<(list: TaskList) => void>(),
  },
);

export type TasksCalls = Calls<typeof tasksChannel>;
export type TasksEvents = Events<typeof tasksChannel>;

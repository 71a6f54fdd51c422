import { answeredEvent, call, type Calls, defineChannel, type Events } from '../channel';
import type { SessionRef } from '../session';
import type { TaskList } from '../task';

const MINUTE_MS = 60_000;

/** The task list of one session at a time. */
export const tasksChannel = defineChannel(
  'tasks',
  {
    /** Reads the session's list and follows it until it is closed. Closes any other list that was followed. */
    openTasks: call<(session: SessionRef) => TaskList>({ timeoutMs: 10 * MINUTE_MS }),
    /** Closing a list that is not followed is not an error. */
    closeTasks: call<(session: SessionRef) => void>({ timeoutMs: 2 * MINUTE_MS }),
  },
  {
    /** The followed list changed or has become unreadable. Answering it requests the next update. */
    tasksChanged: answeredEvent<(list: TaskList) => void>(),
  },
);

export type TasksCalls = Calls<typeof tasksChannel>;
export type TasksEvents = Events<typeof tasksChannel>;

import type { TaskList } from '../task';

/** Calls from the host to the worker; `filePath` names a session. */
export interface TasksApi {
  /** Reads the session's list, and follows it until it is closed. Another one that was followed is closed. */
  openTasks(filePath: string): Promise<TaskList>;
  /** One that is not followed is no error. */
  closeTasks(filePath: string): Promise<void>;
}

/** Calls from the worker to the host. */
export interface TasksEvents {
  /** The list that is followed changed, or can be read no more. Its answer asks for the next one. */
  tasksChanged(list: TaskList): void | Promise<void>;
}

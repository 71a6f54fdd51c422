/**
 * Progress of a task. `pending`, `in_progress` and `completed` are the words of Claude's tools. `failed` and `stopped` (no
 * result, and no client runs the session) apply to subagents. `unknown` is any other word.
 */
export const TASK_STATUSES = ['pending', 'in_progress', 'completed', 'failed', 'stopped', 'unknown'] as const;

export type TaskStatus = (typeof TASK_STATUSES)[number];

/** A row that concerns a task. */
export interface TaskPlace {
  /** 1-based line of the transcript. */
  readonly line: number;
  readonly uuid: string | null;
  /** Milliseconds since the epoch; null if the row has no time. */
  readonly timeMs: number | null;
}

interface TaskCommon {
  /** Identifies the task within its list; stable throughout the session. */
  readonly id: string;
  /** What the task is, on one line. */
  readonly subject: string;
  readonly status: TaskStatus;
  /** The original word of a status that is `unknown`; null otherwise. */
  readonly statusText: string | null;
  /** Row that created the task; null if only a file mentions it. */
  readonly createdAt: TaskPlace | null;
  /** Row that last changed the task; null if only a file mentions it. */
  readonly changedAt: TaskPlace | null;
}

/** An entry of a list that is always written as a whole (`TodoWrite`). */
export interface TodoTask extends TaskCommon {
  readonly kind: 'todo';
  /** Text to show while the task is in progress: "Running the tests". */
  readonly activeForm: string | null;
}

/** A task created individually (`TaskCreate`), which can depend on others. */
export interface SingleTask extends TaskCommon {
  readonly kind: 'task';
  readonly activeForm: string | null;
  readonly description: string | null;
  readonly owner: string | null;
  /** Ids of the tasks that wait for this one, and of the tasks that it waits for. Those tasks may not exist. */
  readonly blocks: readonly string[];
  readonly blockedBy: readonly string[];
  /** The entries of `blockedBy` that are not completed. */
  readonly openBlockers: readonly string[];
  /** The task waits for itself, directly or indirectly, so it can never start. */
  readonly isInCycle: boolean;
}

/** Work delegated to a subagent. */
export interface AgentTask extends TaskCommon {
  readonly kind: 'agent';
  readonly agentType: string | null;
  /** Absolute path of the subagent's transcript. */
  readonly transcript: string | null;
}

export type Task = TodoTask | SingleTask | AgentTask;

/** Origin of a list; the tool that was used last decides. Subagents are items only if no such tool was used. */
export type TaskSource = 'todos' | 'tasks' | 'agents' | 'none';

export interface TaskProgress {
  readonly total: number;
  readonly completed: number;
  readonly inProgress: number;
  /** Failed or stopped. */
  readonly failed: number;
}

/** One change of the list. */
export type TaskChange =
  | ({ readonly kind: 'added'; readonly status: TaskStatus } & TaskChangeCommon)
  | ({ readonly kind: 'status'; readonly from: TaskStatus; readonly to: TaskStatus } & TaskChangeCommon)
  | ({ readonly kind: 'subject'; readonly from: string; readonly to: string } & TaskChangeCommon)
  /** Ids of all tasks that it waits for from then on. */
  | ({ readonly kind: 'blockedBy'; readonly ids: readonly string[] } & TaskChangeCommon)
  | ({ readonly kind: 'removed' } & TaskChangeCommon);

interface TaskChangeCommon {
  readonly taskId: string;
  /** The subject at that time. */
  readonly subject: string;
  readonly at: TaskPlace;
}

/** Something that a person should know about the list: one note per kind, with the number of occurrences. */
export type TaskNote =
  /** Calls on branches that are not part of the resumed chain. */
  | { readonly kind: 'otherBranches'; readonly count: number }
  /** Calls with input that no client writes; they are ignored. */
  | { readonly kind: 'malformedCalls'; readonly count: number; readonly lines: readonly number[] }
  /** Files without a valid task or list. */
  | { readonly kind: 'malformedFiles'; readonly count: number; readonly paths: readonly string[] }
  /** Files that repeat the id of another file; the other file is used. */
  | { readonly kind: 'duplicateIds'; readonly count: number; readonly paths: readonly string[] }
  /** Tasks that Claude does not save to files: on resume, its list is empty. */
  | { readonly kind: 'notKept'; readonly count: number }
  /** Tasks that wait for themselves. */
  | { readonly kind: 'cycles'; readonly count: number; readonly ids: readonly string[] };

/** The task list of a session, combined from its transcript and Claude's own files. */
export interface TaskList {
  /** Increases with every change of its sources. */
  readonly revision: number;
  readonly sessionId: string;
  readonly filePath: string;
  readonly title: string | null;
  /** A client is running the session. */
  readonly isLive: boolean;
  readonly source: TaskSource;
  /** Which source determines the state: Claude's files (`tasks/`, `todos/`) if they were written after the last row. */
  readonly origin: 'transcript' | 'files';
  readonly tasks: readonly Task[];
  /** Number of tasks omitted at the end. */
  readonly moreTasks: number;
  /** Over all tasks, including omitted ones. */
  readonly progress: TaskProgress;
  /** Oldest first. */
  readonly history: readonly TaskChange[];
  /** Number of changes omitted at the start. */
  readonly moreHistory: number;
  readonly notes: readonly TaskNote[];
  /** Why there is nothing to show: the transcript was deleted or cannot be read. One sentence for people. */
  readonly problem: string | null;
}

/**
 * How far a task is. `pending`, `in_progress` and `completed` are the words of Claude's tools; `failed` and `stopped` (there
 * is no result, and nobody runs the session) are said of subagents; `unknown` is any other word.
 */
export const TASK_STATUSES = ['pending', 'in_progress', 'completed', 'failed', 'stopped', 'unknown'] as const;

export type TaskStatus = (typeof TASK_STATUSES)[number];

/** The row that says something of a task. */
export interface TaskPlace {
  /** 1-based line of the transcript. */
  readonly line: number;
  readonly uuid: string | null;
  /** Milliseconds since the epoch; null where the row tells no time. */
  readonly timeMs: number | null;
}

interface TaskCommon {
  /** Names the task within its list, and stays the same over the session. */
  readonly id: string;
  /** What is to be done, on one line. */
  readonly subject: string;
  readonly status: TaskStatus;
  /** The word that was written for a status of `unknown`; null for every other. */
  readonly statusText: string | null;
  /** Row that it came with; null when only a file tells of it. */
  readonly createdAt: TaskPlace | null;
  /** Row that changed it last; null when only a file tells of it. */
  readonly changedAt: TaskPlace | null;
}

/** An entry of a list that was written whole (`TodoWrite`). */
export interface TodoTask extends TaskCommon {
  readonly kind: 'todo';
  /** What is said while it is being done: "Running the tests". */
  readonly activeForm: string | null;
}

/** One that was made for itself (`TaskCreate`), and may wait for others. */
export interface SingleTask extends TaskCommon {
  readonly kind: 'task';
  readonly activeForm: string | null;
  readonly description: string | null;
  readonly owner: string | null;
  /** Ids of the tasks that wait for this one, and of those that it waits for. They may name tasks that are not there. */
  readonly blocks: readonly string[];
  readonly blockedBy: readonly string[];
  /** Those of `blockedBy` that are not done. */
  readonly openBlockers: readonly string[];
  /** It waits for itself, over others or directly: it can never begin. */
  readonly isInCycle: boolean;
}

/** Work that was given to a subagent. */
export interface AgentTask extends TaskCommon {
  readonly kind: 'agent';
  readonly agentType: string | null;
  /** Absolute path of the subagent's transcript. */
  readonly transcript: string | null;
}

export type Task = TodoTask | SingleTask | AgentTask;

/** What a list is made of; the tool that was used last decides. Subagents are its items only where no such tool was used. */
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
  /** Ids of the tasks that it waits for since. */
  | ({ readonly kind: 'blockedBy'; readonly ids: readonly string[] } & TaskChangeCommon)
  | ({ readonly kind: 'removed' } & TaskChangeCommon);

interface TaskChangeCommon {
  readonly taskId: string;
  /** As it was called then. */
  readonly subject: string;
  readonly at: TaskPlace;
}

/** Something about the list that a person should know: one for each kind, and how often it was so. */
export type TaskNote =
  /** Calls on branches that the session does not go on from. */
  | { readonly kind: 'otherBranches'; readonly count: number }
  /** Calls whose input is not as any client writes it: they change nothing. */
  | { readonly kind: 'malformedCalls'; readonly count: number; readonly lines: readonly number[] }
  /** Files that hold no task, or no list. */
  | { readonly kind: 'malformedFiles'; readonly count: number; readonly paths: readonly string[] }
  /** Files that name the id of another file: that one counts. */
  | { readonly kind: 'duplicateIds'; readonly count: number; readonly paths: readonly string[] }
  /** Tasks of which Claude keeps no files: it begins with an empty list when the session is resumed. */
  | { readonly kind: 'notKept'; readonly count: number }
  /** Tasks that wait for themselves. */
  | { readonly kind: 'cycles'; readonly count: number; readonly ids: readonly string[] };

/** The list of a session: what its transcript and Claude's own files say together. */
export interface TaskList {
  /** Counts up with every change of what it was made of. */
  readonly revision: number;
  readonly sessionId: string;
  readonly filePath: string;
  readonly title: string | null;
  /** A client runs the session. */
  readonly isLive: boolean;
  readonly source: TaskSource;
  /** Which of the two tells the state: Claude's files (`tasks/`, `todos/`) when they were written after the last row. */
  readonly origin: 'transcript' | 'files';
  readonly tasks: readonly Task[];
  /** Tasks that are left out at the end. */
  readonly moreTasks: number;
  /** Of all tasks, whether they are left out or not. */
  readonly progress: TaskProgress;
  /** Oldest first. */
  readonly history: readonly TaskChange[];
  /** Changes that are left out at the start. */
  readonly moreHistory: number;
  readonly notes: readonly TaskNote[];
  /** Why there is nothing to show: the transcript was deleted, or cannot be read. One sentence for people. */
  readonly problem: string | null;
}

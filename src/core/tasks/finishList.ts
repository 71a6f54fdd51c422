import type { Task, TaskProgress } from '../../shared/task';
import type { AgentDraft } from './agentWork';
import { findCycles } from './dependencies';
import type { ReducedList } from './reduceTasks';
import type { TaskDraft } from './taskDraft';

/** What is known of a subagent beside the rows of the session. */
export interface AgentFacts {
  /** Absolute path of its transcript. */
  readonly transcript: string | null;
  /** The client wrote down that it is done. */
  readonly isFinished: boolean;
}

export interface ListFacts {
  /** A client runs the session. */
  readonly isLive: boolean;
  readonly agent: (callId: string, agentId: string | null) => AgentFacts;
}

/** The tasks as they are told, each with what follows from the others. */
export function finishTasks(list: ReducedList, facts: ListFacts): readonly Task[] {
  switch (list.source) {
    case 'agents':
      return list.tasks.map((agent) => finishAgent(agent, facts));
    case 'todos':
      return list.tasks.map((task) => ({ kind: 'todo', ...common(task), activeForm: task.activeForm }));
    case 'tasks':
      return finishSingle(list.tasks);
  }
}

export function progressOf(tasks: readonly Task[]): TaskProgress {
  const count = (...statuses: readonly Task['status'][]): number =>
    tasks.filter(({ status }) => statuses.includes(status)).length;
  return {
    total: tasks.length,
    completed: count('completed'),
    inProgress: count('in_progress'),
    failed: count('failed', 'stopped'),
  };
}

function finishSingle(drafts: readonly TaskDraft[]): readonly Task[] {
  const byId = new Map(drafts.map((task) => [task.id, task]));
  // A file may tell one side of a link alone.
  for (const task of drafts) {
    for (const id of task.blocks) byId.get(id)?.blockedBy.add(task.id);
    for (const id of task.blockedBy) byId.get(id)?.blocks.add(task.id);
  }
  const cycles = findCycles(drafts);
  return drafts.map((task) => ({
    kind: 'task',
    ...common(task),
    activeForm: task.activeForm,
    description: task.description,
    owner: task.owner,
    blocks: [...task.blocks],
    blockedBy: [...task.blockedBy],
    // One that is not there holds nothing up.
    openBlockers: [...task.blockedBy].filter((id) => (byId.get(id)?.status ?? 'completed') !== 'completed'),
    isInCycle: cycles.has(task.id),
  }));
}

function finishAgent(agent: AgentDraft, { isLive, agent: factsOf }: ListFacts): Task {
  const { transcript, isFinished } = factsOf(agent.id, agent.agentId);
  const open = isFinished ? 'completed' : isLive ? 'in_progress' : 'stopped';
  const status = agent.isOpen ? open : agent.status;
  return { kind: 'agent', ...common(agent), status, agentType: agent.agentType, transcript };
}

function common(task: TaskDraft): Pick<Task, 'id' | 'subject' | 'status' | 'statusText' | 'createdAt' | 'changedAt'> {
  const { id, subject, status, statusText, createdAt, changedAt } = task;
  return { id, subject, status, statusText, createdAt, changedAt };
}

import type { Task, TaskProgress } from '../../../protocol/task';
import type { AgentDraft } from './agentWork';
import type { ReducedList } from './reduceTasks';
import type { TaskDraft } from './taskDraft';

/** The state of a subagent that the rows of the session do not contain. */
export interface SubagentState {
  /** Absolute path of its transcript. */
  readonly transcript: string | null;
  /** Whether the client recorded that it is done. */
  readonly isFinished: boolean;
}

export interface ListContext {
  /** Whether a client is running the session. */
  readonly isLive: boolean;
  readonly agent: (callId: string, agentId: string | null) => SubagentState;
}

/** Converts drafts to tasks and adds the fields that depend on other tasks. */
export function finishTasks(list: ReducedList, context: ListContext): readonly Task[] {
  switch (list.source) {
    case 'agents':
      return list.tasks.map((agent) => finishAgent(agent, context));
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
  // A file may contain only one side of a link.
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
    // A missing task blocks nothing.
    openBlockers: [...task.blockedBy].filter((id) => (byId.get(id)?.status ?? 'completed') !== 'completed'),
    isInCycle: cycles.has(task.id),
  }));
}

function finishAgent(agent: AgentDraft, { isLive, agent: stateOf }: ListContext): Task {
  const { transcript, isFinished } = stateOf(agent.id, agent.agentId);
  const open = isFinished ? 'completed' : isLive ? 'in_progress' : 'stopped';
  const status = agent.isOpen ? open : agent.status;
  return { kind: 'agent', ...common(agent), status, agentType: agent.agentType, transcript };
}

function common(task: TaskDraft): Pick<Task, 'id' | 'subject' | 'status' | 'statusText' | 'createdAt' | 'changedAt'> {
  const { id, subject, status, statusText, createdAt, changedAt } = task;
  return { id, subject, status, statusText, createdAt, changedAt };
}

/** The fields of a task that the search for cycles needs. */
interface Linked {
  readonly id: string;
  readonly status: string;
  readonly blockedBy: Iterable<string>;
}

/**
 * Ids of the tasks that block themselves, directly or through other tasks: each is in a cycle of tasks that are not
 * completed. Handles chains of any length.
 */
export function findCycles(tasks: readonly Linked[]): ReadonlySet<string> {
  const open = new Map(tasks.filter(({ status }) => status !== 'completed').map((task) => [task.id, task]));
  const blockers = new Map<string, readonly string[]>();
  for (const [id, { blockedBy }] of open)
    blockers.set(
      id,
      [...blockedBy].filter((blocker) => open.has(blocker)),
    );
  return new RingSearch(blockers).rings;
}

interface Visit {
  readonly id: string;
  readonly blockers: readonly string[];
  next: number;
}

/** Tarjan's algorithm for strongly connected components, without recursion. */
class RingSearch {
  readonly rings = new Set<string>();
  readonly #blockers: ReadonlyMap<string, readonly string[]>;
  readonly #number = new Map<string, number>();
  readonly #lowest = new Map<string, number>();
  readonly #part: string[] = [];
  readonly #inPart = new Set<string>();

  constructor(blockers: ReadonlyMap<string, readonly string[]>) {
    this.#blockers = blockers;
    for (const id of blockers.keys()) if (!this.#number.has(id)) this.#search(id);
  }

  #search(first: string): void {
    const visits: Visit[] = [this.#enter(first)];
    for (let top = visits.at(-1); top !== undefined; top = visits.at(-1)) {
      const blocker = top.blockers[top.next++];
      if (blocker === undefined) {
        visits.pop();
        this.#leave(top, visits.at(-1)?.id ?? null);
      } else if (!this.#number.has(blocker)) visits.push(this.#enter(blocker));
      else if (this.#inPart.has(blocker)) this.#lower(top.id, this.#number.get(blocker) ?? 0);
    }
  }

  #enter(id: string): Visit {
    const number = this.#number.size;
    this.#number.set(id, number);
    this.#lowest.set(id, number);
    this.#part.push(id);
    this.#inPart.add(id);
    return { id, blockers: this.#blockers.get(id) ?? [], next: 0 };
  }

  #leave({ id, blockers }: Visit, above: string | null): void {
    const lowest = this.#lowest.get(id) ?? 0;
    if (above !== null) this.#lower(above, lowest);
    if (lowest !== this.#number.get(id)) return;
    const part = this.#part.splice(this.#part.lastIndexOf(id));
    for (const member of part) this.#inPart.delete(member);
    if (part.length > 1 || blockers.includes(id)) for (const member of part) this.rings.add(member);
  }

  #lower(id: string, number: number): void {
    this.#lowest.set(id, Math.min(this.#lowest.get(id) ?? number, number));
  }
}

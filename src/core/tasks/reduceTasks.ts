import type { TaskChange } from '../../shared/task';
import { AgentWork, type AgentDraft } from './agentWork';
import { SingleTasks } from './singleTasks';
import type { ChangeLog, TaskDraft } from './taskDraft';
import type { TaskStep } from './taskSteps';
import { TodoLists } from './todoLists';

interface ReducedCommon {
  readonly history: readonly TaskChange[];
  readonly droppedHistory: number;
}

/** The list that the steps lead to. */
export type ReducedList =
  | ({ readonly source: 'todos' | 'tasks'; readonly tasks: readonly TaskDraft[] } & ReducedCommon)
  | ({ readonly source: 'agents'; readonly tasks: readonly AgentDraft[] } & ReducedCommon);

export interface ReducedTasks {
  /** Of the tool that was used last; of subagents, where none was. */
  readonly list: ReducedList;
  /** Time of the last call that changed the list, or of its result; null when none did, or no time is told. */
  readonly changedMs: number | null;
  /** Lines of calls that are not as any client writes them. */
  readonly malformedLines: readonly number[];
}

/** Plays the steps, oldest first. Calls that were refused change nothing. */
export function reduceTasks(steps: readonly TaskStep[]): ReducedTasks {
  const todos = new TodoLists();
  const tasks = new SingleTasks();
  const agents = new AgentWork();
  const malformedLines: number[] = [];
  const listCalls = new Set<string>();
  let source: 'todos' | 'tasks' | 'agents' = 'agents';
  let changedMs: number | null = null;
  const noteTime = (timeMs: number | null): void => {
    if (timeMs !== null && timeMs > (changedMs ?? -Infinity)) changedMs = timeMs;
  };
  for (const step of steps) {
    const { at } = step;
    if (step.kind === 'notice') agents.notice(step.notice, at);
    if (step.kind === 'result') {
      agents.answer(step.result, at);
      if (listCalls.has(step.result.callId)) noteTime(at.timeMs);
    }
    if (step.kind !== 'call') continue;
    const { call, result } = step;
    if (call.kind === 'agent') agents.start(call.callId, call.subject, call.agentType, at);
    if (call.kind === 'malformed' || (call.kind === 'todos' && !call.isWhole)) malformedLines.push(at.line);
    if (call.kind === 'agent' || call.kind === 'malformed' || result?.isRefused === true) continue;
    if (call.kind === 'todos') todos.write(call.entries, at);
    else if (call.kind === 'update') tasks.update(call.taskId, call.fields, at);
    // Which task it is, is told by the result alone.
    else if (result !== null && result.taskId !== null) tasks.create(result.taskId, call.fields, at);
    source = call.kind === 'todos' ? 'todos' : 'tasks';
    listCalls.add(call.callId);
    noteTime(at.timeMs);
  }
  return { list: listOf(source, { todos, tasks, agents }), changedMs, malformedLines };
}

function listOf(
  source: 'todos' | 'tasks' | 'agents',
  { todos, tasks, agents }: { readonly todos: TodoLists; readonly tasks: SingleTasks; readonly agents: AgentWork },
): ReducedList {
  const history = ({ changes, dropped }: ChangeLog): ReducedCommon => ({ history: changes, droppedHistory: dropped });
  switch (source) {
    case 'todos':
      return { source, tasks: todos.list, ...history(todos.changes) };
    case 'tasks':
      return { source, tasks: tasks.list, ...history(tasks.changes) };
    case 'agents':
      return { source, tasks: agents.list, ...history(agents.changes) };
  }
}

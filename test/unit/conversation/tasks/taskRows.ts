import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_LIMITS, SessionTasks } from '../../../rooms/conversation';
import { createPacer } from '../../../rooms/util';
import type { TaskList } from '../../../../src/protocol/task';
import { withTemporaryFolder } from '../../../support/temporaryFolder';
import { assistant, chainRow, prompt, type RowFields, transcript } from '../../../support/transcriptBuilder';
import { plainScanner } from '../../../support/plainScanner';

export const SESSION_ID = '44444444-4444-4444-8444-444444444444';

interface ToolStep {
  readonly name: string;
  readonly input: unknown;
  /** `toolUseResult` of its result. Without it there is no result. */
  readonly details?: unknown;
  readonly isError?: boolean;
}

/**
 * A prompt, and then each call with its result, each the child of the one before. Rows are called `p`, `c0`, `r0`, `c1`
 * …
 */
export function work(steps: readonly ToolStep[], first = 'p'): RowFields[] {
  const rows: RowFields[] = [prompt(first, null)];
  let above = first;
  steps.forEach(({ name, input, details, isError }, at) => {
    const [callName, resultName, callId] = [`${first}c${at}`, `${first}r${at}`, `toolu_${first}${at}`];
    rows.push(assistant(callName, above, [{ type: 'tool_use', id: callId, name, input }]));
    above = callName;
    if (details === undefined && isError === undefined) return;
    const content = [{ type: 'tool_result', tool_use_id: callId, content: 'said', is_error: isError === true }];
    rows.push(chainRow('user', resultName, above, { message: { role: 'user', content }, toolUseResult: details }));
    above = resultName;
  });
  return rows;
}

export function todos(
  ...entries: readonly (readonly [string, string] | readonly [string, string, string])[]
): ToolStep {
  const list = entries.map(([content, status, activeForm]) => ({ content, status, activeForm: activeForm ?? content }));
  return { name: 'TodoWrite', input: { todos: list }, details: { newTodos: list } };
}

export function create(id: string, subject: string, more: object = {}): ToolStep {
  return { name: 'TaskCreate', input: { subject, description: `${subject}!`, ...more }, details: { task: { id } } };
}

export function update(taskId: string, change: object): ToolStep {
  return { name: 'TaskUpdate', input: { taskId, ...change }, details: { success: true, taskId } };
}

/** A config folder with one session, whose tasks are read. */
export class TaskDesk {
  readonly filePath: string;
  readonly tasksFolder: string;
  readonly todosPath: string;
  isLive = false;
  readonly tasks: SessionTasks;

  constructor(readonly configDir: string) {
    const project = join(configDir, 'projects', '-p');
    mkdirSync(project, { recursive: true });
    this.filePath = join(project, `${SESSION_ID}.jsonl`);
    this.tasksFolder = join(configDir, 'tasks', SESSION_ID);
    this.todosPath = join(configDir, 'todos', `${SESSION_ID}-agent-${SESSION_ID}.json`);
    this.tasks = new SessionTasks({
      filePath: this.filePath,
      createScanner: plainScanner,
      pacer: createPacer(10),
      isLive: () => this.isLive,
    });
  }

  async read(rows?: readonly RowFields[]): Promise<TaskList> {
    if (rows !== undefined) writeFileSync(this.filePath, transcript(rows));
    await this.tasks.refresh();
    return this.tasks.list(NO_LIMITS);
  }

  /** `timeMs`: when it was written; also the time of the folder. */
  writeTask(name: string, content: unknown, timeMs: number): void {
    mkdirSync(this.tasksFolder, { recursive: true });
    const path = join(this.tasksFolder, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    for (const each of [path, this.tasksFolder]) utimesSync(each, timeMs / 1000, timeMs / 1000);
  }

  writeTodos(content: unknown, timeMs: number): void {
    mkdirSync(join(this.configDir, 'todos'), { recursive: true });
    writeFileSync(this.todosPath, typeof content === 'string' ? content : JSON.stringify(content));
    utimesSync(this.todosPath, timeMs / 1000, timeMs / 1000);
  }
}

export function withSetup(check: (setup: TaskDesk) => Promise<void>): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const setup = new TaskDesk(folder);
    try {
      await check(setup);
    } finally {
      setup.tasks.close();
    }
  });
}

/** The list of a session of these rows. */
export async function listOf(rows: readonly RowFields[]): Promise<TaskList> {
  const lists: TaskList[] = [];
  await withSetup(async (setup) => {
    lists.push(await setup.read(rows));
  });
  const [list] = lists;
  if (list === undefined) throw new Error('Failed to read the tasks');
  return list;
}

/** One line per task: its name and status. */
export function brief({ tasks }: TaskList): string[] {
  return tasks.map(({ id, subject, status }) => `${id} ${subject}: ${status}`);
}

/** One line per change. */
export function changes({ history }: TaskList): string[] {
  return history.map((change) => {
    const about = `${change.at.line} ${change.kind} ${change.subject}`;
    return change.kind === 'status' ? `${about}: ${change.from} → ${change.to}` : about;
  });
}

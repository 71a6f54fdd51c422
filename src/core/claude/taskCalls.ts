import type { TaskStatus } from '../../shared/task';
import { isJsonObject, objectField, stringField, type JsonObject } from './json';

/** A word of Claude's for how far a task is. `deleted` takes it from the list. */
export interface StatedStatus {
  readonly status: TaskStatus | 'deleted';
  /** The word itself, where no client writes it; null for the known ones. */
  readonly text: string | null;
}

export interface TodoEntry {
  readonly subject: string;
  readonly status: StatedStatus;
  readonly activeForm: string | null;
}

/** What a call, or a file, says of a task; null where it says nothing. */
export interface TaskFields {
  readonly subject: string | null;
  readonly description: string | null;
  readonly activeForm: string | null;
  readonly owner: string | null;
  readonly status: StatedStatus | null;
  readonly blocks: readonly string[];
  readonly blockedBy: readonly string[];
}

/** A call that changes the list of tasks, or gives work to a subagent. (docs/tasks.md) */
export type TaskCall =
  | {
      readonly kind: 'todos';
      readonly callId: string;
      readonly entries: readonly TodoEntry[];
      readonly isWhole: boolean;
    }
  | { readonly kind: 'create'; readonly callId: string; readonly fields: TaskFields }
  | { readonly kind: 'update'; readonly callId: string; readonly taskId: string; readonly fields: TaskFields }
  | { readonly kind: 'agent'; readonly callId: string; readonly subject: string; readonly agentType: string | null }
  /** Its input is not as any client writes it. */
  | { readonly kind: 'malformed'; readonly callId: string };

/** Of a tool's name in a row's bytes: a row without any of them holds no such call. */
export const TASK_CALL_NEEDLES = ['TodoWrite"', 'TaskCreate"', 'TaskUpdate"', '"Task"', '"Agent"'] as const;

const MAX_SUBJECT_UNITS = 400;
const MAX_TEXT_UNITS = 4_000;
const MAX_WORD_UNITS = 60;
const MAX_LINKS = 10_000;
const STATUSES: ReadonlySet<string> = new Set<TaskStatus | 'deleted'>([
  'pending',
  'in_progress',
  'completed',
  'deleted',
]);

/** The calls of an assistant row that are about tasks, in their order. */
export function readTaskCalls(row: JsonObject): readonly TaskCall[] {
  const content = objectField(row, 'message')?.['content'];
  if (row['type'] !== 'assistant' || !Array.isArray(content)) return [];
  const calls: TaskCall[] = [];
  for (const block of content as readonly unknown[]) {
    if (!isJsonObject(block) || block['type'] !== 'tool_use') continue;
    const callId = stringField(block, 'id');
    const name = stringField(block, 'name');
    if (callId === null || name === null) continue;
    const call = readCall(name, callId, objectField(block, 'input'));
    if (call !== null) calls.push(call);
  }
  return calls;
}

function readCall(name: string, callId: string, input: JsonObject | null): TaskCall | null {
  const malformed: TaskCall = { kind: 'malformed', callId };
  switch (name) {
    case 'TodoWrite':
      return (input === null ? null : readTodos(callId, input['todos'])) ?? malformed;
    case 'TaskCreate': {
      const fields = input === null ? null : readTaskFields(input);
      return typeof fields?.subject === 'string' ? { kind: 'create', callId, fields } : malformed;
    }
    case 'TaskUpdate': {
      const taskId = input === null ? null : readId(input['taskId']);
      return input === null || taskId === null
        ? malformed
        : { kind: 'update', callId, taskId, fields: readTaskFields(input) };
    }
    // `Task` until 2.1.x, `Agent` since.
    case 'Task':
    case 'Agent': {
      const subject = input === null ? null : (stringField(input, 'description') ?? stringField(input, 'prompt'));
      if (input === null || subject === null) return malformed;
      const agentType = stringField(input, 'subagent_type');
      return { kind: 'agent', callId, subject: line(subject), agentType: agentType === null ? null : line(agentType) };
    }
    default:
      return null;
  }
}

function readTodos(callId: string, todos: unknown): TaskCall | null {
  const list = readTodoList(todos);
  return list === null ? null : { kind: 'todos', callId, ...list };
}

/** A list as TodoWrite takes it, and as `todos/` keeps it; null when it is none. `isWhole`: every entry can be read. */
export function readTodoList(
  todos: unknown,
): { readonly entries: readonly TodoEntry[]; readonly isWhole: boolean } | null {
  if (!Array.isArray(todos)) return null;
  const entries: TodoEntry[] = [];
  for (const entry of todos as readonly unknown[]) {
    const subject = isJsonObject(entry) ? line(stringField(entry, 'content') ?? '') : '';
    if (!isJsonObject(entry) || subject === '') continue;
    const activeForm = stringField(entry, 'activeForm');
    entries.push({
      subject,
      status: readStatus(entry['status']),
      activeForm: activeForm === null || activeForm === '' ? null : line(activeForm),
    });
  }
  return { entries, isWhole: entries.length === todos.length };
}

/** What the input of a call says (`addBlocks`), or a file of `tasks/` (`blocks`). */
export function readTaskFields(object: JsonObject): TaskFields {
  const subject = line(stringField(object, 'subject') ?? '');
  const description = stringField(object, 'description');
  const activeForm = line(stringField(object, 'activeForm') ?? '');
  const owner = stringField(object, 'owner');
  return {
    subject: subject === '' ? null : subject,
    description: description === null ? null : description.slice(0, MAX_TEXT_UNITS),
    activeForm: activeForm === '' ? null : activeForm,
    owner: owner === null ? null : line(owner),
    status: object['status'] === undefined ? null : readStatus(object['status']),
    blocks: readIds(object['addBlocks'] ?? object['blocks']),
    blockedBy: readIds(object['addBlockedBy'] ?? object['blockedBy']),
  };
}

function readStatus(word: unknown): StatedStatus {
  const text = typeof word === 'string' ? word : '';
  // SAFETY: the set holds members of this type alone.
  if (STATUSES.has(text)) return { status: text as TaskStatus | 'deleted', text: null };
  return { status: 'unknown', text: line(text).slice(0, MAX_WORD_UNITS) };
}

/** Ids are strings of digits; a number, which a model may write, names the same task. Null for anything else. */
export function readId(value: unknown): string | null {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' && value.length <= MAX_WORD_UNITS ? value : null;
}

function readIds(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return [...new Set(value.slice(0, MAX_LINKS).flatMap((id: unknown) => readId(id) ?? []))];
}

function line(text: string): string {
  const head = text
    .slice(0, MAX_SUBJECT_UNITS * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return head.length <= MAX_SUBJECT_UNITS ? head : `${head.slice(0, MAX_SUBJECT_UNITS - 1).trimEnd()}…`;
}

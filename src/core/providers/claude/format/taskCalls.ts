import type { TaskStatus } from '../../../../protocol/task';
import { isJsonObject, type JsonObject, objectField, stringField } from '../../../util/json';

/** Claude's word for the progress of a task. `deleted` removes it from the list. */
export interface StatedStatus {
  readonly status: TaskStatus | 'deleted';
  /** The word itself if it is unknown; null for the known ones. */
  readonly text: string | null;
}

export interface TodoEntry {
  readonly subject: string;
  readonly status: StatedStatus;
  readonly activeForm: string | null;
}

/** The fields of a task in a call or a file; null if missing. */
export interface TaskFields {
  readonly subject: string | null;
  readonly description: string | null;
  readonly activeForm: string | null;
  readonly owner: string | null;
  readonly status: StatedStatus | null;
  readonly blocks: readonly string[];
  readonly blockedBy: readonly string[];
}

/** A call that changes the list of tasks, or starts a subagent. (docs/tasks.md) */
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
  /** No known client writes such an input. */
  | { readonly kind: 'malformed'; readonly callId: string };

/** Searched in a row's bytes for the tools' names: a row without any of them has no such call. */
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

/** The calls of an assistant row that concern tasks, in their order. */
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

/** Reads a list as in TodoWrite's input and in `todos/`; null if it is not one. `isWhole`: every entry can be read. */
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

/** Reads the input of a call (which uses `addBlocks`) or a file of `tasks/` (which uses `blocks`). */
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
  // SAFETY: the set contains only members of this type.
  if (STATUSES.has(text)) return { status: text as TaskStatus | 'deleted', text: null };
  return { status: 'unknown', text: line(text).slice(0, MAX_WORD_UNITS) };
}

/** Ids are strings of digits; a number, which a model may write, means the same task. Null for anything else. */
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

/** The result of a call that concerns tasks. (docs/tasks.md) */
export interface TaskResult {
  readonly callId: string;
  /** The tool failed or refused, so the call changed nothing. */
  readonly isRefused: boolean;
  /** Id of the task that the call created. */
  readonly taskId: string | null;
  readonly agentId: string | null;
  /** The subagent continues in the background, and a notice follows. */
  readonly isLaunched: boolean;
}

/** The client's message to Claude about a subagent in the background. */
export interface AgentNotice {
  readonly callId: string | null;
  readonly agentId: string | null;
  readonly status: 'completed' | 'failed' | 'stopped';
}

/** Searched in a row's bytes: a row without either has no notice. */
export const NOTICE_NEEDLES = ['<task-notification>', '"task_status"'] as const;

const CREATED = /^Task #(\S{1,60}) created/;

/** The results of a user row, in their order, for all tools. */
export function readTaskResults(row: JsonObject): readonly TaskResult[] {
  const content = objectField(row, 'message')?.['content'];
  if (!Array.isArray(content)) return [];
  const results: TaskResult[] = [];
  for (const block of content as readonly unknown[]) {
    const callId = isJsonObject(block) && block['type'] === 'tool_result' ? stringField(block, 'tool_use_id') : null;
    if (!isJsonObject(block) || callId === null) continue;
    // `toolUseResult` describes the row's only result: each row has one.
    const details = objectField(row, 'toolUseResult') ?? {};
    results.push({
      callId,
      isRefused: block['is_error'] === true || details['success'] === false,
      taskId: readId(objectField(details, 'task')?.['id']) ?? createdId(block['content']),
      agentId: stringField(details, 'agentId'),
      isLaunched: details['isAsync'] === true || details['status'] === 'async_launched',
    });
  }
  return results;
}

/** The id in `Task #1 created successfully: …`, the text that Claude reads. */
function createdId(content: unknown): string | null {
  const first: unknown = Array.isArray(content) ? content[0] : content;
  const text = isJsonObject(first) ? stringField(first, 'text') : first;
  return typeof text === 'string' ? (CREATED.exec(text)?.[1] ?? null) : null;
}

/** The notice in a user row or an attachment; null if there is none. */
export function readAgentNotice(row: JsonObject): AgentNotice | null {
  const attachment = objectField(row, 'attachment');
  if (attachment === null) return readNotification(objectField(row, 'message')?.['content']);
  if (attachment['type'] === 'queued_command') return readNotification(attachment['prompt']);
  if (attachment['type'] !== 'task_status') return null;
  const status = readNoticeStatus(stringField(attachment, 'status'));
  const agentId = stringField(attachment, 'taskId');
  return status === null || agentId === null ? null : { callId: null, agentId, status };
}

function readNotification(content: unknown): AgentNotice | null {
  const first: unknown = Array.isArray(content) ? content[0] : content;
  const text = isJsonObject(first) ? stringField(first, 'text') : first;
  if (typeof text !== 'string' || !text.trimStart().startsWith('<task-notification>')) return null;
  // The subagent's own text comes after the head and may contain tags of any kind.
  const head = text.slice(0, 4_000).split('<result>')[0] ?? '';
  const status = readNoticeStatus(inTag(head, 'status'));
  return status === null ? null : { callId: inTag(head, 'tool-use-id'), agentId: inTag(head, 'task-id'), status };
}

function inTag(text: string, tag: string): string | null {
  const start = text.indexOf(`<${tag}>`);
  const end = start < 0 ? -1 : text.indexOf(`</${tag}>`, start);
  return end < 0 ? null : text.slice(start + tag.length + 2, end).trim();
}

function readNoticeStatus(word: string | null): AgentNotice['status'] | null {
  switch (word) {
    case 'completed':
      return 'completed';
    case 'failed':
    case 'error':
      return 'failed';
    case 'killed':
    case 'stopped':
    case 'cancelled':
      return 'stopped';
    default:
      return null;
  }
}

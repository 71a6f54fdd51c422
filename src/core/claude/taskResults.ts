import { isJsonObject, objectField, stringField, type JsonObject } from './json';
import { readId } from './taskCalls';

/** What became of a call about tasks. (docs/tasks.md) */
export interface TaskResult {
  readonly callId: string;
  /** The tool failed, or refused: the call changed nothing. */
  readonly isRefused: boolean;
  /** Of the task that a call made. */
  readonly taskId: string | null;
  readonly agentId: string | null;
  /** The subagent goes on in the background, and a notice follows. */
  readonly isLaunched: boolean;
}

/** What the client tells Claude of a subagent in the background. */
export interface AgentNotice {
  readonly callId: string | null;
  readonly agentId: string | null;
  readonly status: 'completed' | 'failed' | 'stopped';
}

/** In a row's bytes: a row without either holds no notice. */
export const NOTICE_NEEDLES = ['<task-notification>', '"task_status"'] as const;

const CREATED = /^Task #(\S{1,60}) created/;

/** The results of a user row, in their order; of any tools. */
export function readTaskResults(row: JsonObject): readonly TaskResult[] {
  const content = objectField(row, 'message')?.['content'];
  if (!Array.isArray(content)) return [];
  const results: TaskResult[] = [];
  for (const block of content as readonly unknown[]) {
    const callId = isJsonObject(block) && block['type'] === 'tool_result' ? stringField(block, 'tool_use_id') : null;
    if (!isJsonObject(block) || callId === null) continue;
    // It is about the row's result: rows hold one each.
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

/** `Task #1 created successfully: …`, which is what Claude reads. */
function createdId(content: unknown): string | null {
  const first: unknown = Array.isArray(content) ? content[0] : content;
  const text = isJsonObject(first) ? stringField(first, 'text') : first;
  return typeof text === 'string' ? (CREATED.exec(text)?.[1] ?? null) : null;
}

/** The notice that a user row, or an attachment, holds; null when it holds none. */
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
  // What the subagent says itself may hold tags of any kind, and stands behind.
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

import { isJsonObject, type JsonObject, objectField, stringField } from '../../../util/json';
import { readTime } from './rowTypes';

/** The fields of a row of the main conversation that concern turns. */
export interface TurnRow {
  readonly uuid: string;
  /** The parent row; null if there is none. */
  readonly parent: string | null;
  /** Milliseconds since the epoch; NaN if there is no readable timestamp. */
  readonly timeMs: number;
  /** Set if a turn begins with this row; null for all others. */
  readonly start: TurnStart | null;
  /** Ids of the tool calls in the row. */
  readonly toolUses: readonly string[];
}

export interface TurnStart {
  /** `notice`: the client wrote it, for example when a subagent in the background finished; it is not a prompt. */
  readonly kind: 'prompt' | 'notice';
  /**
   * The client's id of the turn, also passed to hooks; null for clients before 2.1.200. It does not identify one
   * prompt: a fork by `--fork-session` writes the id of its first prompt on all rows that it copied.
   */
  readonly promptId: string | null;
}

/** Beginnings of texts in user rows that the client itself writes. */
const NOTICES = [
  '<task-notification>',
  '<local-command-stdout>',
  '<local-command-stderr>',
  '<bash-stdout>',
  '<bash-stderr>',
  '[Request interrupted by user',
];

/** Null for rows that are not in the main conversation's chain. */
export function readTurnRow(row: JsonObject): TurnRow | null {
  const uuid = stringField(row, 'uuid');
  if (uuid === null || row['isSidechain'] === true) return null;
  const content = objectField(row, 'message')?.['content'];
  return {
    uuid,
    // A compaction starts a separate chain within the turn.
    parent: stringField(row, 'parentUuid') ?? stringField(row, 'logicalParentUuid'),
    timeMs: readTime(row['timestamp']),
    start: row['type'] === 'user' && !row['isMeta'] && !row['isCompactSummary'] ? readStart(row, content) : null,
    toolUses: row['type'] === 'assistant' && Array.isArray(content) ? content.flatMap(toolUseId) : [],
  };
}

function readStart(row: JsonObject, content: unknown): TurnStart | null {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  if (blocks.some((block) => isJsonObject(block) && block['type'] === 'tool_result')) return null;
  const first = typeof content === 'string' ? content : blocks.map(textOf).find((text) => text !== '');
  if (first === undefined && blocks.length === 0) return null;
  const text = (first ?? '').trimStart();
  const isNotice = NOTICES.some((notice) => text.startsWith(notice));
  return { kind: isNotice ? 'notice' : 'prompt', promptId: stringField(row, 'promptId') };
}

function textOf(block: unknown): string {
  return isJsonObject(block) ? (stringField(block, 'text') ?? '') : '';
}

function toolUseId(block: unknown): string[] {
  const id = isJsonObject(block) && block['type'] === 'tool_use' ? stringField(block, 'id') : null;
  return id === null ? [] : [id];
}

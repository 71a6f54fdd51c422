import { isJsonObject, type JsonObject, objectField, stringField } from '../../../util/json';
import { readTime } from './rowTypes';

/** What a row of the main conversation says of turns. */
export interface TurnRow {
  readonly uuid: string;
  /** The row above it; null for none. */
  readonly parent: string | null;
  /** Milliseconds since the epoch; NaN when there is no readable timestamp. */
  readonly timeMs: number;
  /** A turn begins with this row; null for all others. */
  readonly start: TurnStart | null;
  /** Ids of the tool calls in it. */
  readonly toolUses: readonly string[];
}

export interface TurnStart {
  /** `notice`: the client wrote it itself, as when a subagent in the background is done; it is no prompt of its own. */
  readonly kind: 'prompt' | 'notice';
  /**
   * What the client calls the turn, and tells hooks; null with clients before 2.1.200. No name for one prompt: a fork by
   * `--fork-session` writes that of its first prompt on all that it copied.
   */
  readonly promptId: string | null;
}

/** Texts in a row of a person's that the client writes itself. */
const NOTICES = [
  '<task-notification>',
  '<local-command-stdout>',
  '<local-command-stderr>',
  '<bash-stdout>',
  '<bash-stderr>',
  '[Request interrupted by user',
];

/** Null for rows that are not on the main conversation's chain. */
export function readTurnRow(row: JsonObject): TurnRow | null {
  const uuid = stringField(row, 'uuid');
  if (uuid === null || row['isSidechain'] === true) return null;
  const content = objectField(row, 'message')?.['content'];
  return {
    uuid,
    // A compaction begins a chain of its own within the turn.
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

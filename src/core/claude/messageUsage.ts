import { objectField, stringField, type JsonObject } from './json';

/**
 * Token counts of one row, in the order they are stored. The counts of `cache_creation` say how the cache writes split by
 * the time they are kept; those of `server_tool_use` are calls. (docs/format.md, "Usage")
 */
export const USAGE_COUNTS = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'ephemeral_5m_input_tokens',
  'ephemeral_1h_input_tokens',
  'web_search_requests',
  'web_fetch_requests',
] as const;

export type UsageCount = (typeof USAGE_COUNTS)[number];

export interface MessageUsage {
  /** One number for each of `USAGE_COUNTS`. */
  readonly counts: readonly number[];
  /** Null when none is named, or one whose name is blank or absurdly long. */
  readonly model: string | null;
}

const MAX_COUNT = 0xffff_ffff;
/** The ARN of an inference profile has some 100 characters. */
const MAX_MODEL_LENGTH = 200;

/** What an assistant row says it used; null when it says nothing, and for rows of every other type. */
export function readMessageUsage(row: JsonObject): MessageUsage | null {
  if (row['type'] !== 'assistant') return null;
  const message = objectField(row, 'message') ?? {};
  const usage = objectField(message, 'usage');
  if (usage === null) return null;
  const cacheCreation = objectField(usage, 'cache_creation') ?? {};
  const serverToolUse = objectField(usage, 'server_tool_use') ?? {};
  const model = stringField(message, 'model');
  return {
    counts: [
      count(usage['input_tokens']),
      count(usage['output_tokens']),
      count(usage['cache_creation_input_tokens']),
      count(usage['cache_read_input_tokens']),
      count(cacheCreation['ephemeral_5m_input_tokens']),
      count(cacheCreation['ephemeral_1h_input_tokens']),
      count(serverToolUse['web_search_requests']),
      count(serverToolUse['web_fetch_requests']),
    ],
    model: model !== null && model.trim() !== '' && model.length <= MAX_MODEL_LENGTH ? model : null,
  };
}

/** A whole number from 0 on; anything else is no count. */
function count(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT ? value : 0;
}

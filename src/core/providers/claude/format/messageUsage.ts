import { isJsonObject, type JsonObject, objectField, parseObject, stringField } from '../../../util/json';

/**
 * Token counts of one row, in the order in which they are stored. The counts of `cache_creation` split the cache writes
 * by cache duration; those of `server_tool_use` are numbers of calls. (docs/format.md, "Usage")
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
  /** Null if there is none, or if the name is blank or absurdly long. */
  readonly model: string | null;
}

const MAX_COUNT = 0xffff_ffff;
/** The ARN of an inference profile has about 100 characters. */
const MAX_MODEL_LENGTH = 200;

/** The usage that an assistant row reports; null if it reports none, and for rows of every other type. */
export function readMessageUsage(row: JsonObject): MessageUsage | null {
  if (row['type'] !== 'assistant') return null;
  const usage = objectField(objectField(row, 'message') ?? {}, 'usage');
  if (usage === null) return null;
  const cacheCreation = objectField(usage, 'cache_creation') ?? {};
  const serverToolUse = objectField(usage, 'server_tool_use') ?? {};
  return {
    counts: [
      countField(usage, 'input_tokens'),
      countField(usage, 'output_tokens'),
      countField(usage, 'cache_creation_input_tokens'),
      countField(usage, 'cache_read_input_tokens'),
      countField(cacheCreation, 'ephemeral_5m_input_tokens'),
      countField(cacheCreation, 'ephemeral_1h_input_tokens'),
      countField(serverToolUse, 'web_search_requests'),
      countField(serverToolUse, 'web_fetch_requests'),
    ],
    model: readMessageModel(row),
  };
}

/** The model that an assistant row names; null for every other row, and if the name is blank or absurdly long. */
export function readMessageModel(row: JsonObject): string | null {
  return row['type'] === 'assistant' ? modelName(stringField(objectField(row, 'message') ?? {}, 'model')) : null;
}

/** Null if the name is missing, blank or absurdly long. */
export function modelName(name: string | null): string | null {
  return name !== null && name.trim() !== '' && name.length <= MAX_MODEL_LENGTH ? name : null;
}

/** An integer of at least 0; any other value is not a count. */
export function countField(object: JsonObject, field: string): number {
  const value = object[field];
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT ? value : 0;
}

/** The client's own totals. (docs/format.md, "Usage") */
export interface CostState {
  readonly usd: number;
  readonly input: number;
  readonly output: number;
  /** All cache writes; the sum of the two kinds if the row separates them. */
  readonly cacheWrites: number;
  readonly cacheWrites1h: number;
  readonly cacheReads: number;
  readonly webSearches: number;
  readonly hasUnknownCost: boolean;
}

/** Occurs in the text of every `cost-state` row. */
export const COST_STATE_MARK = '"cost-state"';

/** Null for a line that is not such a row, or has no total. Invalid counts are 0. */
export function readCostState(line: string): CostState | null {
  const row = parseObject(line);
  if (row?.['type'] !== 'cost-state') return null;
  const usd = row['totalCostUSD'];
  const usage = objectField(row, 'modelUsage');
  if (typeof usd !== 'number' || usd < 0 || usage === null) return null;
  const models = Object.values(usage).filter((each) => isJsonObject(each));
  const sum = (field: string): number => models.reduce((total, model) => total + countOf(model, field), 0);
  return {
    usd,
    input: sum('inputTokens'),
    output: sum('outputTokens'),
    cacheWrites: sum('cacheCreationInputTokens'),
    cacheWrites1h: sum('cacheCreationEphemeral1hInputTokens'),
    cacheReads: sum('cacheReadInputTokens'),
    webSearches: sum('webSearchRequests'),
    hasUnknownCost: row['hasUnknownModelCost'] === true,
  };
}

function countOf(object: JsonObject, field: string): number {
  const value = object[field];
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
}

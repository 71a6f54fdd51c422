import { isJsonObject, objectField, parseObject, type JsonObject } from './json';

/** What the client added up itself. (docs/format.md, "Usage") */
export interface CostState {
  readonly usd: number;
  readonly input: number;
  readonly output: number;
  /** All cache writes; those of the two kinds where the row tells them apart. */
  readonly cacheWrites: number;
  readonly cacheWrites1h: number;
  readonly cacheReads: number;
  readonly webSearches: number;
  readonly hasUnknownCost: boolean;
}

/** What every `cost-state` row holds in its text. */
export const COST_STATE_MARK = '"cost-state"';

/** Null for a line that is no such row, or one without a total. Counts that are none are 0. */
export function readCostState(line: string): CostState | null {
  const row = parseObject(line);
  if (row?.['type'] !== 'cost-state') return null;
  const usd = row['totalCostUSD'];
  const usage = objectField(row, 'modelUsage');
  if (typeof usd !== 'number' || usd < 0 || usage === null) return null;
  const models = Object.values(usage).filter((each) => isJsonObject(each));
  const sum = (field: string): number => models.reduce((total, model) => total + count(model, field), 0);
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

function count(object: JsonObject, field: string): number {
  const value = object[field];
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
}

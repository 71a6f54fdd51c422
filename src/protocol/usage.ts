/**
 * Tokens used by messages. Claude Code logs input without the cache, so `input`, cache writes and cache reads never overlap.
 */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  /** Cache writes with a lifetime of five minutes, and writes without a known lifetime. */
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
  /** Number of calls, not tokens. */
  readonly webSearches: number;
  readonly webFetches: number;
}

/** Cost of tokens at the API's list prices; subscriptions are billed differently. */
export interface CostFigure {
  /** US dollars for all usage with a known price; null if no usage has one. */
  readonly usd: number | null;
  /** Tokens of models without a price; not included in `usd`. */
  readonly unpricedTokens: number;
}

/** Counts each message once, however many rows and files repeat it. */
export interface Spending {
  /** Number of API messages. */
  readonly messages: number;
  readonly counts: TokenCounts;
  readonly cost: CostFigure;
}

export interface ModelSpending extends Spending {
  /** Name in the rows; null for messages without a model. */
  readonly model: string | null;
  readonly hasPrice: boolean;
}

export interface ProjectSpending extends Spending {
  /** Working directory read from the rows; null if unknown. */
  readonly cwd: string | null;
  /** Absolute path of the folder under `projects/`. */
  readonly folder: string;
}

/** A calendar day in the requested time zone. */
export interface DaySpending extends Spending {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** Most expensive first. */
  readonly models: readonly ModelSpending[];
}

/** The prompt of the newest answer on the chain, which the next request repeats. */
export interface ContextSize {
  /** Input, cache writes, cache reads and the answer itself. */
  readonly tokens: number;
  readonly model: string | null;
  /** Context window of the model, in tokens; null if unknown. */
  readonly window: number | null;
}

/** From this share of the context window on, the client is about to compact the conversation. */
const NEARLY_FULL = 0.8;

export function isNearlyFull({ tokens, window }: ContextSize): boolean {
  return window !== null && window > 0 && tokens / window >= NEARLY_FULL;
}

/** Figures that Claude Code itself recorded in the transcript (`cost-state` rows), for comparison. */
export interface ClientTally {
  readonly usd: number;
  readonly counts: TokenCounts;
  /** The client had no price for part of the usage. */
  readonly isPartlyUnknown: boolean;
}

/** Usage of one session. */
export interface SessionUsage {
  readonly sessionId: string;
  readonly filePath: string;
  /** Messages of the transcript that are not on a sidechain. */
  readonly own: Spending;
  /** Messages of the subagents that the session started. */
  readonly subagents: Spending;
  /** Sum of `own` and `subagents`. */
  readonly total: Spending;
  /** The part of `total` that is also in other sessions and counted there, since forks and branches copy rows. */
  readonly shared: Spending;
  /** Breakdown of `total`, most expensive first. */
  readonly models: readonly ModelSpending[];
  readonly context: ContextSize | null;
  /** Estimated cost of the next request if nothing of the context is cached any more; null without a context. */
  readonly resumeCost: CostFigure | null;
  readonly clientTally: ClientTally | null;
}

/** What continuing a session costs. */
export interface SessionResume {
  readonly sessionId: string;
  /** Its transcript. */
  readonly filePath: string;
  /** Null if the transcript has none. */
  readonly title: string | null;
  readonly context: ContextSize;
  /** Estimated cost of the next request if nothing of the context is cached any more. */
  readonly resumeCost: CostFigure;
}

export const USAGE_RANGES = ['today', 'week', 'month', 'all'] as const;

/** Today, the last 7 and 30 days including today, and all time. */
export type UsageRange = (typeof USAGE_RANGES)[number];

export interface RangeSpending {
  readonly range: UsageRange;
  readonly total: Spending;
  /** Most expensive first. */
  readonly models: readonly ModelSpending[];
  readonly projects: readonly ProjectSpending[];
  /** What the prompt cache did for each of `models`, in the same order. */
  readonly cache: readonly CacheSpending[];
}

/** What the prompt cache did for the requests to a model. */
export interface CacheSpending {
  readonly model: string | null;
  /** All tokens of the prompts: input, cache writes and cache reads. */
  readonly promptTokens: number;
  /** The part of the prompts that was read from the cache. */
  readonly readTokens: number;
  /** US dollars that the reads would have cost in addition if they had been input; null without a price. */
  readonly savedUsd: number | null;
  /** US dollars that the writes cost in addition to what they would have cost as input; null without a price. */
  readonly writeExtraUsd: number | null;
}

/** Calls of tools. A call counts once, however many transcripts contain it. */
export interface ToolFigures {
  readonly calls: number;
  /** Calls whose result is an error. */
  readonly failed: number;
  /** Text in the results, in characters; without images. */
  readonly resultCharacters: number;
}

export interface ToolCalls extends ToolFigures {
  /** As in the rows: `mcp__server__tool` for an MCP tool. */
  readonly name: string;
}

export interface ToolRange {
  readonly range: UsageRange;
  /** Those with the most calls first; a limited number. */
  readonly tools: readonly ToolCalls[];
  /** All other calls, including those without a usable name; null if there are none. */
  readonly others: ToolFigures | null;
}

/** The tools that Claude called in all sessions. */
export interface ToolUsage {
  /** One entry for each of `USAGE_RANGES`. */
  readonly ranges: readonly ToolRange[];
  /** Number of transcripts, how many of them are still to be read, and how many cannot be read. */
  readonly files: { readonly total: number; readonly waiting: number; readonly unreadable: number };
}

/** Characters of text per token, on average. */
const CHARACTERS_PER_TOKEN = 4;

/** An estimate: transcripts say how long a result is, but not how many tokens it takes. */
export function estimatedTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Totals by calendar day, in columns: one entry for each of the last 371 days (53 weeks), today last. */
export interface UsageCalendar {
  /** `YYYY-MM-DD`; the day of the first entry. */
  readonly firstDay: string;
  readonly messages: readonly number[];
  readonly tokens: readonly number[];
  /** US dollars; null for a day on which no usage has a price. */
  readonly usd: readonly (number | null)[];
}

/** Usage of all sessions in the config folder. */
export interface UsageOverview {
  readonly revision: number;
  /** IANA name. */
  readonly timeZone: string;
  /** Milliseconds since the epoch; days are counted back from this time. */
  readonly nowMs: number;
  /** One entry for each of the last 30 days, today last. */
  readonly days: readonly DaySpending[];
  /**
   * Usage outside these days: earlier, without a date, or in the future. Together with `days`, it adds up to the total of
   * `all`.
   */
  readonly otherDays: Spending;
  /** One entry for each of `USAGE_RANGES`. */
  readonly ranges: readonly RangeSpending[];
  readonly calendar: UsageCalendar;
  /**
   * Number of known transcripts, and how many of them are still to be read. While `isListing`, the disk has not been listed
   * yet and there may be more.
   */
  readonly files: { readonly total: number; readonly waiting: number; readonly isListing?: boolean };
  /** Why part of the usage could not be counted; null if everything was counted. */
  readonly problem: string | null;
}

export type UsageGrouping = 'session' | 'project' | 'day' | 'model';

/** A row of a usage table, as the command line and the CSV file print it. */
export interface UsageRow extends Spending {
  /** The session's id, the project's working directory or folder, the day, or the model. */
  readonly key: string;
  /** The session's title; null for other rows. */
  readonly title: string | null;
  /**
   * The session's transcript, or the project's folder; null for other rows, and for a session of which only subagents
   * remain.
   */
  readonly filePath: string | null;
  /** Models in the row's messages, most expensive first. */
  readonly models: readonly string[];
  /** Tokens that are also in other sessions and counted there; 0 unless the row is a session. */
  readonly sharedTokens: number;
}

export interface UsageReport {
  readonly rows: readonly UsageRow[];
  readonly totals: Spending;
}

/** US dollars per million tokens, and per call for searches. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
  readonly webSearch: number;
}

/** Keyed by the beginning of a model's name; the longest match applies. Omitted prices are taken from the built-in table. */
export type PriceOverrides = Readonly<Record<string, Partial<ModelPrice>>>;

/** Sum of all kinds of tokens, without calls. */
export function totalTokens(counts: TokenCounts): number {
  return counts.input + counts.output + counts.cacheWrite5m + counts.cacheWrite1h + counts.cacheRead;
}

/** What messages used. Claude Code logs input without the cache: `input`, the writes and the reads never overlap. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  /** Written to the cache, kept for five minutes; also writes whose time is not told. */
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
  /** Calls, not tokens. */
  readonly webSearches: number;
  readonly webFetches: number;
}

/** What tokens cost by the list prices of the API; subscriptions are paid otherwise. */
export interface CostFigure {
  /** US dollars of everything that has a price; null when nothing has one. */
  readonly usd: number | null;
  /** Tokens of models without a price: they are not in `usd`. */
  readonly unpricedTokens: number;
}

/** Each message once, however many rows and files repeat it. */
export interface Spending {
  /** API messages. */
  readonly messages: number;
  readonly counts: TokenCounts;
  readonly cost: CostFigure;
}

export interface ModelSpending extends Spending {
  /** As the rows name it; null for messages that name none. */
  readonly model: string | null;
  readonly hasPrice: boolean;
}

export interface ProjectSpending extends Spending {
  /** Working directory read from the rows; null when none is known. */
  readonly cwd: string | null;
  /** Absolute path of the folder under `projects/`. */
  readonly folder: string;
}

/** A day of the calendar in the time zone that was asked for. */
export interface DaySpending extends Spending {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** The most expensive first. */
  readonly models: readonly ModelSpending[];
}

/** The prompt of the newest answer on the chain, which the next request repeats. */
export interface ContextSize {
  /** Input, cache writes, cache reads and the answer itself. */
  readonly tokens: number;
  readonly model: string | null;
  /** Tokens that the model takes; null when that is not known. */
  readonly window: number | null;
}

/** What Claude Code itself noted in the transcript (`cost-state` rows), for comparison. */
export interface ClientTally {
  readonly usd: number;
  readonly counts: TokenCounts;
  /** The client knew no price for some of it. */
  readonly isPartlyUnknown: boolean;
}

/** What one session used. */
export interface SessionUsage {
  readonly sessionId: string;
  readonly filePath: string;
  /** Messages of the transcript's main lane. */
  readonly own: Spending;
  /** Messages of the agents that the session started. */
  readonly subagents: Spending;
  /** `own` and `subagents` together. */
  readonly total: Spending;
  /** The part of `total` that other sessions hold, too, and that is counted there: forks and branches copy rows. */
  readonly shared: Spending;
  /** Of `total`, the most expensive first. */
  readonly models: readonly ModelSpending[];
  readonly context: ContextSize | null;
  /** Estimate of what the next request costs when nothing of the context is cached any more; null without a context. */
  readonly resumeCost: CostFigure | null;
  readonly clientTally: ClientTally | null;
}

export const USAGE_RANGES = ['today', 'week', 'month', 'all'] as const;

/** Today, the last 7 and 30 days with today, and everything. */
export type UsageRange = (typeof USAGE_RANGES)[number];

export interface RangeSpending {
  readonly range: UsageRange;
  readonly total: Spending;
  /** The most expensive first. */
  readonly models: readonly ModelSpending[];
  readonly projects: readonly ProjectSpending[];
}

/** All sessions of the config folder. */
export interface UsageOverview {
  readonly revision: number;
  /** IANA name. */
  readonly timeZone: string;
  /** Milliseconds since the epoch: the days are counted back from here. */
  readonly nowMs: number;
  /** One entry for each of the last 30 days, today last. */
  readonly days: readonly DaySpending[];
  /** What no day of them has: earlier, of no day, in the future. With them it is the total of `all`. */
  readonly otherDays: Spending;
  /** One for each of `USAGE_RANGES`. */
  readonly ranges: readonly RangeSpending[];
  /**
   * Transcripts that are counted, and how many of them are to be read yet. While `isListing`, the disk was not looked at
   * yet, and there may be more.
   */
  readonly files: { readonly total: number; readonly waiting: number; readonly isListing?: boolean };
  /** Why some of it could not be counted; null when everything could. */
  readonly problem: string | null;
}

export type UsageGrouping = 'session' | 'project' | 'day' | 'model';

/** A row of a table of what was used, as the command line and the CSV file print it. */
export interface UsageRow extends Spending {
  /** The session's id, the project's working directory or folder, the day, or the model. */
  readonly key: string;
  /** The session's title; null for everything else. */
  readonly title: string | null;
  /** The session's transcript, or the project's folder; null for everything else, and for a session whose subagents alone are left. */
  readonly filePath: string | null;
  /** Models named in the row's messages, in the order of their cost. */
  readonly models: readonly string[];
  /** Tokens that other sessions hold, too, and that are counted there; 0 but for sessions. */
  readonly sharedTokens: number;
}

export interface UsageReport {
  readonly rows: readonly UsageRow[];
  readonly totals: Spending;
}

/** US dollars for a million tokens; per call for searches. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
  readonly webSearch: number;
}

/** By a part of a model's name: the longest that a name begins with counts. What a price leaves out is as in the table. */
export type PriceOverrides = Readonly<Record<string, Partial<ModelPrice>>>;

/** All tokens of any kind; calls are none. */
export function totalTokens(counts: TokenCounts): number {
  return counts.input + counts.output + counts.cacheWrite5m + counts.cacheWrite1h + counts.cacheRead;
}

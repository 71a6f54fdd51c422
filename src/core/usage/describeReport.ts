import {
  type ClientTally,
  type ContextSize,
  type CostFigure,
  type ModelSpending,
  type SessionUsage,
  type Spending,
  totalTokens,
  type UsageGrouping,
  type UsageRange,
  type UsageReport,
  type UsageRow,
} from '../../protocol/usage';
import { NO_TIME, QUARTER_MS, type UsageBucket } from './buckets';
import type { ConfigDirUsage } from './configDirUsage';
import type { NewestAnswer } from './contextReader';
import { LONG_PROMPT_TOKENS, type MessageCounts } from './messageIndex';
import { contextWindow, type PriceBook, toUsd } from './prices';
import { compareSpending, compareTexts, SpendingTable } from './spendingTable';
import type { IndexedSession, UsageIndex } from './usageIndex';

/** The key of messages without a usable time. */
const NO_DAY = 'unknown';
/** The key of messages that name no model. */
const NO_MODEL = 'unknown';

/**
 * A table of the usage. Sessions, projects and models are sorted by cost, days by date. The rows add up to the total,
 * except for sessions: the shared part of a session's row also counts in the row of another session.
 */
export function describeReport(
  usage: ConfigDirUsage,
  by: UsageGrouping,
  calendar: LocalDays,
  prices: PriceBook,
): UsageReport {
  const rows = by === 'session' ? sessionRows(usage, prices) : bucketRows(usage, by, calendar, prices);
  return { rows, totals: totalsOf(usage, prices) };
}

function bucketRows(
  usage: ConfigDirUsage,
  by: Exclude<UsageGrouping, 'session'>,
  calendar: LocalDays,
  prices: PriceBook,
): UsageRow[] {
  const { index } = usage;
  const { models, projects } = index;
  const keyOf = (bucket: UsageBucket): string => {
    if (by === 'day') return bucket.quarter === NO_TIME ? NO_DAY : calendar.dayOf(bucket.quarter);
    if (by === 'model') return models[bucket.model] ?? NO_MODEL;
    return projects[bucket.project] ?? '';
  };
  const table = new SpendingTable(0);
  const groups = new Map<string, { readonly row: number; readonly models: Map<number, number> }>();
  index.buckets.forEach((bucket) => {
    const key = keyOf(bucket);
    const group = groups.get(key) ?? { row: table.addRow(), models: new Map<number, number>() };
    groups.set(key, group);
    const modelRow = group.models.get(bucket.model) ?? table.addRow();
    group.models.set(bucket.model, modelRow);
    const price = prices.of(models[bucket.model] ?? null)?.at(bucket.quarter, bucket.isLong) ?? null;
    for (const row of [group.row, modelRow]) table.add(row, bucket.messages, bucket, price);
  });
  const rows = Array.from(groups, ([key, group]): UsageRow => {
    const named = Array.from(group.models, ([model, row]) => ({ model: models[model], ...table.spending(row) }));
    return {
      key: by === 'project' ? (usage.cwdOf(key) ?? key) : key,
      title: null,
      filePath: by === 'project' ? key : null,
      ...table.spending(group.row),
      models: named.sort(compareSpending).flatMap(({ model }) => model ?? []),
      sharedTokens: 0,
    };
  });
  return rows.sort((a, b) => (by === 'day' ? compareTexts(a.key, b.key) : compareRows(a, b)));
}

function sessionRows(usage: ConfigDirUsage, prices: PriceBook): UsageRow[] {
  const rows: UsageRow[] = [];
  for (const session of usage.index.sessions) {
    const { total, shared, models } = describeSpending(usage.index, session, prices);
    if (total.messages === 0) continue;
    const main = session.files.find(({ place }) => !place.isAgent)?.place.filePath ?? null;
    rows.push({
      key: session.sessionId,
      title: main === null ? null : (usage.files.get(main)?.notes.title ?? null),
      filePath: main,
      ...total,
      models: models.flatMap(({ model }) => model ?? []),
      sharedTokens: totalTokens(shared.counts),
    });
  }
  return rows.sort(compareRows);
}

function totalsOf({ index }: ConfigDirUsage, prices: PriceBook): UsageReport['totals'] {
  const table = new SpendingTable(1);
  index.buckets.forEach((bucket) => {
    const price = prices.of(index.models[bucket.model] ?? null)?.at(bucket.quarter, bucket.isLong) ?? null;
    table.add(0, bucket.messages, bucket, price);
  });
  return table.spending(0);
}

function compareRows(a: UsageRow, b: UsageRow): number {
  return compareSpending(a, b) || compareTexts(a.key, b.key) || compareTexts(a.filePath ?? '', b.filePath ?? '');
}

const OWN = 0;
const SUBAGENTS = 1;
const TOTAL = 2;
const SHARED = 3;
const ROWS = 4;

/** The usage of a session's messages. */
export interface SessionSpending {
  readonly own: Spending;
  readonly subagents: Spending;
  readonly total: Spending;
  readonly shared: Spending;
  readonly models: readonly ModelSpending[];
}

/** The usage of a session, with each message counted once; see docs/tokens.md, "A session". */
export function describeSpending(index: UsageIndex, session: IndexedSession, prices: PriceBook): SessionSpending {
  const table = new SpendingTable(ROWS);
  const rowOfModel = new Map<string | null, number>();
  index.forEachMessage(session, (message) => {
    const { model, quarter, isLong, isOwn, isShared } = message;
    const price = prices.of(model)?.at(quarter, isLong) ?? null;
    let row = rowOfModel.get(model);
    if (row === undefined) rowOfModel.set(model, (row = table.addRow()));
    table.add(isOwn ? OWN : SUBAGENTS, 1, message, price);
    table.add(row, 1, message, price);
    if (isShared) table.add(SHARED, 1, message, price);
  });
  for (const part of [OWN, SUBAGENTS]) table.addFrom(TOTAL, part);
  return {
    own: table.spending(OWN),
    subagents: table.spending(SUBAGENTS),
    total: table.spending(TOTAL),
    shared: table.spending(SHARED),
    models: Array.from(rowOfModel, ([model, row]): ModelSpending => ({
      model,
      hasPrice: prices.hasPrice(model),
      ...table.spending(row),
    })).sort((a, b) => compareSpending(a, b) || compareTexts(a.model ?? '', b.model ?? '')),
  };
}

export interface SessionFigures {
  readonly filePath: string;
  readonly sessionId: string;
  readonly spending: SessionSpending;
  readonly answer: NewestAnswer | null;
  readonly clientTally: ClientTally | null;
}

export function describeSessionUsage(figures: SessionFigures, prices: PriceBook): SessionUsage {
  const { filePath, sessionId, spending, answer, clientTally } = figures;
  return {
    filePath,
    sessionId,
    ...spending,
    context: answer === null ? null : contextOf(answer),
    resumeCost: answer === null ? null : resumeCostOf(answer, prices),
    clientTally,
  };
}

export function contextOf({ model, counts }: NewestAnswer): ContextSize {
  const tokens = contextTokens(counts);
  return { tokens, model, window: contextWindow(model, tokens) };
}

/** The next request contains the prompt of the newest answer, and this answer. */
function contextTokens({ input, writes, reads, output }: MessageCounts): number {
  return input + writes + reads + output;
}

/**
 * A resume writes the whole context to the cache, at the price for the lifetime that the newest answer mostly used, but for the tokens
 * that are cached already: it reads these.
 */
export function resumeCostOf({ model, counts }: NewestAnswer, prices: PriceBook, cachedTokens = 0): CostFigure {
  const tokens = contextTokens(counts);
  const price = prices.of(model)?.at(NO_TIME, tokens > LONG_PROMPT_TOKENS) ?? null;
  if (price === null) return { usd: null, unpricedTokens: tokens };
  const isKeptForAnHour = counts.writes1h * 2 > counts.writes;
  const written = (tokens - cachedTokens) * (isKeptForAnHour ? price.cacheWrite1h : price.cacheWrite5m);
  return { usd: toUsd(written + cachedTokens * price.cacheRead), unpricedTokens: 0 };
}

export const QUARTERS_PER_DAY = 96;
/** The largest offset of any time zone from UTC. */
const MAX_OFFSET_QUARTERS = 16 * 4;
const DAY_MS = 24 * 60 * 60_000;

/** Days of each range, today included. */
export const RANGE_DAYS: Readonly<Record<UsageRange, number>> = { today: 1, week: 7, month: 30, all: Infinity };

/** Consecutive days, and the first quarter of each. */
export interface DayStretch {
  readonly days: readonly string[];
  readonly starts: readonly number[];
}

/** The calendar of a time zone. Days are `YYYY-MM-DD`. */
export class LocalDays {
  readonly #format: Intl.DateTimeFormat;
  /** The first quarter of each requested day. */
  readonly #starts = new Map<string, number>();
  /** The day found last, with its first quarter and that of the next day. */
  #last: { readonly day: string; readonly from: number; readonly to: number } | null = null;
  #stretch: (DayStretch & { readonly key: string }) | null = null;

  /** Throws a RangeError if `timeZone` is not the name of a time zone. */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
  }

  /** The day of a quarter. Fast for quarters in ascending order. */
  dayOf(quarter: number): string {
    if (this.#last === null || quarter < this.#last.from || quarter >= this.#last.to) {
      const day = this.#dayAt(quarter);
      this.#last = { day, from: this.startOf(day), to: this.startOf(addDays(day, 1)) };
    }
    return this.#last.day;
  }

  /** The first quarter of the day; if the zone skipped the day, the first quarter of the next day. */
  startOf(day: string): number {
    const known = this.#starts.get(day);
    if (known !== undefined) return known;
    const midnight = (Date.parse(`${day}T00:00:00Z`) / DAY_MS) * QUARTERS_PER_DAY;
    let [before, from] = [midnight - MAX_OFFSET_QUARTERS - 1, midnight + MAX_OFFSET_QUARTERS];
    while (from - before > 1) {
      const middle = (before + from) >> 1;
      if (this.#dayAt(middle) < day) before = middle;
      else from = middle;
    }
    this.#starts.set(day, from);
    return from;
  }

  /** `count` days, of which `last` is the last one. Keeps the latest result. */
  daysUpTo(last: string, count: number): DayStretch {
    const key = `${last} ${count}`;
    if (this.#stretch?.key !== key) {
      const days = Array.from({ length: count }, (_, at) => addDays(last, at + 1 - count));
      this.#stretch = { key, days, starts: days.map((day) => this.startOf(day)) };
    }
    return this.#stretch;
  }

  #dayAt(quarter: number): string {
    // MM/DD/YYYY: parsing it is several times as fast as `formatToParts`.
    const [month = '', day = '', year = ''] = this.#format.format(quarter * QUARTER_MS).split('/');
    return `${year.padStart(4, '0')}-${month}-${day}`;
  }
}

/** The day that is `days` days later. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

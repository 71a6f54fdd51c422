import { resolve } from 'node:path';
import type { UsageCalls, UsageEvents, UsageExport, UsageView } from '../../protocol/channels/usage';
import {
  type DaySpending,
  type ModelSpending,
  type RangeSpending,
  type SessionUsage,
  totalTokens,
  USAGE_RANGES,
  type UsageGrouping,
  type UsageOverview,
  type UsageRange,
  type UsageReport,
  type UsageRow,
} from '../../protocol/usage';
import type { WriteDeps } from '../storage/openTranscript';
import { writeExport } from '../storage/writeExport';
import { createPacer } from '../util/scheduling';
import { quarterOf } from './buckets';
import { addDays, describeReport, describeSessionUsage, describeSpending, LocalDays } from './describeReport';
import { PriceBook } from './prices';
import { SessionContexts } from './sessionContexts';
import { compareSpending, compareTexts, RecentBuckets, SpendingTable } from './spendingTable';
import { UsageCounter, type UsageCounterDeps } from './usageCounter';
import type { UsageIndex } from './usageIndex';
import { UsageWatch } from './usageWatch';

export interface UsageServiceDeps extends Omit<UsageCounterDeps, 'configDir' | 'cache'> {
  /** Absolute path; null while it is not known. */
  readonly configDir: () => string | null;
  readonly openCache: (configDir: string) => UsageCounterDeps['cache'];
  readonly events: UsageEvents;
  readonly write: Pick<WriteDeps, 'fs' | 'random'>;
}

/** Longest work between two turns of the event loop. */
const TURN_MS = 10;

/** Answers what is asked of tokens. Costs nothing before the first call. */
export class UsageService implements UsageCalls {
  readonly #deps: UsageServiceDeps;
  readonly #looks: SessionContexts;
  #configDir: string | null = null;
  #counter: UsageCounter | null = null;
  #watch: UsageWatch | null = null;
  #revision = 0;
  readonly #recent = new RecentBuckets();
  /** Of the view that was asked for last: to make them takes longer than to use them. */
  #view: { readonly key: string; readonly calendar: LocalDays; readonly prices: PriceBook } | null = null;

  constructor(deps: UsageServiceDeps) {
    this.#deps = deps;
    this.#looks = new SessionContexts(deps.createScanner, createPacer(TURN_MS));
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- whatever it throws is to reject
  async watchUsage(view: UsageView | null): Promise<UsageOverview | null> {
    this.#watch?.stop();
    this.#watch = null;
    if (view === null) return null;
    const counter = this.#current();
    const overview = this.#overview(counter, view);
    const { clock, events } = this.#deps;
    this.#watch = new UsageWatch({
      counter,
      clock,
      tell: async () => {
        await events.usageChanged(this.#overview(counter, view));
      },
    });
    this.#watch.start();
    return overview;
  }

  async sessionUsage(path: string, view: UsageView): Promise<SessionUsage | null> {
    const filePath = resolve(path);
    const counter = this.#current();
    const found = await counter.countSession(filePath);
    if (found === null) return null;
    const { prices } = this.#forView(view);
    const look = await this.#looks.look(filePath, found.stamp, counter.follower(filePath));
    const { index } = counter.usage;
    const file = index.file(filePath);
    if (file === null) return null;
    const spending = describeSpending(index, file.session, prices);
    return describeSessionUsage({ filePath, sessionId: file.session.sessionId, spending, ...look }, prices);
  }

  /** Everything, once it is counted. */
  async usageReport(by: UsageGrouping, view: UsageView): Promise<UsageReport> {
    const { calendar, prices } = this.#forView(view);
    const counter = this.#current();
    await counter.count();
    return describeReport(counter.usage, by, calendar, prices);
  }

  async exportUsage(by: UsageGrouping, view: UsageView, target: string): Promise<UsageExport> {
    const report = await this.usageReport(by, view);
    const written = await writeExport(resolve(target), null, [usageCsv(by, report)], this.#deps.write);
    return { problem: written.kind === 'failed' ? written.problem : null };
  }

  /** Nothing is read any more; what was counted is kept. */
  async close(): Promise<void> {
    this.#watch?.stop();
    this.#watch = null;
    this.#counter?.close();
    await this.#counter?.save();
  }

  #overview(counter: UsageCounter, view: UsageView): UsageOverview {
    const { calendar, prices } = this.#forView(view);
    const { usage, waiting, isListed, problem } = counter;
    const question = {
      timeZone: view.timeZone,
      calendar,
      prices,
      nowMs: this.#deps.clock.now(),
      cwdOf: (project: string) => usage.cwdOf(project),
    };
    const figures = describeOverview(usage.index, question, this.#recent);
    return {
      revision: ++this.#revision,
      ...figures,
      files: { total: usage.files.size + counter.unread, waiting, isListing: !isListed },
      problem,
    };
  }

  #current(): UsageCounter {
    const configDir = this.#deps.configDir();
    if (configDir === null) throw new Error('Failed to count tokens: the config folder is not known');
    if (this.#counter !== null && this.#configDir === configDir) return this.#counter;
    this.#watch?.stop();
    this.#counter?.close();
    void this.#counter?.save();
    this.#configDir = configDir;
    this.#counter = new UsageCounter({ ...this.#deps, configDir, cache: this.#deps.openCache(configDir) });
    return this.#counter;
  }

  #forView(view: UsageView): { readonly calendar: LocalDays; readonly prices: PriceBook } {
    const key = JSON.stringify(view);
    if (this.#view?.key !== key) {
      this.#view = { key, calendar: new LocalDays(view.timeZone), prices: new PriceBook(view.priceOverrides) };
    }
    return this.#view;
  }
}

type Cell = string | number;

/**
 * What a program that opens the file may take for a formula: such a text is written behind an apostrophe, and so is one that
 * has apostrophes before such a sign, so that each text can be read back.
 */
const FORMULA_START = /^'*[=+\-@\t\r]/;

const FIGURES: readonly (readonly [name: string, figure: (row: UsageRow) => Cell])[] = [
  ['messages', ({ messages }) => messages],
  ['total_tokens', ({ counts }) => totalTokens(counts)],
  ['input_tokens', ({ counts }) => counts.input],
  ['output_tokens', ({ counts }) => counts.output],
  ['cache_read_tokens', ({ counts }) => counts.cacheRead],
  ['cache_write_5m_tokens', ({ counts }) => counts.cacheWrite5m],
  ['cache_write_1h_tokens', ({ counts }) => counts.cacheWrite1h],
  ['web_searches', ({ counts }) => counts.webSearches],
  ['web_fetches', ({ counts }) => counts.webFetches],
  // Nothing where nobody knows the price: a 0 would be added up.
  ['cost_usd', ({ cost }) => (cost.usd === null ? '' : Number(cost.usd.toFixed(6)))],
  ['unpriced_tokens', ({ cost }) => cost.unpricedTokens],
];

/** What was used, by RFC 4180: a head, and a line for each row of the report. Numbers are plain, in any language. */
export function usageCsv(by: UsageGrouping, { rows }: UsageReport): string {
  const columns: readonly (readonly [name: string, cell: (row: UsageRow) => Cell])[] = [
    [by, ({ key }) => key],
    ...(by === 'session' ? SESSION_COLUMNS : []),
    ...(by === 'model' ? [] : [MODELS_COLUMN]),
    ...FIGURES,
    ...(by === 'session' ? [SHARED_COLUMN] : []),
  ];
  const lines = [columns.map(([name]) => name), ...rows.map((row) => columns.map(([, cell]) => cell(row)))];
  return lines.map((cells) => `${cells.map(toField).join(',')}\r\n`).join('');
}

const SESSION_COLUMNS = [
  ['title', ({ title }: UsageRow) => title ?? ''],
  ['file', ({ filePath }: UsageRow) => filePath ?? ''],
] as const;
const MODELS_COLUMN = ['models', ({ models }: UsageRow) => models.join('; ')] as const;
const SHARED_COLUMN = ['shared_tokens', ({ sharedTokens }: UsageRow) => sharedTokens] as const;

function toField(cell: Cell): string {
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA_START.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const DAYS = 30;
const RANGE_DAYS: Readonly<Record<UsageRange, number>> = { today: 1, week: 7, month: DAYS, all: Infinity };
/** Ranges are made of buckets, each of what it has and the range before it has not. */
const BUCKETS = USAGE_RANGES.length;
/** Of each day, and behind them of all others. */
const BUCKET_OF_DAY = Array.from({ length: DAYS + 1 }, (_, day) =>
  day === DAYS ? BUCKETS - 1 : USAGE_RANGES.findIndex((range) => day >= DAYS - RANGE_DAYS[range]),
);

export interface OverviewQuestion {
  /** IANA name. */
  readonly timeZone: string;
  /** Of that time zone. */
  readonly calendar: LocalDays;
  readonly prices: PriceBook;
  readonly nowMs: number;
  readonly cwdOf: (project: string) => string | null;
}

export type Figures = Pick<UsageOverview, 'timeZone' | 'nowMs' | 'days' | 'otherDays' | 'ranges'>;

/**
 * The figures of everything, but how far the counting has come. `recent` remembers what the question before found out: to
 * ask again after a message was appended looks at the last thirty days alone.
 */
export function describeOverview(
  index: Pick<UsageIndex, 'buckets' | 'models' | 'projects'>,
  { timeZone, calendar, prices, nowMs, cwdOf }: OverviewQuestion,
  recent = new RecentBuckets(),
): Figures {
  const { models, projects } = index;
  const today = calendar.dayOf(quarterOf(nowMs));
  const days = Array.from({ length: DAYS }, (_, at) => addDays(today, at + 1 - DAYS));
  const starts = [...days, addDays(today, 1)].map((day) => calendar.startOf(day));
  const [first = 0, end = 0] = [starts[0], starts.at(-1)];
  const dayOfQuarter = new Uint8Array(Math.max(0, end - first));
  for (let day = 1; day < DAYS; day++) dayOfQuarter.fill(day, (starts[day] ?? 0) - first);
  const priceOf = models.map((model) => prices.of(model));

  /** For each day, and for all others behind them: a row for each model. */
  const byDay = new SpendingTable((DAYS + 1) * models.length);
  /** For each bucket: a row for each project. */
  const byProject = new SpendingTable(BUCKETS * projects.length);
  const earlier = recent.update(index, first, prices);
  for (const number of models.keys()) byDay.addFrom(DAYS * models.length + number, number, earlier.byModel);
  for (const number of projects.keys()) {
    byProject.addFrom((BUCKETS - 1) * projects.length + number, number, earlier.byProject);
  }
  index.buckets.forEachAt(earlier.recent, (bucket) => {
    const price = priceOf[bucket.model]?.at(bucket.quarter, bucket.isLong) ?? null;
    const day = bucket.quarter < end ? (dayOfQuarter[bucket.quarter - first] ?? 0) : DAYS;
    byDay.add(day * models.length + bucket.model, bucket.messages, bucket, price);
    byProject.add((BUCKET_OF_DAY[day] ?? 0) * projects.length + bucket.project, bucket.messages, bucket, price);
  });

  const sum = new SpendingTable(0);
  const modelsOf = (from: number, to: number): { total: number; models: ModelSpending[] } => {
    const total = sum.addRow();
    const listed = models.flatMap((model, number): ModelSpending[] => {
      const row = sum.addRow();
      for (let day = from; day < to; day++) sum.addFrom(row, day * models.length + number, byDay);
      sum.addFrom(total, row);
      return sum.hasMessages(row) ? [{ model, hasPrice: prices.hasPrice(model), ...sum.spending(row) }] : [];
    });
    return { total, models: listed.sort((a, b) => compareSpending(a, b) || compareTexts(nameOf(a), nameOf(b))) };
  };
  return {
    timeZone,
    nowMs,
    days: days.map((day, at): DaySpending => {
      const found = modelsOf(at, at + 1);
      return { day, ...sum.spending(found.total), models: found.models };
    }),
    otherDays: sum.spending(modelsOf(DAYS, DAYS + 1).total),
    ranges: USAGE_RANGES.map((range, bucket): RangeSpending => {
      const isAll = range === 'all';
      const found = modelsOf(isAll ? 0 : DAYS - RANGE_DAYS[range], isAll ? DAYS + 1 : DAYS);
      const listed = projects.flatMap((folder, number) => {
        const row = sum.addRow();
        for (let part = 0; part <= bucket; part++) sum.addFrom(row, part * projects.length + number, byProject);
        return sum.hasMessages(row) ? [{ cwd: cwdOf(folder), folder, ...sum.spending(row) }] : [];
      });
      return {
        range,
        total: sum.spending(found.total),
        models: found.models,
        projects: listed.sort((a, b) => compareSpending(a, b) || compareTexts(a.folder, b.folder)),
      };
    }),
  };
}

function nameOf({ model }: ModelSpending): string {
  return model ?? '';
}

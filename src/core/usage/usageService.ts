import { resolve } from 'node:path';
import type { UsageCalls, UsageEvents, UsageExport, UsageView } from '../../protocol/channels/usage';
import {
  type CacheSpending,
  type DaySpending,
  type ModelSpending,
  type RangeSpending,
  type SessionResume,
  type SessionUsage,
  type Spending,
  type ToolUsage,
  totalTokens,
  USAGE_RANGES,
  type UsageCalendar,
  type UsageGrouping,
  type UsageOverview,
  type UsageReport,
  type UsageRow,
} from '../../protocol/usage';
import type { WriteDeps } from '../storage/openTranscript';
import { writeExport } from '../storage/writeExport';
import { createPacer } from '../util/scheduling';
import { quarterOf } from './buckets';
import {
  addDays,
  describeReport,
  describeSessionUsage,
  describeSpending,
  LocalDays,
  RANGE_DAYS,
} from './describeReport';
import { PriceBook } from './prices';
import { listResumeCosts } from './resumeCosts';
import { SessionContexts } from './sessionContexts';
import { compareSpending, compareTexts, RecentBuckets, SpendingTable } from './spendingTable';
import type { ToolCache } from './toolCache';
import { ToolCounter } from './toolCounter';
import { UsageCounter, type UsageCounterDeps } from './usageCounter';
import type { UsageIndex } from './usageIndex';
import { UsageWatch } from './usageWatch';

export interface UsageServiceDeps extends Omit<UsageCounterDeps, 'configDir' | 'cache'> {
  /** Absolute path; null while it is unknown. */
  readonly configDir: () => string | null;
  readonly openCache: (configDir: string) => UsageCounterDeps['cache'];
  readonly openToolCache: (configDir: string) => ToolCache | null;
  readonly events: UsageEvents;
  readonly write: Pick<WriteDeps, 'fs' | 'random'>;
}

/** Longest work between two turns of the event loop, in milliseconds. */
const TURN_MS = 10;
/** How long one call may read transcripts to count tools. */
const TOOLS_MS = 2000;

/** Answers queries about tokens. Does nothing before the first call. */
export class UsageService implements UsageCalls {
  readonly #deps: UsageServiceDeps;
  readonly #contexts: SessionContexts;
  /** Apart from those, because both may read the same transcript at the same time. */
  readonly #resumes: SessionContexts;
  #configDir: string | null = null;
  #counter: UsageCounter | null = null;
  /** Counts tools in the transcripts of `#counter`. */
  #tools: ToolCounter | null = null;
  /** One count at a time. */
  #countingTools: Promise<unknown> = Promise.resolve();
  #watch: UsageWatch | null = null;
  /** One list at a time. */
  #listing: Promise<readonly SessionResume[]> = Promise.resolve([]);
  #revision = 0;
  readonly #recent = new RecentBuckets();
  /** Calendar and prices of the last requested view; creating them takes longer than using them. */
  #view: { readonly key: string; readonly calendar: LocalDays; readonly prices: PriceBook } | null = null;

  constructor(deps: UsageServiceDeps) {
    this.#deps = deps;
    this.#contexts = new SessionContexts(deps.createScanner, createPacer(TURN_MS));
    this.#resumes = new SessionContexts(deps.createScanner, createPacer(TURN_MS));
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- an error must reject the promise
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
      notify: async () => {
        await events.usageChanged(this.#overview(counter, view));
      },
    });
    this.#watch.start();
    return overview;
  }

  /** Called when the list of sessions found changed ones, by the paths of their transcripts. */
  sessionsChanged(filePaths: Iterable<string>): void {
    this.#watch?.sessionsChanged(filePaths);
  }

  async sessionUsage(path: string, view: UsageView): Promise<SessionUsage | null> {
    const filePath = resolve(path);
    const counter = this.#current();
    const found = await counter.countSession(filePath);
    if (found === null) return null;
    const { prices } = this.#forView(view);
    const context = await this.#contexts.read(filePath, found.stamp, counter.follower(filePath));
    const { index } = counter.usage;
    const file = index.file(filePath);
    if (file === null) return null;
    const spending = describeSpending(index, file.session, prices);
    return describeSessionUsage({ filePath, sessionId: file.session.sessionId, spending, ...context }, prices);
  }

  resumeCosts(view: UsageView): Promise<readonly SessionResume[]> {
    this.#listing = this.#listing.then(() => {
      const counter = this.#current();
      return listResumeCosts({
        usage: counter.usage,
        contexts: this.#resumes,
        followerOf: (filePath) => counter.follower(filePath),
        prices: this.#forView(view).prices,
        nowMs: this.#deps.clock.now(),
      });
    });
    const listing = this.#listing;
    this.#listing = listing.catch(() => []);
    return listing;
  }

  toolUsage(view: UsageView): Promise<ToolUsage> {
    const counted = this.#countingTools.then(() => {
      const { usage } = this.#current();
      if (this.#tools === null) throw new Error('Failed to count tools: there is no counter');
      const question = { calendar: this.#forView(view).calendar, nowMs: this.#deps.clock.now() };
      return this.#tools.count(usage.files, question, TOOLS_MS);
    });
    this.#countingTools = counted.catch(() => undefined);
    return counted;
  }

  /** The usage of all transcripts. Resolves once all of them are counted. */
  async usageReport(by: UsageGrouping, view: UsageView): Promise<UsageReport> {
    const { calendar, prices } = this.#forView(view);
    const counter = this.#current();
    await counter.count();
    return describeReport(counter.usage, by, calendar, prices);
  }

  async sessionTokens(view: UsageView): Promise<readonly (readonly [filePath: string, tokens: number])[]> {
    const { rows } = await this.usageReport('session', view);
    return rows.flatMap(({ filePath, counts }) =>
      filePath === null ? [] : [[filePath, totalTokens(counts)] as const],
    );
  }

  async exportUsage(by: UsageGrouping, view: UsageView, target: string): Promise<UsageExport> {
    const report = await this.usageReport(by, view);
    const written = await writeExport(
      resolve(target),
      { transcript: null, configDir: this.#deps.configDir() },
      [usageCsv(by, report)],
      this.#deps.write,
    );
    return { problem: written.kind === 'failed' ? written.problem : null };
  }

  /** Stops all reading and saves the counts. */
  async close(): Promise<void> {
    this.#watch?.stop();
    this.#watch = null;
    this.#counter?.close();
    this.#tools?.close();
    await Promise.all([this.#counter?.save(), this.#tools?.save()]);
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
    this.#tools?.close();
    void this.#counter?.save();
    void this.#tools?.save();
    this.#configDir = configDir;
    this.#counter = new UsageCounter({ ...this.#deps, configDir, cache: this.#deps.openCache(configDir) });
    this.#tools = new ToolCounter({ ...this.#deps, cache: this.#deps.openToolCache(configDir) });
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
 * Texts that a spreadsheet program may take for a formula are written with a leading apostrophe: also after spaces and
 * invisible characters, which some programs remove, and with full-width and small signs, which some programs convert.
 * So are texts that begin with apostrophes followed by such characters, so that every text can be restored.
 */
const FORMULA_START = /^'*(?:[\t\r]|[\s\p{Z}\p{C}]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b])/u;

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
  // Empty if the price is unknown, because a 0 would be included in sums.
  ['cost_usd', ({ cost }) => (cost.usd === null ? '' : Number(cost.usd.toFixed(6)))],
  ['unpriced_tokens', ({ cost }) => cost.unpricedTokens],
];

/** The report as CSV (RFC 4180): a header, and a line for each row. Numbers have the same form in every language. */
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

const DAYS = RANGE_DAYS.month;
/** 53 weeks: a whole year, whatever weekday it begins on. */
const CALENDAR_DAYS = 53 * 7;
/** A range consists of steps. The step of each range contains the days that the previous range does not contain. */
const STEPS = USAGE_RANGES.length;
/** The step of each day, and at the end the step of all other days. */
const STEP_OF_DAY = Array.from({ length: DAYS + 1 }, (_, day) =>
  day === DAYS ? STEPS - 1 : USAGE_RANGES.findIndex((range) => day >= DAYS - RANGE_DAYS[range]),
);

export interface OverviewQuestion {
  /** IANA name. */
  readonly timeZone: string;
  /** The calendar of `timeZone`. */
  readonly calendar: LocalDays;
  readonly prices: PriceBook;
  readonly nowMs: number;
  readonly cwdOf: (project: string) => string | null;
}

export type Figures = Pick<UsageOverview, 'timeZone' | 'nowMs' | 'days' | 'otherDays' | 'ranges' | 'calendar'>;

/**
 * All figures of the overview except the progress of the counting.
 *
 * @param recent keeps results of the previous call, so that after an appended message only the last 30 days are summed
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

  /** For each day, and at the end for all other days: a row for each model. */
  const byDay = new SpendingTable((DAYS + 1) * models.length);
  /** For each step: a row for each project. */
  const byProject = new SpendingTable(STEPS * projects.length);
  const earlierDays = calendar.daysUpTo(addDays(today, -DAYS), CALENDAR_DAYS - DAYS);
  const earlier = recent.update(index, first, earlierDays.starts, prices);
  for (const number of models.keys()) byDay.addFrom(DAYS * models.length + number, number, earlier.byModel);
  for (const number of projects.keys()) {
    byProject.addFrom((STEPS - 1) * projects.length + number, number, earlier.byProject);
  }
  index.buckets.forEachAt(earlier.recent, (bucket) => {
    const price = priceOf[bucket.model]?.at(bucket.quarter, bucket.isLong) ?? null;
    const day = bucket.quarter < end ? (dayOfQuarter[bucket.quarter - first] ?? 0) : DAYS;
    byDay.add(day * models.length + bucket.model, bucket.messages, bucket, price);
    byProject.add((STEP_OF_DAY[day] ?? 0) * projects.length + bucket.project, bucket.messages, bucket, price);
  });

  const sum = new SpendingTable(0);
  const modelsOf = (from: number, to: number): { total: number; models: ModelSpending[]; cache: CacheSpending[] } => {
    const total = sum.addRow();
    const listed = models.flatMap((model, number) => {
      const row = sum.addRow();
      for (let day = from; day < to; day++) sum.addFrom(row, day * models.length + number, byDay);
      sum.addFrom(total, row);
      if (!sum.hasMessages(row)) return [];
      const spending: ModelSpending = { model, hasPrice: prices.hasPrice(model), ...sum.spending(row) };
      return [{ spending, cache: { model, ...sum.cacheSpending(row) } }];
    });
    listed.sort(({ spending: a }, { spending: b }) => compareSpending(a, b) || compareTexts(nameOf(a), nameOf(b)));
    return { total, models: listed.map(({ spending }) => spending), cache: listed.map(({ cache }) => cache) };
  };
  const described = days.map((day, at): DaySpending => {
    const found = modelsOf(at, at + 1);
    return { day, ...sum.spending(found.total), models: found.models };
  });
  return {
    timeZone,
    nowMs,
    days: described,
    calendar: calendarOf(earlierDays.days[0] ?? today, [
      ...earlierDays.days.map((_, at) => earlier.byDay.spending(at)),
      ...described,
    ]),
    otherDays: sum.spending(modelsOf(DAYS, DAYS + 1).total),
    ranges: USAGE_RANGES.map((range, lastStep): RangeSpending => {
      const isAll = range === 'all';
      const found = modelsOf(isAll ? 0 : DAYS - RANGE_DAYS[range], isAll ? DAYS + 1 : DAYS);
      const listed = projects.flatMap((folder, number) => {
        const row = sum.addRow();
        for (let step = 0; step <= lastStep; step++) sum.addFrom(row, step * projects.length + number, byProject);
        return sum.hasMessages(row) ? [{ cwd: cwdOf(folder), folder, ...sum.spending(row) }] : [];
      });
      return {
        range,
        total: sum.spending(found.total),
        models: found.models,
        cache: found.cache,
        projects: listed.sort((a, b) => compareSpending(a, b) || compareTexts(a.folder, b.folder)),
      };
    }),
  };
}

function calendarOf(firstDay: string, days: readonly Spending[]): UsageCalendar {
  return {
    firstDay,
    messages: days.map(({ messages }) => messages),
    tokens: days.map(({ counts }) => totalTokens(counts)),
    usd: days.map(({ cost }) => cost.usd),
  };
}

function nameOf({ model }: ModelSpending): string {
  return model ?? '';
}

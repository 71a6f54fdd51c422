import {
  USAGE_RANGES,
  type DaySpending,
  type ModelSpending,
  type RangeSpending,
  type UsageOverview,
  type UsageRange,
} from '../../shared/usage';
import { addDays, type LocalDays } from './localDays';
import type { PriceBook } from './priceBook';
import { quarterOf } from './quarters';
import { RecentCells } from './recentCells';
import { compareSpending, compareTexts } from './spendingOrder';
import { SpendingTable } from './spendingTable';
import type { UsageLedger } from './usageLedger';

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
  ledger: Pick<UsageLedger, 'cells' | 'models' | 'projects'>,
  { timeZone, calendar, prices, nowMs, cwdOf }: OverviewQuestion,
  recent = new RecentCells(),
): Figures {
  const { models, projects } = ledger;
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
  const earlier = recent.update(ledger, first, prices);
  for (const number of models.keys()) byDay.addFrom(DAYS * models.length + number, number, earlier.byModel);
  for (const number of projects.keys()) {
    byProject.addFrom((BUCKETS - 1) * projects.length + number, number, earlier.byProject);
  }
  ledger.cells.forEachAt(earlier.recent, (cell) => {
    const price = priceOf[cell.model]?.at(cell.quarter, cell.isLong) ?? null;
    const day = cell.quarter < end ? (dayOfQuarter[cell.quarter - first] ?? 0) : DAYS;
    byDay.add(day * models.length + cell.model, cell.messages, cell, price);
    byProject.add((BUCKET_OF_DAY[day] ?? 0) * projects.length + cell.project, cell.messages, cell, price);
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

import { totalTokens } from '../../shared/totalTokens';
import type { UsageGrouping, UsageReport, UsageRow } from '../../shared/usage';
import { describeSpending } from './describeSessionUsage';
import type { LocalDays } from './localDays';
import type { PriceBook } from './priceBook';
import { NO_TIME } from './quarters';
import type { SpendingCell } from './spendingCells';
import { compareSpending, compareTexts } from './spendingOrder';
import { SpendingTable } from './spendingTable';
import type { UsageBook } from './usageBook';

/** Of messages without a usable time. */
const NO_DAY = 'unknown';
/** Of messages that name no model. */
const NO_MODEL = 'unknown';

/**
 * A table of what was used. Sessions, projects and models are sorted by cost; days by date. The sum of
 * the rows is the total, but for sessions: of those, each row's shared part counts for another one.
 */
export function describeReport(
  book: UsageBook,
  by: UsageGrouping,
  calendar: LocalDays,
  prices: PriceBook,
): UsageReport {
  const rows = by === 'session' ? sessionRows(book, prices) : cellRows(book, by, calendar, prices);
  return { rows, totals: totalsOf(book, prices) };
}

function cellRows(
  book: UsageBook,
  by: Exclude<UsageGrouping, 'session'>,
  calendar: LocalDays,
  prices: PriceBook,
): UsageRow[] {
  const { ledger } = book;
  const { models, projects } = ledger;
  const keyOf = (cell: SpendingCell): string => {
    if (by === 'day') return cell.quarter === NO_TIME ? NO_DAY : calendar.dayOf(cell.quarter);
    if (by === 'model') return models[cell.model] ?? NO_MODEL;
    return projects[cell.project] ?? '';
  };
  const table = new SpendingTable(0);
  const groups = new Map<string, { readonly row: number; readonly models: Map<number, number> }>();
  ledger.cells.forEach((cell) => {
    const key = keyOf(cell);
    const group = groups.get(key) ?? { row: table.addRow(), models: new Map<number, number>() };
    groups.set(key, group);
    const modelRow = group.models.get(cell.model) ?? table.addRow();
    group.models.set(cell.model, modelRow);
    const price = prices.of(models[cell.model] ?? null)?.at(cell.quarter, cell.isLong) ?? null;
    for (const row of [group.row, modelRow]) table.add(row, cell.messages, cell, price);
  });
  const rows = Array.from(groups, ([key, group]): UsageRow => {
    const named = Array.from(group.models, ([model, row]) => ({ model: models[model], ...table.spending(row) }));
    return {
      key: by === 'project' ? (book.cwdOf(key) ?? key) : key,
      title: null,
      filePath: by === 'project' ? key : null,
      ...table.spending(group.row),
      models: named.sort(compareSpending).flatMap(({ model }) => model ?? []),
      sharedTokens: 0,
    };
  });
  return rows.sort((a, b) => (by === 'day' ? compareTexts(a.key, b.key) : compareRows(a, b)));
}

function sessionRows(book: UsageBook, prices: PriceBook): UsageRow[] {
  const rows: UsageRow[] = [];
  for (const session of book.ledger.sessions) {
    const { total, shared, models } = describeSpending(book.ledger, session, prices);
    if (total.messages === 0) continue;
    const main = session.files.find(({ place }) => !place.isAgent)?.place.filePath ?? null;
    rows.push({
      key: session.sessionId,
      title: main === null ? null : (book.files.get(main)?.notes.title ?? null),
      filePath: main,
      ...total,
      models: models.flatMap(({ model }) => model ?? []),
      sharedTokens: totalTokens(shared.counts),
    });
  }
  return rows.sort(compareRows);
}

function totalsOf({ ledger }: UsageBook, prices: PriceBook): UsageReport['totals'] {
  const table = new SpendingTable(1);
  ledger.cells.forEach((cell) => {
    const price = prices.of(ledger.models[cell.model] ?? null)?.at(cell.quarter, cell.isLong) ?? null;
    table.add(0, cell.messages, cell, price);
  });
  return table.spending(0);
}

function compareRows(a: UsageRow, b: UsageRow): number {
  return compareSpending(a, b) || compareTexts(a.key, b.key) || compareTexts(a.filePath ?? '', b.filePath ?? '');
}

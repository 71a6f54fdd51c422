import type { Spending, UsageGrouping, UsageReport, UsageRow } from '../../protocol/usage';
import { clipPath, countOf, formatCount, printable, shortenHome, wrap } from './format';
import type { Page } from './page';
import { type Column, fitWidths, renderTable, textWidth } from './table';

interface UsageColumn extends Column {
  readonly cell: (spending: Spending, row: UsageRow | null) => string;
  /** Narrower pages leave it out. */
  readonly minPageWidth?: number;
  readonly isShown?: (report: UsageReport) => boolean;
}

const HEADS: Readonly<Record<UsageGrouping, string>> = {
  session: 'Session',
  project: 'Project',
  day: 'Day',
  model: 'Model',
};

const COLUMNS: readonly UsageColumn[] = [
  { title: 'Messages', align: 'right', cell: ({ messages }) => formatCount(messages), minPageWidth: 76 },
  { title: 'Input', align: 'right', cell: ({ counts }) => formatCount(counts.input) },
  { title: 'Output', align: 'right', cell: ({ counts }) => formatCount(counts.output) },
  {
    title: 'Cache write',
    align: 'right',
    cell: ({ counts }) => formatCount(counts.cacheWrite5m + counts.cacheWrite1h),
  },
  { title: 'Cache read', align: 'right', cell: ({ counts }) => formatCount(counts.cacheRead) },
  {
    title: 'Shared',
    align: 'right',
    cell: (_, row) => (row === null ? '' : formatCount(row.sharedTokens)),
    isShown: ({ rows }) => rows.some(({ sharedTokens }) => sharedTokens > 0),
  },
  { title: 'Cost', align: 'right', cell: ({ cost }) => formatCost(cost) },
];

/** The table, its totals in the last line, and what there is to know of them. */
export function usageReport(report: UsageReport, by: UsageGrouping, timeZone: string, page: Page): string {
  if (report.totals.messages === 0) return 'No messages found.\n';
  const columns = COLUMNS.filter(
    ({ minPageWidth, isShown }) => page.width >= (minPageWidth ?? 0) && (isShown?.(report) ?? true),
  );
  const cells = [
    ...report.rows.map((row) => [nameOf(row, by, page), ...columns.map(({ cell }) => cell(row, row))]),
    ['Total', ...columns.map(({ cell }) => cell(report.totals, null))],
  ];
  const heads: readonly Column[] = [{ title: HEADS[by] }, ...columns];
  const natural = heads.map(({ title }, at) => textWidth([title, ...cells.map((row) => row[at] ?? '')]));
  const widths = fitWidths(natural, [0], page.width);
  const clipped = cells.map(([name = '', ...figures]) => [
    by === 'project' ? clipPath(name, widths[0] ?? 0) : name,
    ...figures,
  ]);
  const lines = renderTable(heads, clipped, widths).split('\n');
  const total = lines.pop() ?? '';
  const [head = '', ...rows] = lines;
  const { colors } = page;
  return `${[colors.dim(head), ...rows, colors.bold(total)].join('\n')}\n\n${notes(report, by, timeZone, page)}\n`;
}

function nameOf(row: UsageRow, by: UsageGrouping, page: Page): string {
  if (by === 'project') return printable(shortenHome(row.key, page.home));
  return printable(by === 'session' ? (row.title ?? row.key) : row.key);
}

/** "$0.04"; "unknown" where no price is known, and a "+" behind what is only a part. */
function formatCost({ usd, unpricedTokens }: Spending['cost']): string {
  if (usd === null) return 'unknown';
  const digits = usd > 0 && usd < 0.01 ? 4 : 2;
  const amount = new Intl.NumberFormat('en', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(usd);
  return unpricedTokens > 0 ? `${amount}+` : amount;
}

function notes({ rows, totals }: UsageReport, by: UsageGrouping, timeZone: string, page: Page): string {
  const sentences = ['Cost is what the API charges by its price list; subscriptions are paid otherwise.'];
  if (by === 'day') sentences.push(`Days are those of ${timeZone}.`);
  if (totals.cost.unpricedTokens > 0) {
    sentences.push(`${countOf(totals.cost.unpricedTokens, 'token')} of models without a known price are not in it.`);
  }
  if (rows.some(({ sharedTokens }) => sharedTokens > 0)) {
    sentences.push(
      'Shared tokens are of messages that forks copied: they are in the rows of both sessions, and once in the total.',
    );
  }
  return sentences.map((sentence) => page.colors.dim(wrap(sentence, page.width, ''))).join('\n');
}

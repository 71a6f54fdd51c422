import { totalTokens } from '../../shared/totalTokens';
import type { UsageGrouping, UsageReport, UsageRow } from '../../shared/usage';

type Cell = string | number;

/** What a program that opens the file may take for a formula: so such a text is put behind an apostrophe. */
const FORMULA_START = /^[=+\-@\t\r]/;

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

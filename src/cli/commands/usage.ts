import { type CountedPaths, countPaths } from '../../core/usage/countPaths';
import { describeReport, LocalDays } from '../../core/usage/describeReport';
import { PriceBook } from '../../core/usage/prices';
import { countOf } from '../../core/util/countOf';
import type { Spending, UsageGrouping, UsageReport, UsageRow } from '../../protocol/usage';
import { Progress, progressStream } from '../batch';
import { checkPaths, defineCommand, PATHS_HELP, READING_EXIT_CODES_HELP, UsageError } from '../command';
import { absolutePaths, type CommandContext, configDirProblem, reportProblem } from '../context';
import { Engines } from '../engines';
import { EXIT_CODE, type ExitCode } from '../environment';
import { type Column, createPage, fitWidths, type Page, renderTable, textWidth } from '../report/page';
import { clipPath, formatCount, formatUsd, printable, shortenHome, wrap } from '../report/text';

const GROUPINGS = ['session', 'project', 'day', 'model'] as const satisfies readonly UsageGrouping[];

interface UsageQuestion {
  readonly by: UsageGrouping;
  /** IANA name. */
  readonly timeZone: string;
}

export const command = defineCommand({
  options: { by: { type: 'string' }, 'time-zone': { type: 'string' } },
  help,
  run(context, { values, positionals, isJson }) {
    checkPaths(positionals);
    const question = { by: parseGrouping(values.by ?? 'day'), timeZone: parseTimeZone(values['time-zone']) };
    return usage(context, question, positionals, isJson);
  },
});

function help(name: string): string {
  return `Usage: ${name} usage [PATH…] [options]

Counts the tokens of sessions and their subagents, each message once, and says what
they cost by the API's price list. Nothing is changed.

${PATHS_HELP}
Without one, the sessions in $CLAUDE_CONFIG_DIR are counted, else those in ~/.claude.

Options:
      --by GROUP         ${GROUPINGS.join(', ')}; day without it
      --time-zone ZONE   whose days: an IANA name; the system's without it
      --json             print {"rows": […], "totals": {…}} on stdout
  -h, --help             show this help

${READING_EXIT_CODES_HELP}
`;
}

function parseGrouping(name: string): UsageGrouping {
  const by = GROUPINGS.find((each) => each === name);
  if (by === undefined) throw new UsageError(`--by needs one of ${GROUPINGS.join(', ')}.`);
  return by;
}

/** The system's time zone if no name is given. */
function parseTimeZone(name: string | undefined): string {
  try {
    return new Intl.DateTimeFormat('en', name === undefined ? {} : { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    throw new UsageError(`There is no time zone "${name ?? ''}"; one is named like Europe/Berlin.`);
  }
}

/** @param paths as the person entered them; none means the config folder */
async function usage(
  context: CommandContext,
  { by, timeZone }: UsageQuestion,
  paths: readonly string[],
  isJson: boolean,
): Promise<ExitCode> {
  const { environment, out, err, signal } = context;
  const problem = paths.length === 0 ? await configDirProblem(context.configDir) : null;
  if (problem !== null) await err.write(`${problem}\n`);
  const asked = paths.length === 0 ? [context.configDir] : absolutePaths(context, paths);
  const counted = await count(context, problem === null ? asked : [], isJson);
  if (counted === null || signal.aborted) return EXIT_CODE.unusable;
  const report = describeReport(counted.usage, by, new LocalDays(timeZone), new PriceBook({}));
  if (isJson)
    await out.writeJsonList('rows', report.rows.map(rowJson), () => ({ totals: spendingJson(report.totals) }));
  else if (problem === null) await out.write(usageReport(report, by, timeZone, createPage(environment)));
  for (const { filePath, problem: why } of counted.unreadable) await reportProblem(context, filePath, why, paths);
  return problem !== null || counted.unreadable.length > 0 ? EXIT_CODE.unusable : EXIT_CODE.ok;
}

/** Null if interrupted, because partial figures would be mistaken for complete ones. */
async function count(context: CommandContext, paths: readonly string[], isJson: boolean): Promise<CountedPaths | null> {
  const { environment, signal } = context;
  const { createScanner } = new Engines(context).default;
  let progress: Progress | null = null;
  try {
    return await countPaths(paths, {
      createScanner,
      signal,
      onListed: (total) => {
        progress = new Progress(progressStream(environment, isJson), 'Counting', total);
      },
      onCounted: (bytes) => {
        progress?.advance(bytes);
        progress?.fileDone();
      },
    });
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  } finally {
    // Assigned in a callback, which the compiler does not follow.
    (progress as Progress | null)?.stop();
  }
}

/** The document of `--json`, field by field: the names and their order are a contract with scripts. */
function rowJson(row: UsageRow): UsageRow {
  const { key, title, filePath, models, sharedTokens } = row;
  return { key, title, filePath, ...spendingJson(row), models, sharedTokens };
}

function spendingJson({ messages, counts, cost }: Spending): Spending {
  return {
    messages,
    counts: {
      input: counts.input,
      output: counts.output,
      cacheWrite5m: counts.cacheWrite5m,
      cacheWrite1h: counts.cacheWrite1h,
      cacheRead: counts.cacheRead,
      webSearches: counts.webSearches,
      webFetches: counts.webFetches,
    },
    cost: { usd: cost.usd, unpricedTokens: cost.unpricedTokens },
  };
}

interface UsageColumn extends Column {
  readonly cell: (spending: Spending, row: UsageRow | null) => string;
  /** Hidden on narrower pages. */
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
  { title: 'Replies', align: 'right', cell: ({ messages }) => formatCount(messages), minPageWidth: 76 },
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

/** The table, with its totals in the last line, followed by notes. */
function usageReport(report: UsageReport, by: UsageGrouping, timeZone: string, page: Page): string {
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

/** "$0.04"; "unknown" if no price is known; with a "+" appended if only part of it is priced. */
function formatCost({ usd, unpricedTokens }: Spending['cost']): string {
  if (usd === null) return 'unknown';
  const amount = formatUsd(usd);
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
      'Shared tokens are of messages that forks copied: they are in both sessions, and once in the total.',
    );
  }
  return sentences.map((sentence) => page.colors.dim(wrap(sentence, page.width, ''))).join('\n');
}

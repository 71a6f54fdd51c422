import { createMatcher } from '../../core/conversation/search/textMatcher';
import { countOf } from '../../core/util/countOf';
import type { SearchMatch, SearchOutcome, SearchQuery } from '../../protocol/channels/search';
import type { ItemRole } from '../../protocol/conversation';
import { Progress, progressStream } from '../batch';
import { checkPaths, defineCommand, PATHS_HELP, UsageError } from '../command';
import { absolutePaths, type CommandContext, configDirProblem, reportProblem } from '../context';
import { Engines } from '../engines';
import { EXIT_CODE, type ExitCode } from '../environment';
import { createPage, type Page } from '../report/page';
import { formatAge, formatBytes, formatCount, printable, shortenHome } from '../report/text';

/** Values of `--role`; `progress` rows hold no searchable text. */
const SEARCH_ROLES = ['user', 'assistant', 'system', 'attachment', 'unknown'] as const satisfies readonly ItemRole[];

/** Number of rows after which `search` ends. */
const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 1_000_000;

const ROLE_WIDTH = 'attachment'.length;
const LINE_WIDTH = 7;
/** Width of "  12mo ago" after a title. */
const AGE_WIDTH = 12;

export const command = defineCommand({
  options: {
    regex: { type: 'boolean' },
    case: { type: 'boolean' },
    role: { type: 'string', multiple: true },
    limit: { type: 'string' },
  },
  help,
  run(context, { values, positionals, isJson }) {
    const [text, ...paths] = positionals;
    if (text === undefined || text === '') throw new UsageError('search needs a TEXT to look for.');
    checkPaths(paths);
    const query: SearchQuery = {
      text,
      isRegExp: values.regex === true,
      isCaseSensitive: values.case === true,
      roles: (values.role ?? []).map(parseRole),
      limit: parseLimit(values.limit),
    };
    return search(context, query, paths, isJson);
  },
});

function help(name: string): string {
  return `Usage: ${name} search TEXT [PATH…] [options]

Finds text in prompts, replies, thinking, and the inputs and outputs of tools. The
session with the latest activity comes first. Nothing is changed.

${PATHS_HELP}
Without one, the sessions in $CLAUDE_CONFIG_DIR are searched, else those in ~/.claude.

Options:
      --regex    TEXT is a regular expression, as in JavaScript
      --case     upper and lower case differ
      --role R   only rows from R: ${SEARCH_ROLES.join(', ')};
                 may be given several times
      --limit N  stop after N rows; ${DEFAULT_LIMIT} without it
      --json     print {"matches": […]} on stdout
  -h, --help     show this help

Exit codes:
  0  done, whether or not there are matches
  2  wrong usage, or something could not be read
`;
}

function parseRole(name: string): ItemRole {
  const role = SEARCH_ROLES.find((each) => each === name);
  if (role === undefined) {
    throw new UsageError(`There is no role "${name}"; there are ${SEARCH_ROLES.join(', ')}.`);
  }
  return role;
}

function parseLimit(value: string | undefined): number {
  if (value === undefined) return DEFAULT_LIMIT;
  const limit = /^\d{1,7}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > MAX_LIMIT) throw new UsageError(`--limit needs a number from 1 to ${MAX_LIMIT}.`);
  return limit;
}

/** @param paths as the person entered them; none means the config folder */
async function search(
  context: CommandContext,
  query: SearchQuery,
  paths: readonly string[],
  isJson: boolean,
): Promise<ExitCode> {
  const { environment, out, err, signal } = context;
  const matcher = createMatcher(query);
  if (matcher.kind === 'problem') throw new UsageError(matcher.problem);
  const problem = paths.length === 0 ? await configDirProblem(context.configDir) : null;
  if (problem !== null) {
    await err.write(`${problem}\n`);
    if (isJson) await out.writeJsonList('matches', [], () => ({}));
    return EXIT_CODE.unusable;
  }
  const engine = new Engines(context).default;
  let outcome: SearchOutcome | null = null;
  const stream = progressStream(environment, isJson);

  async function* matches(): AsyncGenerator<SearchMatch> {
    let progress: Progress | null = null;
    let bytesDone = 0;
    let sessionsDone = 0;
    const updates = engine.search(query, { paths: absolutePaths(context, paths), signal });
    try {
      for (;;) {
        const step = await updates.next();
        if (step.done === true) {
          outcome = step.value;
          return;
        }
        const { matches: found, progress: state } = step.value;
        const total = { files: state.sessionsTotal, bytes: state.bytesTotal };
        // A progress bar on the same terminal would break up the lines of the report.
        if (found.length > 0 && environment.stdout.isTTY === true) progress?.stop();
        else progress ??= new Progress(stream, 'Searching', total);
        progress?.advance(state.bytesDone - bytesDone);
        for (; sessionsDone < state.sessionsDone; sessionsDone++) progress?.fileDone();
        bytesDone = state.bytesDone;
        yield* found;
      }
    } finally {
      progress?.stop();
    }
  }

  if (isJson) await out.writeJsonList('matches', jsonOf(matches()), () => ({}));
  else {
    const page = createPage(environment);
    let last: string | null = null;
    for await (const match of matches()) {
      await out.write(matchReport(match, match.filePath !== last, page));
      last = match.filePath;
    }
  }
  return conclude(context, outcome, paths, isJson);
}

async function conclude(
  context: CommandContext,
  outcome: SearchOutcome | null,
  paths: readonly string[],
  isJson: boolean,
): Promise<ExitCode> {
  if (outcome === null) return EXIT_CODE.unusable;
  if (!isJson && !outcome.isCancelled) await context.out.write(searchSummary(outcome));
  for (const { filePath, problem } of outcome.unreadable) await reportProblem(context, filePath, problem, paths);
  return outcome.unreadable.length > 0 ? EXIT_CODE.unusable : EXIT_CODE.ok;
}

async function* jsonOf(matches: AsyncIterable<SearchMatch>): AsyncGenerator<object> {
  for await (const match of matches) yield matchJson(match);
}

/** The document of `--json`, field by field: the names and their order are a contract with scripts. */
function matchJson(match: SearchMatch): Omit<SearchMatch, 'isResult' | 'projectFolder' | 'cwd' | 'lastMessageMs'> {
  return {
    filePath: match.filePath,
    sessionId: match.sessionId,
    title: match.title,
    line: match.line,
    uuid: match.uuid,
    role: match.role,
    timeMs: match.timeMs,
    excerpt: match.excerpt,
    hit: { start: match.hit.start, end: match.hit.end },
  };
}

/** One line for a match, below a heading if it is the first of its session. */
function matchReport(match: SearchMatch, isFirst: boolean, page: Page): string {
  const { colors } = page;
  const place = `${String(match.line).padStart(LINE_WIDTH)}  ${match.role.padEnd(ROLE_WIDTH)}  `;
  const row = `${colors.dim(place)}${excerpt(match, page.width - place.length, page)}\n`;
  return isFirst ? `${heading(match, page)}${row}` : row;
}

function heading(match: SearchMatch, page: Page): string {
  const { colors } = page;
  const title = colors.bold(cut(printable(match.title ?? match.sessionId), page.width - AGE_WIDTH));
  const age = match.timeMs === null ? '' : colors.dim(`  ${formatAge(match.timeMs, page.nowMs)}`);
  return `\n${title}${age}\n  ${colors.dim(printable(shortenHome(match.filePath, page.home)))}\n`;
}

/** Truncates the excerpt at the end, and also at the start if the hit would not be visible. */
function excerpt(match: SearchMatch, width: number, { colors }: Page): string {
  const { start, end } = match.hit;
  const hit = cut(spaced(match.excerpt.slice(start, end)), width);
  const after = spaced(match.excerpt.slice(end));
  const room = Math.max(width - hit.length, 0);
  const whole = spaced(match.excerpt.slice(0, start));
  const beforeRoom = Math.max(Math.floor(room / 3), room - after.length);
  const before =
    whole.length <= beforeRoom ? whole : beforeRoom === 0 ? '' : `…${whole.slice(whole.length - beforeRoom + 1)}`;
  return `${before}${colors.yellow(colors.bold(hit))}${cut(after, Math.max(room - before.length, 0))}`.trimEnd();
}

function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  return width === 0 ? '' : `${text.slice(0, width - 1)}…`;
}

/** Like `printable`, but keeps leading and trailing spaces, because the text is part of a line. */
function spaced(text: string): string {
  return `${/^\s/.test(text) ? ' ' : ''}${printable(text)}${/\S\s$/.test(text) ? ' ' : ''}`;
}

/** Those that could not be read are not counted: stderr names them. */
function searchSummary({ matches, progress, isCut, unreadable }: SearchOutcome): string {
  const { bytesDone } = progress;
  const read = (sessions: number): number => Math.max(0, sessions - unreadable.length);
  const [sessionsDone, sessionsTotal] = [read(progress.sessionsDone), read(progress.sessionsTotal)];
  const where =
    sessionsDone === sessionsTotal
      ? countOf(sessionsTotal, 'session')
      : `${formatCount(sessionsDone)} of ${countOf(sessionsTotal, 'session')}`;
  const found = matches === 0 ? 'Nothing found' : `${countOf(matches, 'hit')} found`;
  const more = isCut ? ' There may be more.' : '';
  return `${matches === 0 ? '' : '\n'}${found} in ${where} (${formatBytes(bytesDone)}).${more}\n`;
}

import { basename } from 'node:path';
import { memoryPhrase } from '../../core/conversation/memoryPhrase';
import { countOf } from '../../core/util/countOf';
import { type Memory, memoryKindOf } from '../../protocol/memory';
import { type Finding, isForRepair } from '../../protocol/repair';
import type { ScannedSession, ScanTotals, SessionStatus, UnneededFiles } from '../../protocol/session';
import { type Column, fitWidths, type Page, renderRows, renderTable, textWidth } from './page';
import {
  clip,
  clipPath,
  formatAge,
  formatBytes,
  formatCount,
  formatLines,
  formatTime,
  printable,
  problemOf,
  sharePhrase,
  shareOf,
  shellPath,
  shortenHome,
  wrap,
} from './text';
import { clientNote, clientOption, readerOf, type VerdictClient } from './verdictClient';

/** A title can be a prompt of a whole page; tables show no more than this. */
const MAX_TITLE_LENGTH = 80;

/** The part of a scanned session that a report keeps; small, because there may be very many. */
export interface SessionRow {
  readonly status: SessionStatus;
  readonly filePath: string;
  readonly sessionId: string;
  readonly title: string | null;
  /** Working directory, or else the name of the folder that holds the transcript. */
  readonly project: string;
  readonly lastMessageMs: number | null;
  readonly fileSize: number;
  /** Rows. */
  readonly loads: number;
  readonly of: number;
  /** Messages, as people count them; null if nobody has counted them. */
  readonly memory: Memory | null;
  readonly findings: readonly Finding[];
}

/** What a report is about. */
export interface ScanScope {
  /** The PATHs as the person entered them, for the suggested next command. */
  readonly scope: readonly string[];
  /** The client that the verdicts are for. */
  readonly client: VerdictClient;
  /** The person named each session: all of them were looked at closely. */
  readonly isClose: boolean;
}

const NO_FINDINGS: readonly Finding[] = [];

/** @param shared texts of earlier rows, so that the many rows of one project hold its path once */
export function toSessionRow(session: ScannedSession, projectFolder: string, shared: Map<string, string>): SessionRow {
  const { result, metadata } = session;
  const project = printable(metadata.cwd ?? projectFolder);
  if (!shared.has(project)) shared.set(project, project);
  return {
    status: result.status,
    filePath: result.filePath,
    sessionId: result.sessionId,
    title: metadata.title === null ? null : printable(metadata.title).slice(0, MAX_TITLE_LENGTH),
    project: shared.get(project) ?? project,
    lastMessageMs: metadata.lastMessageMs,
    fileSize: result.fileSize,
    loads: result.resume.loads,
    of: result.resume.of,
    memory: null,
    findings: result.findings.length === 0 ? NO_FINDINGS : result.findings,
  };
}

interface SessionColumn extends Column {
  readonly cell: (row: SessionRow, page: Page) => string;
  /** The column shrinks if the line is too short for all columns. */
  readonly isFlexible?: boolean;
  /** Hidden on narrower pages. */
  readonly minPageWidth?: number;
}

const MIN_WIDTH_FOR_PATHS = 100;

const COLUMNS: readonly SessionColumn[] = [
  { title: '', cell: (row, page) => statusLabel(row, page) },
  { title: 'Memory', align: 'right', cell: shareRemembered },
  { title: 'Title', cell: (row) => row.title ?? '(no title)', isFlexible: true },
  { title: 'Project', cell: projectLabel, isFlexible: true },
  {
    title: 'Active',
    align: 'right',
    cell: (row, page) => (row.lastMessageMs === null ? '' : formatAge(row.lastMessageMs, page.nowMs)),
  },
  { title: 'Size', align: 'right', cell: (row) => formatBytes(row.fileSize), minPageWidth: 76 },
  { title: 'Session', cell: (row) => printable(row.sessionId).slice(0, 8), minPageWidth: 76 },
];

/**
 * The table of sessions in parts, newest first with corrupted ones last, followed by their findings and a summary. Sessions that
 * could not be read are only counted: the command reports them on stderr.
 */
export function* scanReport(
  rows: readonly SessionRow[],
  totals: ScanTotals,
  about: ScanScope,
  page: Page,
): Generator<string> {
  const readable = rows.filter((row) => row.status === 'healthy' || row.status === 'corrupted').sort(byHealthThenAge);
  const explained = readable.filter((row) => row.status === 'corrupted' || noteworthy(row, readable.length).length > 0);
  if (readable.length > 0) {
    yield* sessionTable(readable, page);
    yield '\n';
  }
  for (const row of explained) yield `${explanation(row, readable.length, page)}\n\n`;
  yield `${summary(readable, totals, about, page)}\n`;
}

/** Width of the longest share. */
const SHARE_WIDTH = 4;
/** Width of the longest label of a status. */
const LABEL_WIDTH = 12;

/**
 * One line about a session whose result has changed, with the time of the page.
 *
 * @param problem why the session could not be read
 */
export function changeLine(row: SessionRow, problem: string | null, page: Page): string {
  const label = statusLabel(row, page);
  const gap = ' '.repeat(Math.max(0, LABEL_WIDTH - textWidth([label])));
  const time = formatTime(page.nowMs);
  const about =
    row.status === 'healthy' || row.status === 'corrupted'
      ? [
          shareRemembered(row).padStart(SHARE_WIDTH),
          printable(row.sessionId).slice(0, 8),
          row.title ?? '(no title)',
          projectLabel(row, page),
        ].join('  ')
      : problemOf(row.filePath, problem ?? `${row.filePath} is ${row.status}.`, page.home);
  const room = page.width - time.length - LABEL_WIDTH - 4;
  return `${page.colors.dim(time)}  ${label}${gap}  ${clip(about, room)}\n`;
}

function byHealthThenAge(a: SessionRow, b: SessionRow): number {
  if (a.status !== b.status) return a.status === 'corrupted' ? 1 : -1;
  return (b.lastMessageMs ?? 0) - (a.lastMessageMs ?? 0);
}

/** Rows whose cells are in memory at once: there may be a hundred thousand rows. So few that V8 discards them while they are young. */
const ROWS_AT_ONCE = 64;

function* sessionTable(rows: readonly SessionRow[], page: Page): Generator<string> {
  const columns = COLUMNS.filter(({ minPageWidth }) => page.width >= (minPageWidth ?? 0));
  const cellsOf = (row: SessionRow): string[] => columns.map((column) => column.cell(row, page));
  const natural = columns.map(({ title }) => textWidth([title]));
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const cells = rows.slice(at, at + ROWS_AT_ONCE).map(cellsOf);
    for (const column of columns.keys()) {
      natural[column] = Math.max(natural[column] ?? 0, textWidth(cells.map((row) => row[column] ?? '')));
    }
  }
  const flexible = [...columns.keys()].filter((at) => columns[at]?.isFlexible === true);
  const widths = fitWidths(natural, flexible, page.width);
  const projectAt = columns.findIndex(({ title }) => title === 'Project');
  const clipped = (row: SessionRow): string[] =>
    cellsOf(row).map((cell, at) => (at === projectAt ? clipPath(cell, widths[at] ?? 0) : cell));
  yield `${page.colors.dim(renderTable(columns, [], widths))}\n`;
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    yield `${renderRows(columns, rows.slice(at, at + ROWS_AT_ONCE).map(clipped), widths)}\n`;
  }
}

/** "7 of 15", or only whether it is all where nobody has counted the messages. */
function shareRemembered({ memory, loads, of }: SessionRow): string {
  if (memory === null) return shareOf({ loads, of });
  const [remembered, messages] = [memory.remembered, memory.messages].map(formatCount);
  switch (memoryKindOf(memory)) {
    case 'empty':
      return '';
    case 'summaryAndLast':
      return memory.remembered === 0 ? 'summary' : `summary + ${remembered}`;
    case 'all':
      return 'all';
    case 'allOfThread':
      return 'all of thread';
    case 'some':
      return `${remembered} of ${messages}`;
    case 'none':
      return 'none';
  }
}

/** On a narrow page, the folder's name identifies a project better than the end of a clipped path. */
function projectLabel(row: SessionRow, page: Page): string {
  return page.width < MIN_WIDTH_FOR_PATHS ? basename(row.project) : shortenHome(row.project, page.home);
}

function statusLabel(row: SessionRow, page: Page): string {
  switch (row.status) {
    case 'healthy':
      return hasWarning(row) ? page.colors.yellow('! healthy') : page.colors.green('✓ healthy');
    case 'corrupted':
      return page.colors.red('✗ broken');
    case 'missing':
      return page.colors.yellow('? missing');
    case 'unreadable':
      return page.colors.yellow('! unreadable');
  }
}

/** Findings of severity `info` are shown only for a single session. */
function noteworthy(row: SessionRow, sessions: number): readonly Finding[] {
  return row.findings.filter((finding) => finding.severity !== 'info' || sessions === 1);
}

function explanation(row: SessionRow, sessions: number, page: Page): string {
  const { colors } = page;
  const title = row.title ?? row.sessionId;
  return [
    `${mark(row, page)} ${colors.bold(printable(title))}`,
    `  ${colors.dim(printable(shortenHome(row.filePath, page.home)))}`,
    ...(row.status === 'corrupted' ? memoryLines(row) : []),
    ...noteworthy(row, sessions).flatMap((finding) => [
      [`  ${severityColor(finding, page)(finding.code)}`, ...placeOf(finding, page)].join(' '),
      wrap(printable(finding.message), page.width, '    '),
      ...(finding.action !== 'tell' && sessions === 1
        ? [`    ${colors.dim(`docs/repairs.md#${finding.code} shows what a repair changes.`)}`]
        : []),
    ]),
  ].join('\n');
}

/** Nothing if all is remembered: what is hidden on a line, for example, does not count. */
function memoryLines(row: SessionRow): string[] {
  const { memory } = row;
  if (shareRemembered(row) === 'all') return [];
  return [`  Claude remembers ${memory === null ? sharePhrase(row) : memoryPhrase(memory)}.`];
}

function placeOf({ lines }: Finding, { colors }: Page): string[] {
  return lines.length === 0 ? [] : [colors.dim(formatLines(lines))];
}

function mark(row: SessionRow, { colors }: Page): string {
  if (row.status === 'corrupted') return colors.red('✗');
  return hasWarning(row) ? colors.yellow('!') : colors.green('✓');
}

function hasWarning({ findings }: SessionRow): boolean {
  return findings.some(({ severity }) => severity === 'warning');
}

function severityColor(finding: Finding, page: Page): (text: string) => string {
  switch (finding.severity) {
    case 'error':
      return page.colors.red;
    case 'warning':
      return page.colors.yellow;
    case 'info':
      return page.colors.cyan;
  }
}

function summary(
  readable: readonly SessionRow[],
  totals: ScanTotals,
  { scope, client, isClose }: ScanScope,
  page: Page,
): string {
  if (totals.sessions === 0) return 'No sessions found.';
  const parts = (['healthy', 'corrupted', 'missing', 'unreadable'] as const)
    .filter((status) => totals[status] > 0)
    .map((status) => `${formatCount(totals[status])} ${status === 'corrupted' ? 'broken' : status}`);
  const isCalm = totals.healthy === totals.sessions;
  const health = isCalm ? (totals.sessions === 1 ? ', healthy' : ', all healthy') : `: ${parts.join(', ')}`;
  const warned = readable.filter((row) => row.status === 'healthy' && hasWarning(row)).length;
  const state = warned === 0 ? health : `${health}, ${formatCount(warned)} with a warning`;
  const reader = readable.length > 0 ? readerOf(client) : '';
  const line = [
    wrap(`${countOf(totals.sessions, 'session')}${state} (${formatBytes(totals.bytes)})${reader}.`, page.width, ''),
    ...(readable.length > 0 ? clientNote(client, page) : []),
    ...(readable.length > 0 && !isClose ? [page.colors.dim(wrap(NOT_CLOSE, page.width, ''))] : []),
    ...unneededNote(totals.unneeded ?? [], page),
  ].join('\n');
  if (totals.corrupted === 0) return line;
  const corrupted = readable.filter((row) => row.status === 'corrupted');
  const broken = corrupted.flatMap(({ findings }) => findings).filter(({ severity }) => severity === 'error');
  if (broken.every(({ action }) => action === 'tell')) return line;
  const only = corrupted.length === 1 ? corrupted[0]?.filePath : undefined;
  const target = (only === undefined ? scope : [only]).map((path) => shellPath(path, page.home)).join(' ');
  const options = `--dry-run${classOption(broken)}${clientOption(client)}`;
  return `${line}\nSee what a repair would change: ${page.colors.bold(`${page.commandName} repair ${options} ${target}`)}`;
}

const NOT_CLOSE = 'Whether Claude’s API would refuse a session is checked in full only if the session itself is named.';

/** Where a repair that names no finding would change nothing: the name of the first one that is broken. */
function classOption(broken: readonly Finding[]): string {
  const first = broken.find(({ action }) => action !== 'tell');
  return first === undefined || broken.some(isForRepair) ? '' : ` --class ${first.code}`;
}

/** What takes space and is of no use to any session. */
function unneededNote(found: readonly UnneededFiles[], page: Page): readonly string[] {
  if (found.length === 0) return [];
  const total = formatBytes(found.reduce((sum, { bytes }) => sum + bytes, 0));
  const parts = found.map(
    (each) => `${unneededName(each)} in ${shortenHome(each.path, page.home)} (${formatBytes(each.bytes)})`,
  );
  return [wrap(`No session needs ${total} besides: ${parts.join('; ')}. Rethread removes none of it.`, page.width, '')];
}

function unneededName({ kind, entries }: UnneededFiles): string {
  const gone = countOf(entries, 'session');
  switch (kind) {
    case 'file-history':
      return `copies of files of ${gone} whose transcript is gone`;
    case 'session-folders':
      return `folders of ${gone} whose transcript is gone`;
    case 'debug-logs':
      return countOf(entries, 'debug log');
  }
}

import { basename } from 'node:path';
import { countOf } from '../../core/util/countOf';
import type { SessionInfo } from '../../protocol/sessionInfo';
import { activityText } from './conversationReport';
import { type Column, fitWidths, type Page, renderTable, textWidth } from './page';
import { clipPath, formatAge, formatCount, printable, shortenHome, wrap } from './text';

interface ListColumn extends Column {
  readonly cell: (session: SessionInfo, page: Page) => string;
  /** The column shrinks if the line is too short for all columns. */
  readonly isFlexible?: boolean;
  /** Hidden on narrower pages. */
  readonly minPageWidth?: number;
}

/** A title can be a prompt of a whole page; tables show no more than this. */
const MAX_TITLE_LENGTH = 80;
const MIN_WIDTH_FOR_PATHS = 100;

const COLUMNS: readonly ListColumn[] = [
  { title: '', cell: (session, page) => `${activityText(session.state, page)}${isDoubtful(session) ? '?' : ''}` },
  { title: 'Title', cell: titleOf, isFlexible: true },
  { title: 'Folder', cell: folderOf, isFlexible: true },
  { title: 'Messages', align: 'right', cell: ({ messages }) => formatCount(messages), minPageWidth: 76 },
  { title: 'Active', align: 'right', cell: ageOf },
  { title: 'Session', cell: ({ sessionId }) => printable(sessionId).slice(0, 8), minPageWidth: 76 },
];

/** The table of sessions in parts, in their order, with a summary. */
export function* sessionList(sessions: readonly SessionInfo[], isRunningOnly: boolean, page: Page): Generator<string> {
  const columns = COLUMNS.filter(({ minPageWidth }) => page.width >= (minPageWidth ?? 0));
  if (sessions.length > 0) {
    const rows = sessions.map((session) => columns.map(({ cell }) => cell(session, page)));
    const natural = columns.map(({ title }, at) => textWidth([title, ...rows.map((row) => row[at] ?? '')]));
    const flexible = [...columns.keys()].filter((at) => columns[at]?.isFlexible === true);
    const widths = fitWidths(natural, flexible, page.width);
    const folderAt = columns.findIndex(({ title }) => title === 'Folder');
    const clipped = rows.map((row) =>
      row.map((cell, at) => (at === folderAt ? clipPath(cell, widths[at] ?? 0) : cell)),
    );
    yield `${renderTable(columns, clipped, widths)}\n\n`;
  }
  yield `${wrap(summary(sessions, isRunningOnly), page.width, '')}\n`;
  if (sessions.some(isDoubtful)) yield `${wrap(DOUBTFUL, page.width, '')}\n`;
}

const OVER: ReadonlySet<SessionInfo['state']> = new Set(['ended', 'failed', 'interrupted', 'missing', 'unrecoverable']);

const DOUBTFUL = 'A state with "?" is told by the last messages alone: no client, job or process says it.';

/** Whether the last messages alone tell the state. That nothing runs a session which came to its end is no guess. */
function isDoubtful({ isInferred, state }: SessionInfo): boolean {
  return isInferred && state !== 'ended';
}

/** Whether a client runs the session, or may run it. */
export function mayRun({ live, state }: SessionInfo): boolean {
  return live === 'live' || (live === 'maybe-live' && !OVER.has(state));
}

function summary(sessions: readonly SessionInfo[], isRunningOnly: boolean): string {
  if (sessions.length === 0) return isRunningOnly ? 'No session is running.' : 'No sessions found.';
  const running = sessions.filter(({ live }) => live === 'live').length;
  const uncertain = sessions.filter(mayRun).length - running;
  const waiting = sessions.filter(({ state }) => state.startsWith('waiting-')).length;
  const parts = [
    countOf(sessions.length, 'session'),
    ...(isRunningOnly ? [] : [`${formatCount(running)} running`]),
    ...(uncertain === 0 ? [] : [`${formatCount(uncertain)} that may be running`]),
    ...(waiting === 0 ? [] : [`${formatCount(waiting)} waiting for you`]),
  ];
  return `${parts.join(', ')}.`;
}

function titleOf({ title, doing }: SessionInfo): string {
  const text = title === '' ? '(no title)' : printable(title).slice(0, MAX_TITLE_LENGTH);
  return doing === null ? text : `${text} · ${printable(doing)}`;
}

function folderOf({ folder }: SessionInfo, page: Page): string {
  if (folder === null) return '';
  const path = printable(folder);
  return page.width < MIN_WIDTH_FOR_PATHS ? basename(path) : shortenHome(path, page.home);
}

function ageOf({ updatedAt, since }: SessionInfo, page: Page): string {
  const time = Date.parse(updatedAt ?? since ?? '');
  return Number.isNaN(time) ? '' : formatAge(time, page.nowMs);
}

import type { SearchMatch, SearchOutcome } from '../../protocol/channels/search';
import { countOf, formatAge, formatBytes, formatCount, printable, shortenHome } from './format';
import type { Page } from './page';

const ROLE_WIDTH = 'attachment'.length;
const LINE_WIDTH = 7;
/** Room for "  12mo ago" behind a title. */
const AGE_WIDTH = 12;

/** A line for a match, below a heading for its session when it is the first of that. */
export function matchReport(match: SearchMatch, isFirst: boolean, page: Page): string {
  const { colors } = page;
  const place = `${String(match.line).padStart(LINE_WIDTH)}  ${match.role.padEnd(ROLE_WIDTH)}  `;
  const row = `${colors.dim(place)}${excerpt(match, page.width - place.length, page)}\n`;
  return isFirst ? `${heading(match, page)}${row}` : row;
}

function heading(match: SearchMatch, page: Page): string {
  const { colors } = page;
  const title = colors.bold(clip(printable(match.title ?? match.sessionId), page.width - AGE_WIDTH));
  const age = match.timeMs === null ? '' : colors.dim(`  ${formatAge(match.timeMs, page.nowMs)}`);
  return `\n${title}${age}\n  ${colors.dim(printable(shortenHome(match.filePath, page.home)))}\n`;
}

/** What does not fit is cut at the end, and at the start where the hit would not be seen. */
function excerpt(match: SearchMatch, width: number, { colors }: Page): string {
  const { start, end } = match.hit;
  const hit = clip(spaced(match.excerpt.slice(start, end)), width);
  const after = spaced(match.excerpt.slice(end));
  const room = Math.max(width - hit.length, 0);
  const whole = spaced(match.excerpt.slice(0, start));
  const beforeRoom = Math.max(Math.floor(room / 3), room - after.length);
  const before =
    whole.length <= beforeRoom ? whole : beforeRoom === 0 ? '' : `…${whole.slice(whole.length - beforeRoom + 1)}`;
  return `${before}${colors.yellow(colors.bold(hit))}${clip(after, Math.max(room - before.length, 0))}`.trimEnd();
}

function clip(text: string, width: number): string {
  if (text.length <= width) return text;
  return width === 0 ? '' : `${text.slice(0, width - 1)}…`;
}

/** Safe for a terminal as `printable`, with the spaces at its ends kept: it is a part of a line. */
function spaced(text: string): string {
  return `${/^\s/.test(text) ? ' ' : ''}${printable(text)}${/\S\s$/.test(text) ? ' ' : ''}`;
}

export function searchSummary({ matches, progress, isCut }: SearchOutcome): string {
  const { sessionsDone, sessionsTotal, bytesDone } = progress;
  const where =
    sessionsDone === sessionsTotal
      ? countOf(sessionsTotal, 'session')
      : `${formatCount(sessionsDone)} of ${countOf(sessionsTotal, 'session')}`;
  const found = matches === 0 ? 'Nothing found' : `${countOf(matches, 'row')} found`;
  const more = isCut ? ' There may be more.' : '';
  return `${matches === 0 ? '' : '\n'}${found} in ${where} (${formatBytes(bytesDone)}).${more}\n`;
}

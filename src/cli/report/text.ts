import { sep } from 'node:path';
import type { LoadCount } from '../../protocol/repair';

/** Reports are in English, and so are their numbers and dates. */
const LOCALE = 'en';

/** Control characters and bidirectional overrides, which would let a transcript control the terminal. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/gu;

/** Makes text from a transcript or a path safe for a terminal, on one line. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, ' ').replace(/\s+/gu, ' ').trim();
}

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Decimal units: 1 kB is 1000 bytes. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), BYTE_UNITS.length - 1);
  return bytesFormat(power, bytes / 1000 ** power < 10 && power > 0 ? 1 : 0)
    .format(bytes / 1000 ** power)
    .replace(/(\d)([A-Z])$/u, '$1 $2');
}

function bytesFormat(power: number, digits: number): Intl.NumberFormat {
  const key = `${power} ${digits}`;
  const known = bytesFormats.get(key);
  if (known !== undefined) return known;
  const format = new Intl.NumberFormat(LOCALE, {
    style: 'unit',
    unit: BYTE_UNITS[power] ?? 'byte',
    unitDisplay: power === 0 ? 'narrow' : 'short',
    maximumFractionDigits: digits,
  });
  bytesFormats.set(key, format);
  return format;
}

/** "$0.04", or "$0.0042" for less than a cent. */
export function formatUsd(usd: number): string {
  const digits = usd > 0 && usd < 0.01 ? 4 : 2;
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(usd);
}

export function formatCount(count: number): string {
  countFormat ??= new Intl.NumberFormat(LOCALE);
  return countFormat.format(count);
}

/** "all", "part" or "none" for a table; empty if there is nothing to load. Rows are no messages, so their numbers are not named. */
export function shareOf({ loads, of }: LoadCount): 'all' | 'part' | 'none' | '' {
  if (of === 0) return '';
  if (loads === 0) return 'none';
  return loads >= of ? 'all' : 'part';
}

/** "all of this conversation", "a part of this conversation", "nothing of this conversation". */
export function sharePhrase(share: LoadCount): string {
  return `${SHARES[shareOf(share)]} of this conversation`;
}

const SHARES = { all: 'all', part: 'a part', none: 'nothing', '': 'nothing' } as const;

/** Limit of the Date type. */
const MAX_DATE_MS = 8.64e15;

/** "Saturday, January 31, 2026" in the system's time zone. */
export function formatDay(timeMs: number): string {
  if (Math.abs(timeMs) > MAX_DATE_MS) return '';
  dayFormat ??= new Intl.DateTimeFormat(LOCALE, { dateStyle: 'full' });
  return dayFormat.format(timeMs);
}

/** "14:05" in the system's time zone. */
export function formatTime(timeMs: number): string {
  if (Math.abs(timeMs) > MAX_DATE_MS) return '';
  timeFormat ??= new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return timeFormat.format(timeMs);
}

// Created when first used, and only once: creating one takes milliseconds at first, and some kilobytes each time.
const bytesFormats = new Map<string, Intl.NumberFormat>();
let countFormat: Intl.NumberFormat | undefined;
let relativeFormat: Intl.RelativeTimeFormat | undefined;
let dayFormat: Intl.DateTimeFormat | undefined;
let timeFormat: Intl.DateTimeFormat | undefined;

const AGE_UNITS = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** "3h ago"; "now" for a time in the future, which a wrong clock can produce. */
export function formatAge(timeMs: number, nowMs: number): string {
  const age = nowMs - timeMs;
  relativeFormat ??= new Intl.RelativeTimeFormat(LOCALE, { style: 'narrow' });
  for (const [unit, length] of AGE_UNITS) {
    if (age >= length) return relativeFormat.format(-Math.floor(age / length), unit);
  }
  return 'now';
}

/** The path with `~` for the home folder. */
export function shortenHome(path: string, home: string): string {
  if (home !== '' && path === home) return '~';
  return home !== '' && path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
}

/** A sentence about a file, prefixed with its path unless the sentence contains it. */
export function problemOf(filePath: string, problem: string, home: string): string {
  const path = shortenHome(filePath, home);
  return printable(problem.includes(filePath) ? problem.replaceAll(filePath, path) : `${path}: ${problem}`);
}

/**
 * Drops leading folders until the path is at most `width` characters long, because the end of a path says more than its
 * start.
 */
export function clipPath(path: string, width: number): string {
  if (path.length <= width) return path;
  const tail = path.slice(path.length - Math.max(width - 1, 1));
  const cut = tail.indexOf(sep);
  return `…${cut > 0 && cut < tail.length - 1 ? tail.slice(cut) : tail}`;
}

/** "line 4", "lines 4, 7–9"; a long list is truncated, with the number of omitted lines. */
export function formatLines(lines: readonly number[], maxRuns = 6): string {
  const runs: { first: number; last: number }[] = [];
  for (const line of lines) {
    const run = runs.at(-1);
    if (run?.last === line - 1) run.last = line;
    else runs.push({ first: line, last: line });
  }
  const shown = runs.slice(0, maxRuns);
  const isShown = shown.reduce((sum, run) => sum + run.last - run.first + 1, 0);
  const text = shown.map(({ first, last }) => {
    if (first === last) return String(first);
    return last === first + 1 ? `${first}, ${last}` : `${first}–${last}`;
  });
  const rest = lines.length - isShown;
  return `${lines.length === 1 ? 'line' : 'lines'} ${text.join(', ')}${rest > 0 ? ` and ${formatCount(rest)} more` : ''}`;
}

/** A value of a row for display: ids are cut to eight characters, long texts are truncated. */
export function formatValue(value: unknown, maxLength = 40): string {
  if (value === undefined || value === '') return 'nothing';
  if (typeof value === 'string' && /^[0-9a-f]{8}-[0-9a-f-]{27}$/iu.test(value)) return `${value.slice(0, 8)}…`;
  const text = printable(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

/** Quotes a word for a shell command, so that it is neither split nor taken for an option. */
function shellWord(word: string): string {
  const path = word.startsWith('-') ? `./${word}` : word;
  const isWindows = process.platform === 'win32';
  if ((isWindows ? /^[\w@%+=:,./\\-]+$/u : /^[\w@%+=:,./-]+$/u).test(path)) return path;
  return isWindows ? `"${path}"` : `'${path.replaceAll("'", `'\\''`)}'`;
}

/** A path for a shell command, with `~` for the home folder where the shell expands it. */
export function shellPath(path: string, home: string): string {
  const short = shortenHome(path, home);
  const isHome = short !== path && process.platform !== 'win32' && /^~[\w@%+=:,./-]*$/u.test(short);
  return isHome ? short : shellWord(path);
}

/** Wraps text at spaces so that each line, including its indent, fits the width; a longer word is not split. */
export function wrap(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, indent + line].join('\n');
}

/** Truncates at the end with "…". `width`: characters. */
export function clip(text: string, width: number): string {
  if (text.length <= width) return text;
  return width <= 0 ? '' : `${text.slice(0, width - 1).trimEnd()}…`;
}

const TAB = '    ';

/**
 * Text from a transcript as lines for a terminal: made safe, with its line breaks and indentation kept; long lines are
 * wrapped at spaces. `width`: characters per line, including the indent.
 */
export function textLines(text: string, width: number, indent: string): string[] {
  return text
    .replace(/\r\n?/gu, '\n')
    .trimEnd()
    .split('\n')
    .flatMap((line) => breakLine(line.replaceAll('\t', TAB).replace(UNPRINTABLE, ' ').trimEnd(), width, indent));
}

function breakLine(line: string, width: number, indent: string): string[] {
  const room = width - indent.length;
  if (line.length <= room) return [line === '' ? '' : indent + line];
  const own = /^ */u.exec(line)?.[0] ?? '';
  const hanging = own.length < room / 2 ? own : '';
  const lines: string[] = [];
  let current = '';
  for (const word of line.trim().split(' ')) {
    const start = current === '' ? hanging : `${current} `;
    if (current !== '' && start.length + word.length > room) {
      lines.push(indent + current);
      current = hanging + word;
    } else current = start + word;
  }
  return [...lines, indent + current];
}

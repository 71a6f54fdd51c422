import { sep } from 'node:path';
import type { Translate } from './translate';

/** Formats numbers, sizes and times for display. */
export interface Formats {
  number(value: number): string;
  /** Abbreviated: 1.2M. */
  compact(value: number): string;
  /** `share`: a fraction of 1. */
  percent(share: number): string;
  /** US dollars. */
  usd(value: number): string;
  /** A size in bytes, in a suitable unit. */
  size(bytes: number): string;
  /** The time from `timeMs` to `nowMs`, both in milliseconds since the epoch. */
  timeAgo(timeMs: number, nowMs: number): string;
  /** As short as a list needs it: `2m`. Never in months, which begin with the same letter as minutes. */
  age(timeMs: number, nowMs: number): string;
  /** The date without the time of day. */
  date(timeMs: number): string;
  /** Date and time of day. */
  dateTime(timeMs: number): string;
  /** Time of day. */
  time(timeMs: number): string;
  /** Lines as ranges: 3, 7–9. At most `LISTED_RANGES` of them. */
  lines(lines: readonly number[]): string;
}

const SIZE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
const TIME_UNITS = [
  ['year', 365 * 24 * 3600],
  ['month', 30 * 24 * 3600],
  ['week', 7 * 24 * 3600],
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
] as const;
const AGE_UNITS = TIME_UNITS.filter(([unit]) => unit !== 'month');
const LISTED_RANGES = 8;

/** `locale`: a BCP 47 tag, such as VS Code's display language. */
export function createFormats(locale: string, t: Translate): Formats {
  // Created when first used: each takes milliseconds, which would delay the start of the window.
  const plain = lazy(() => new Intl.NumberFormat(locale));
  const compact = lazy(() => new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }));
  const percent = lazy(() => new Intl.NumberFormat(locale, { style: 'percent' }));
  const relative = lazy(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }));
  const ages = new Map<string, Intl.NumberFormat>();
  const ageIn = (unit: string, value: number): string => {
    const known = ages.get(unit) ?? new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'narrow' });
    ages.set(unit, known);
    return known.format(value);
  };
  const date = lazy(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }));
  const dateTime = lazy(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }));
  const number = (value: number): string => plain().format(value);
  return {
    number,
    compact: (value) => compact().format(value),
    percent: (share) => percent().format(share),
    usd: (value) => {
      // Requests can cost less than a cent.
      const maximumFractionDigits = value > 0 && value < 0.01 ? 4 : 2;
      const options = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const;
      return new Intl.NumberFormat(locale, { ...options, maximumFractionDigits }).format(value);
    },
    size: (bytes) => {
      const power = Math.min(SIZE_UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
      const unit = SIZE_UNITS[power] ?? 'byte';
      // The short name of a byte has no plural.
      const unitDisplay = power === 0 ? 'long' : 'short';
      const options = { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 } as const;
      return new Intl.NumberFormat(locale, options).format(bytes / 1000 ** power);
    },
    timeAgo: (timeMs, nowMs) => {
      const since = sinceIn(timeMs, nowMs);
      return since === null ? t('just now') : relative().format(-since.count, since.unit);
    },
    age: (timeMs, nowMs) => {
      const since = sinceIn(timeMs, nowMs, AGE_UNITS);
      return since === null ? t('now') : ageIn(since.unit, since.count);
    },
    date: (timeMs) => date().format(timeMs),
    dateTime: (timeMs) => dateTime().format(timeMs),
    time: (timeMs) => new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(timeMs),
    lines: (lines) => {
      const ranges = toRanges(lines);
      const listed = ranges.slice(0, LISTED_RANGES).map(([from, to]) => {
        if (from === to) return number(from);
        return `${number(from)}${to === from + 1 ? ', ' : '–'}${number(to)}`;
      });
      return ranges.length > LISTED_RANGES ? `${listed.join(', ')}, …` : listed.join(', ');
    },
  };
}

/** In the largest unit of which a whole one has passed; null in the first minute. */
function sinceIn(
  timeMs: number,
  nowMs: number,
  units: readonly (typeof TIME_UNITS)[number][] = TIME_UNITS,
): { unit: (typeof TIME_UNITS)[number][0]; count: number } | null {
  // After the clock was set back, the last message must not appear to be in the future.
  const seconds = Math.max(0, (nowMs - timeMs) / 1000);
  for (const [unit, length] of units) if (seconds >= length) return { unit, count: Math.floor(seconds / length) };
  return null;
}

function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function toRanges(ascending: readonly number[]): (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  for (const line of ascending) {
    const last = ranges.at(-1);
    if (last !== undefined && line === last[1] + 1) last[1] = line;
    else ranges.push([line, line]);
  }
  return ranges;
}

const graphemes = new Intl.Segmenter();

/**
 * Truncates to a number of characters as people count them: cuts between grapheme clusters, so that no emoji or accent is
 * split.
 */
export function shorten(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  // Finding the clusters takes most of the time of a list, and such a text has none: even what follows it starts anew.
  const start = text.slice(0, maxCharacters + 1);
  if (/^[\x20-\x7e]*$/.test(start)) return `${start.slice(0, maxCharacters - 1).trimEnd()}…`;
  // A title can be a prompt of several megabytes, so only its beginning is read.
  const head = text.slice(0, maxCharacters * 16);
  const characters = Array.from(graphemes.segment(head), (part) => part.segment);
  if (characters.length <= maxCharacters) return head;
  return `${characters
    .slice(0, maxCharacters - 1)
    .join('')
    .trimEnd()}…`;
}

/** Replaces the home folder in the path with `~`. */
export function shortenHome(path: string, homeDir: string): string {
  if (path === homeDir) return '~';
  return path.startsWith(homeDir + sep) ? `~${path.slice(homeDir.length)}` : path;
}

/** Keeps VS Code from making a link of `[text](address)` in a message: a click on one may run any command. */
export function withoutLinks(message: string): string {
  return message.replaceAll('](', '] (');
}

const ASCII_PUNCTUATION = /[!-/:-@[-`{-~]/g;

/**
 * Escapes text so that a `MarkdownString` shows it verbatim, including `$(icons)`. `MarkdownString.appendText` would use
 * non-breaking spaces.
 */
export function escapeMarkdown(text: string): string {
  const oneLine = text.replace(/\s+/g, ' ');
  // VS Code looks for icons in the output of the Markdown parser, so a dollar sign must still be an entity there.
  return oneLine.replace(ASCII_PUNCTUATION, (character) => (character === '$' ? '&#36;' : `\\${character}`));
}

import type { CutText } from '../../../protocol/conversation';
import type { TextMatcher } from '../blockHost';

/** UTF-16 units of a page of text: as much as a browser lays out without a pause. */
const PAGE_CHARS = 64 * 1024;

/** The nearest offset at or before `at` where a text can be cut without splitting a surrogate pair. */
export function safeCut(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.max(0, Math.min(at, text.length));
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff ? at - 1 : at;
}

/** Returns the end of the page that begins at `from`. The page ends with a line if a line ends in its second half. */
function pageEnd(text: string, from: number, size: number = PAGE_CHARS): number {
  if (text.length - from <= size) return text.length;
  const newline = text.lastIndexOf('\n', from + size - 1);
  return newline >= from + size / 2 ? newline + 1 : safeCut(text, from + size);
}

/** Number of the page that contains an offset of the text, from 1. */
export function pageOf(text: string, at: number): number {
  let page = 1;
  for (let end = pageEnd(text, 0); end <= at && end < text.length; end = pageEnd(text, end)) page += 1;
  return page;
}

/** The first pages of a text, at most `count`, and the offset at which they end. */
export function firstPages(text: string, count: number, size: number = PAGE_CHARS): { pages: string[]; end: number } {
  const pages: string[] = [];
  let from = 0;
  while (from < text.length && pages.length < count) {
    const end = pageEnd(text, from, size);
    pages.push(text.slice(from, end));
    from = end;
  }
  return { pages, end: from };
}

/** Indentation stops growing at this depth: 10,000 nested levels would be mostly spaces. */
const MAX_INDENT = 24;
const MAX_FORMATTED_CHARS = 512 * 1024;

/**
 * Breaks JSON into lines without parsing its values, so that numbers keep all their digits and truncated text is
 * accepted. JSON that already has lines, and anything but an object or array, is returned unchanged.
 */
export function prettyJson(json: string): string {
  if (!/^\s*[[{]/.test(json) || json.length > MAX_FORMATTED_CHARS || /\n\s/.test(json.slice(0, 4096))) return json;
  const out: string[] = [];
  let depth = 0;
  // Strings, white space, punctuation, and runs of anything else.
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\[\s\S])*"?|[{[]\s*[}\]]|[{}[\],:]|\s+|[^\s"{}[\],:]+/g)) {
    if (token === '{' || token === '[') {
      depth += 1;
      out.push(token, newline(depth));
    } else if (token === '}' || token === ']') {
      depth = Math.max(0, depth - 1);
      out.push(newline(depth), token);
    } else if (token === ',') out.push(token, newline(depth));
    else if (token === ':') out.push(': ');
    else if (token.trim() !== '') out.push(token.length < 20 ? token.replace(/^([{[])\s+([}\]])$/, '$1$2') : token);
  }
  return out.join('');
}

function newline(depth: number): string {
  return `\n${'  '.repeat(Math.min(depth, MAX_INDENT))}`;
}

/** The path relative to the folder if it is in it; otherwise unchanged. Accepts paths of Windows, too. */
export function relativePath(path: string, folder: string | null): string {
  const base = folder?.replace(/[\\/]+$/, '') ?? '';
  const rest = base !== '' && path.startsWith(base) ? path.slice(base.length) : '';
  return /^[\\/]./.test(rest) ? rest.slice(1) : path;
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** For example `1.2 MB`, formatted for the locale. */
export function formatSize(bytes: number, locale: string): string {
  let value = Number.isFinite(bytes) ? Math.max(0, bytes) : 0;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const options: Intl.NumberFormatOptions = {
    style: 'unit',
    unit: UNITS[unit] ?? 'byte',
    unitDisplay: unit === 0 ? 'long' : 'short',
    maximumFractionDigits: value < 10 && unit > 0 ? 1 : 0,
  };
  return numberFormat(locale, options).format(value);
}

export function formatCount(count: number, locale: string): string {
  return numberFormat(locale, {}).format(count);
}

function numberFormat(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  try {
    return new Intl.NumberFormat(locale, options);
  } catch {
    return new Intl.NumberFormat('en', options);
  }
}

export interface FoldedText {
  readonly text: string;
  /** Number of lines of the whole text; null if it is too long to count them. */
  readonly lines: number | null;
  readonly isFolded: boolean;
}

const MAX_COUNTED_CHARS = 256 * 1024;
/** A text is not folded if that would hide only a few lines. */
const SLACK_LINES = 3;

/** The first lines of a text: at most `maxLines` lines and `maxChars` UTF-16 units. */
export function foldText(text: string, maxLines: number, maxChars = 4000): FoldedText {
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  let cut = end;
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) {
    if (lines === maxLines) cut = at;
    lines += 1;
    if (at > MAX_COUNTED_CHARS) break;
  }
  if (lines <= maxLines + (maxLines > SLACK_LINES ? SLACK_LINES : 0)) cut = end;
  const isCutByChars = cut > maxChars;
  if (isCutByChars) cut = safeCut(text, maxChars);
  return {
    text: text.slice(0, cut),
    lines: end > MAX_COUNTED_CHARS ? null : lines,
    isFolded: cut < end,
  };
}

/** Deepest value that is read; no value of the protocol is deeper. */
const MAX_DEPTH = 12;

/** All strings in a value; those that contain JSON also without its escapes. */
export function textsOf(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return value.includes('\\') ? [value, unescaped(value)] : [value];
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  return Object.values(value).flatMap((each) => textsOf(each, depth + 1));
}

function unescaped(text: string): string {
  const meanings: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
  return text.replace(/\\(.)/g, (_, char: string) => meanings[char] ?? char);
}

export function holdsHit(find: TextMatcher, text: string): boolean {
  return find(text, 1).length > 0;
}

/** Whether the text contains a hit, or the part that was cut off may contain one. */
export function mayHoldHit(find: TextMatcher, { text, more }: CutText): boolean {
  return more > 0 || holdsHit(find, text);
}

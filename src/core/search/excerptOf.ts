import type { SearchMatch } from '../../shared/api/search';
import type { TextHit } from './textMatcher';

/** Longest excerpt, and parts of it, in UTF-16 units. */
const MAX_LENGTH = 200;
const MAX_BEFORE = 60;
const MAX_HIT = 120;
/** White space and control characters are folded, so that more is looked at than is kept. */
const LOOKED_AT = 4;

/** The text around a hit on one line; the hit's range in it is never empty. */
export function excerptOf({ text, start, end }: TextHit): Pick<SearchMatch, 'excerpt' | 'hit'> {
  const before = tail(text, start);
  const hit = head(text, start, end, MAX_HIT);
  const after = head(text, end, text.length, MAX_LENGTH - before.length - hit.length).trimEnd();
  return { excerpt: before + hit + after, hit: { start: before.length, end: before.length + hit.length } };
}

function tail(text: string, end: number): string {
  const from = Math.max(0, end - MAX_BEFORE * LOOKED_AT);
  const line = oneLine(text.slice(from, end)).trimStart();
  if (from === 0 && line.length <= MAX_BEFORE) return line;
  return `…${withoutHalves(line.slice(-(MAX_BEFORE - 1)))}`;
}

function head(text: string, from: number, end: number, length: number): string {
  const to = Math.min(end, from + length * LOOKED_AT);
  const line = oneLine(text.slice(from, to));
  if (to === end && line.length <= length) return line;
  return `${withoutHalves(line.slice(0, length - 1))}…`;
}

function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ');
}

/** A character that was cut in two at either end is dropped. */
function withoutHalves(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, '').replace(/[\ud800-\udbff]$/, '');
}

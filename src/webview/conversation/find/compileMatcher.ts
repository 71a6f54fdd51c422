import type { MatchedText, MatchEdge } from '../../../shared/conversation';
import { ESCAPES } from '../../blocks/ansi/stripControls';
import type { TextMatcher } from '../../blocks/blockHost';

export const WORD = '[\\p{L}\\p{N}]';
const BEFORE: Readonly<Record<MatchEdge, string>> = {
  line: '^',
  gap: `(?<!${WORD})`,
  inside: `(?<=${WORD})`,
  any: '',
};
const AFTER: Readonly<Record<MatchEdge, string>> = { line: '$', gap: `(?!${WORD})`, inside: `(?=${WORD})`, any: '' };

/** Finds a plain text as the engine does. */
export function plainMatcher(text: string, isCaseSensitive: boolean): TextMatcher {
  return matcherOf(escapeRegExp(text), isCaseSensitive ? '' : 'i');
}

/** Finds what a regular expression matched, as the engine tells it: one that never ends would end the panel. */
export function matchedMatcher(matched: readonly MatchedText[]): TextMatcher {
  const longestFirst = [...matched].sort((a, b) => b.text.length - a.text.length);
  const sources = longestFirst.map(({ text, before, after }) => BEFORE[before] + escapeRegExp(text) + AFTER[after]);
  return matcherOf(sources.join('|') || '(?!)');
}

/** Commands to a terminal are passed over: in a text that has some, a hit is told to be as far on as all of them are long. */
export function matcherOf(source: string, flags = ''): TextMatcher {
  const expression = new RegExp(source, `gmu${flags}`);
  return (written, limit = Infinity) => {
    const text = written.replace(ESCAPES, '');
    const hits: { start: number; end: number }[] = [];
    for (const { 0: hit, index } of text.matchAll(expression)) {
      if (hits.length >= limit) break;
      const start = index + written.length - text.length;
      if (hit !== '') hits.push({ start, end: start + hit.length });
    }
    return hits;
  };
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

import type { TextMatcher } from '../../blocks/blockHost';
import { matcherOf } from './compileMatcher';

const MAX_HITS = 50;
const MAX_HIT_CHARS = 400;
const WORD = /[\p{L}\p{N}]+/gu;

/**
 * Finds hits in texts as they are written again where they are shown without what means their look: marks of Markdown,
 * addresses of links. They are known by their words, with whatever stands between them. Null where there are none.
 */
export function looseMatcher(written: readonly string[], find: TextMatcher): TextMatcher | null {
  const sources = new Set<string>();
  for (const text of written) {
    for (const { start, end } of find(text, MAX_HITS)) {
      const words = wholeWords(text, start, Math.min(end, start + MAX_HIT_CHARS));
      if (words.length > 0) sources.add(words.join('[^\\p{L}\\p{N}]{0,40}'));
    }
  }
  if (sources.size === 0) return null;
  return matcherOf(new RegExp(`(?<![\\p{L}\\p{N}])(?:${[...sources].join('|')})(?![\\p{L}\\p{N}])`, 'gu'));
}

/** Words of which a part is a hit, too. */
function wholeWords(text: string, start: number, end: number): readonly string[] {
  const before = /[\p{L}\p{N}]*$/u.exec(text.slice(Math.max(0, start - 40), start))?.[0] ?? '';
  const after = /^[\p{L}\p{N}]*/u.exec(text.slice(end, end + 40))?.[0] ?? '';
  const [first = '', last = ''] = [text.slice(start, end).at(0), text.slice(start, end).at(-1)];
  const isWord = (char: string): boolean => char.search(WORD) === 0;
  const hit = `${isWord(first) ? before : ''}${text.slice(start, end)}${isWord(last) ? after : ''}`;
  return hit.replace(/\]\([^)\s]*\)?/g, ' ').match(WORD) ?? [];
}

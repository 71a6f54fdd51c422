import { ESCAPES } from '../../blocks/ansi/stripControls';
import type { TextMatcher } from '../../blocks/blockHost';
import { matcherOf, WORD } from './compileMatcher';

const MAX_HITS = 50;
const MAX_HIT_CHARS = 400;
const WORDS = new RegExp(`${WORD}+`, 'gu');
/** What is of words alone is shown as it is written. */
const WRITTEN = /[^\p{L}\p{N} .,;:!?'-]/u;

/**
 * Finds hits in texts as they are written again where they are shown without what means their look: marks of Markdown,
 * addresses of links. They are known by their words, with whatever stands between them. Null where there are none.
 */
export function looseMatcher(written: readonly string[], find: TextMatcher): TextMatcher | null {
  const sources = new Set<string>();
  for (const raw of written) {
    const text = raw.replace(ESCAPES, '');
    for (const { start, end } of find(text, MAX_HITS)) {
      const hit = text.slice(start, Math.min(end, start + MAX_HIT_CHARS));
      const words = WRITTEN.test(hit) ? hit.replace(/\]\([^)\s]*\)?/g, ' ').match(WORDS) : null;
      if (words === null) continue;
      const [before, after] = [text[start - 1], text[end]].map((beside) => beside?.search(WORDS) === 0);
      const source = words.join('[^\\p{L}\\p{N}]{0,40}');
      sources.add(`${before ? '' : `(?<!${WORD})`}${source}${after ? '' : `(?!${WORD})`}`);
    }
  }
  return sources.size === 0 ? null : matcherOf([...sources].join('|'));
}

import type { TextMatcher } from '../../blocks/blockHost';
import type { FindQuery } from '../../../shared/conversation';

/** What is looked for, as the engine understands it. Null when it is nothing, or no regular expression. */
export function compileMatcher({ text, isRegExp, isCaseSensitive }: FindQuery): TextMatcher | null {
  if (text === '') return null;
  const expression = compile(isRegExp ? text : escapeRegExp(text), isCaseSensitive ? 'gm' : 'gim');
  return expression === null ? null : matcherOf(expression);
}

/** @param expression  with the flag `g` */
export function matcherOf(expression: RegExp): TextMatcher {
  return (searched, limit = Infinity) => {
    const hits: { start: number; end: number }[] = [];
    for (const { 0: hit, index } of searched.matchAll(expression)) {
      if (hits.length >= limit) break;
      if (hit !== '') hits.push({ start: index, end: index + hit.length });
    }
    return hits;
  };
}

/** People escape what needs no escape, which `u` forbids. */
function compile(source: string, flags: string): RegExp | null {
  for (const all of [`${flags}u`, flags]) {
    try {
      return new RegExp(source, all);
    } catch {
      // It may be one without `u`.
    }
  }
  return null;
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

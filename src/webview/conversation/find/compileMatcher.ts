import type { TextMatcher } from '../../blocks/blockHost';
import type { FindQuery } from '../../../shared/conversation';

/** What is looked for, as the engine understands it. Null when it is nothing, or no regular expression. */
export function compileMatcher({ text, isRegExp, isCaseSensitive }: FindQuery): TextMatcher | null {
  if (text === '') return null;
  const expression = compile(isRegExp ? text : escapeRegExp(text), isCaseSensitive ? 'gu' : 'giu');
  if (expression === null) return null;
  return (searched) =>
    [...searched.matchAll(expression)]
      .filter(([hit]) => hit !== '')
      .map((match) => ({ start: match.index, end: match.index + match[0].length }));
}

function compile(source: string, flags: string): RegExp | null {
  try {
    return new RegExp(source, flags);
  } catch {
    return null;
  }
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

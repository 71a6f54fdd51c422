import type { MatchedText, MatchEdge } from '../../../shared/conversation';

/** Longest part of a match that is told, in UTF-16 units. */
const MAX_UNITS = 200;
const WORD = /[\p{L}\p{N}]/u;

/** What was matched between two places of a text, and what stands beside it there. */
export function matchedText(text: string, start: number, end: number): MatchedText {
  const hit = text.slice(start, Math.min(end, start + MAX_UNITS)).replace(/[\ud800-\udbff]$/, '');
  return {
    text: hit,
    before: edgeOf(/[^]$/u.exec(text.slice(Math.max(0, start - 2), start))?.[0], /^[^]/u.exec(hit)?.[0]),
    after:
      start + hit.length < end ? 'any' : edgeOf(/^[^]/u.exec(text.slice(end, end + 2))?.[0], /[^]$/u.exec(hit)?.[0]),
  };
}

/** Marks of Markdown, which are not shown, stand where no word is: only beside a word it is told whether it goes on. */
function edgeOf(beside: string | undefined, edge = ''): MatchEdge {
  if (beside === undefined || beside === '\n') return 'line';
  if (!WORD.test(edge)) return 'any';
  return WORD.test(beside) ? 'inside' : 'gap';
}

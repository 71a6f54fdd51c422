import type { CutText } from '../../../shared/conversation';
import type { TextMatcher } from '../blockHost';

export function holdsHit(find: TextMatcher, text: string): boolean {
  return find(text, 1).length > 0;
}

/** Whether there is a hit in the text, or may be in what was cut off. */
export function mayHoldHit(find: TextMatcher, { text, more }: CutText): boolean {
  return more > 0 || holdsHit(find, text);
}

import { signal } from '@preact/signals';
import { BoundedCache } from '../text/boundedCache';
import type { CodeHighlighter, CodeToken } from './codeHighlighter';

/** Longer code stays plain: colours are not worth the pause. */
export const MAX_HIGHLIGHTED_CHARS = 50 * 1024;
/** Grammars take the square of a line that no person wrote, or of lines that are all empty: seconds for 50 KB. */
const SLOW = /[^\n]{1000}|\n{200}/;
/** So many elements are laid out without a pause. */
const MAX_TOKENS = 10_000;
const MAX_KEPT_CHARS = 512 * 1024;

const kept = new BoundedCache<readonly CodeToken[]>(MAX_KEPT_CHARS);

/** What was highlighted before and is still kept. */
export function highlightedBefore(code: string, language: string): readonly CodeToken[] | null {
  return kept.get(keyOf(code, language)) ?? null;
}

/** Null where the code is too long, or of a shape that takes too long. The language is one that is known. */
export function highlightCode(
  highlighter: CodeHighlighter,
  code: string,
  language: string,
): readonly CodeToken[] | null {
  if (code.length > MAX_HIGHLIGHTED_CHARS || SLOW.test(code)) return null;
  const tokens = highlighter.highlight(code, language);
  if (tokens === null || tokens.length > MAX_TOKENS) return null;
  kept.set(keyOf(code, language), tokens, code.length + 100);
  return tokens;
}

function keyOf(code: string, language: string): string {
  return `${language}\n${code}`;
}

/** Null until its bundle is there. */
export const loadedHighlighter = signal<CodeHighlighter | null>(null);

/** What the end of a path says of a file's language: its extension; null where it has none. */
export function languageOfPath(path: string): string | null {
  return /\.([\w+-]{1,12})$/.exec(path)?.[1]?.toLowerCase() ?? null;
}

import { signal } from '@preact/signals';
import { BoundedCache } from '../text/boundedCache';
import type { CodeHighlighter, CodeToken } from './codeHighlighter';

/** Longer code stays plain, because highlighting would cause a pause. */
export const MAX_HIGHLIGHTED_CHARS = 50 * 1024;
/** Grammars take quadratic time for very long lines and for runs of empty lines: seconds for 50 KB. */
const SLOW = /[^\n]{1000}|\n{200}/;
/** At most this many elements can be laid out without a pause. */
const MAX_TOKENS = 10_000;
const MAX_KEPT_CHARS = 512 * 1024;

const kept = new BoundedCache<readonly CodeToken[]>(MAX_KEPT_CHARS);

/** The tokens of code that was highlighted before, if they are still cached. */
export function highlightedBefore(code: string, language: string): readonly CodeToken[] | null {
  return kept.get(keyOf(code, language)) ?? null;
}

/** Null if the code is too long, or has a shape that takes too long. The language must be known. */
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

/** Null until its bundle has loaded. */
export const loadedHighlighter = signal<CodeHighlighter | null>(null);

/** The language of a file by its path: its extension; null if it has none. */
export function languageOfPath(path: string): string | null {
  return /\.([\w+-]{1,12})$/.exec(path)?.[1]?.toLowerCase() ?? null;
}

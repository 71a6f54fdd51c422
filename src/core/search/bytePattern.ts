import { caseVariants } from './caseVariants';

/** What the bytes of a line must hold for its texts to hold a needle, unless they hold `\u` escapes. */
export interface BytePattern {
  /** To be run over the bytes as Latin-1, one character a byte. Global. */
  readonly expression: RegExp;
  /** Bytes of its longest match. */
  readonly maxBytes: number;
}

/** Longest part of a needle that is looked for in bytes; the rest makes no line rarer. */
const MAX_CHARACTERS = 40;
/**
 * What JSON may or must write otherwise (control characters, quotes, backslashes, slashes), lone surrogates, and the
 * character that stands for bytes which are no UTF-8.
 */
const WRITTEN_OTHERWISE = /[\p{Cc}"\\/\p{Cs}\ufffd]/u;

/** Null when every line may hold the needle: nothing of it is sure to stand in the bytes as it is. */
export function bytePattern(needle: string, isCaseSensitive: boolean): BytePattern | null {
  const run = longestRun(needle);
  if (run.length === 0) return null;
  let source = '';
  let maxBytes = 0;
  for (const character of run) {
    const forms = (isCaseSensitive ? [character] : caseVariants(character)).map((form) => Buffer.from(form));
    source += sourceOf(forms);
    maxBytes += Math.max(...forms.map(({ length }) => length));
  }
  return { expression: new RegExp(source, 'g'), maxBytes };
}

function longestRun(needle: string): readonly string[] {
  let longest: string[] = [];
  let run: string[] = [];
  for (const character of needle) {
    if (WRITTEN_OTHERWISE.test(character)) run = [];
    else run.push(character);
    if (run.length > longest.length) longest = [...run];
    if (run.length === MAX_CHARACTERS) break;
  }
  return longest;
}

/** A class where all forms are single bytes: the engine skips ahead over those. */
function sourceOf(forms: readonly Buffer[]): string {
  const sources = forms.map((form) => [...form].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''));
  if (forms.every(({ length }) => length === 1))
    return sources.length === 1 ? sources.join('') : `[${sources.join('')}]`;
  return `(?:${sources.join('|')})`;
}

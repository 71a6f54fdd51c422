import type { Emitter, HLJSApi } from 'highlight.js';
import hljs from 'highlight.js/lib/core';
import { BoundedCache } from '../text/boundedCache';
import { registerLanguages } from './languages';
import { tokenClass } from './tokenClass';

/** A piece of code in one colour; `className` is empty for what has none. */
export interface CodeToken {
  readonly text: string;
  readonly className: string;
}

/** Longer code stays plain: colours are not worth the pause. */
export const MAX_HIGHLIGHTED_CHARS = 50 * 1024;
/** Grammars take the square of a line that no person wrote, or of lines that are all empty: seconds for 50 KB. */
const SLOW = /[^\n]{1000}|\n{200}/;
/** So many elements are laid out without a pause. */
const MAX_TOKENS = 10_000;
const MAX_KEPT_CHARS = 512 * 1024;

const kept = new BoundedCache<readonly CodeToken[]>(MAX_KEPT_CHARS);
let highlighter: HLJSApi | null = null;

/** Whether there is a language of this name, or of this file extension. */
export function isKnownLanguage(language: string | null): language is string {
  return language !== null && language !== '' && prepared().getLanguage(language) !== undefined;
}

/** What was highlighted before and is still kept. */
export function highlightedBefore(code: string, language: string): readonly CodeToken[] | null {
  return kept.get(keyOf(code, language)) ?? null;
}

/** Null where the code is too long, or of a shape that takes too long. The language is one that is known. */
export function highlightCode(code: string, language: string): readonly CodeToken[] | null {
  if (code.length > MAX_HIGHLIGHTED_CHARS || SLOW.test(code)) return null;
  const { _emitter: emitter, errorRaised } = prepared().highlight(code, { language, ignoreIllegals: true });
  if (!(emitter instanceof TokenEmitter) || errorRaised !== undefined) return null;
  const { tokens } = emitter;
  if (tokens.length > MAX_TOKENS) return null;
  kept.set(keyOf(code, language), tokens, code.length + 100);
  return tokens;
}

function keyOf(code: string, language: string): string {
  return `${language}\n${code}`;
}

function prepared(): HLJSApi {
  if (highlighter !== null) return highlighter;
  highlighter = hljs.newInstance();
  // highlight.js gives HTML; an emitter of one's own gives what it is made of, so that no HTML is ever parsed.
  highlighter.configure({ __emitter: TokenEmitter });
  registerLanguages(highlighter);
  return highlighter;
}

/** Takes down the text with the innermost scope that has a colour. */
class TokenEmitter implements Emitter {
  readonly tokens: CodeToken[] = [];
  readonly #classes: string[] = [];

  startScope(name: string): void {
    const own = tokenClass(name);
    this.#classes.push(own === '' ? this.#className() : own);
  }

  endScope(): void {
    this.#classes.pop();
  }

  addText(text: string): void {
    this.#add(text, this.#className());
  }

  /** What the core calls itself; grammars call `startScope`. */
  openNode(name: string): void {
    this.startScope(name);
  }

  closeNode(): void {
    this.endScope();
  }

  finalize(): void {
    this.#classes.length = 0;
  }

  toHTML(): string {
    return '';
  }

  __addSublanguage(emitter: Emitter, _subLanguageName: string): void {
    if (!(emitter instanceof TokenEmitter)) return;
    for (const { text, className } of emitter.tokens) this.#add(text, className);
  }

  #className(): string {
    return this.#classes.at(-1) ?? '';
  }

  #add(text: string, className: string): void {
    if (text === '') return;
    const last = this.tokens.at(-1);
    if (last?.className === className) this.tokens[this.tokens.length - 1] = { text: last.text + text, className };
    else this.tokens.push({ text, className });
  }
}

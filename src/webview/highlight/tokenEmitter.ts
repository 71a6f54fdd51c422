import type { Emitter } from 'highlight.js';
import type { CodeToken } from '../blocks/code/codeHighlighter';
import { tokenClass } from './tokenClass';

/** Takes down the text with the innermost scope that has a colour. */
export class TokenEmitter implements Emitter {
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

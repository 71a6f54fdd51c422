import type { Emitter, HLJSApi } from 'highlight.js';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import type { CodeHighlighter, CodeToken } from '../blocks/code/codeHighlighter';

export function createHighlighter(): CodeHighlighter {
  const highlighter = hljs.newInstance();
  // highlight.js returns HTML; a custom emitter provides the tokens instead, so that no HTML is ever parsed.
  highlighter.configure({ __emitter: TokenEmitter });
  registerLanguages(highlighter);
  return {
    knows: (language) => highlighter.getLanguage(language) !== undefined,
    highlight: (code, language) => {
      const { _emitter: emitter, errorRaised } = highlighter.highlight(code, { language, ignoreIllegals: true });
      return emitter instanceof TokenEmitter && errorRaised === undefined ? emitter.tokens : null;
    },
  };
}

const LANGUAGES = {
  bash,
  diff,
  go,
  json,
  python,
  rust,
  typescript,
  xml,
  yaml,
};

/** Names and file extensions that highlight.js itself does not know. */
const ALIASES: Readonly<Record<string, string>> = {
  console: 'bash',
  shellsession: 'bash',
  sh: 'bash',
  zsh: 'bash',
  // The JavaScript grammar is part of the TypeScript grammar; including both would double the size.
  javascript: 'typescript',
  js: 'typescript',
  jsx: 'typescript',
  cjs: 'typescript',
  mjs: 'typescript',
  cts: 'typescript',
  mts: 'typescript',
  jsonl: 'json',
  json5: 'json',
  vue: 'xml',
  svelte: 'xml',
  // The TOML grammar takes seconds for a long line of dots; bash has the same comments and strings.
  toml: 'bash',
  ini: 'bash',
  env: 'bash',
  cfg: 'bash',
  conf: 'bash',
  // Comments, strings, numbers and most keywords are the same.
  java: 'typescript',
  c: 'typescript',
  cpp: 'typescript',
  h: 'typescript',
  hpp: 'typescript',
  kt: 'typescript',
  kotlin: 'typescript',
  cs: 'typescript',
  csharp: 'typescript',
};

function registerLanguages(highlighter: HLJSApi): void {
  for (const [name, language] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, language);
  for (const [alias, languageName] of Object.entries(ALIASES)) highlighter.registerAliases(alias, { languageName });
}

/** Records the text with its innermost scope that has a colour. */
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

  /** Called by the core; grammars call `startScope`. */
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

const CLASSES: Readonly<Record<string, string>> = {
  keyword: 'keyword',
  doctag: 'keyword',
  'meta.keyword': 'keyword',
  'selector-tag': 'keyword',
  'variable.language': 'keyword',
  literal: 'literal',
  number: 'number',
  string: 'string',
  'meta.string': 'string',
  regexp: 'string',
  link: 'string',
  comment: 'comment',
  quote: 'comment',
  title: 'title',
  'title.function': 'title',
  'title.class': 'type',
  section: 'title',
  type: 'type',
  built_in: 'type',
  class: 'type',
  tag: '',
  name: 'keyword',
  attr: 'attribute',
  attribute: 'attribute',
  property: 'attribute',
  'template-variable': 'attribute',
  variable: 'attribute',
  symbol: 'literal',
  bullet: 'literal',
  meta: 'comment',
  addition: 'addition',
  deletion: 'deletion',
};

/** Class of a highlight.js scope; empty for one without a colour. */
function tokenClass(scope: string): string {
  const name = CLASSES[scope] ?? CLASSES[scope.split('.')[0] ?? ''] ?? '';
  return name === '' ? '' : `token-${name}`;
}

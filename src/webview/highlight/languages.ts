import type { HLJSApi } from 'highlight.js';
import bash from 'highlight.js/lib/languages/bash';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

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

/** Names and file extensions that highlight.js does not know by itself. */
const ALIASES: Readonly<Record<string, string>> = {
  console: 'bash',
  shellsession: 'bash',
  sh: 'bash',
  zsh: 'bash',
  // Its grammar holds all of JavaScript's, which would weigh as much again.
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
  // Its own grammar takes seconds for a long line of dots; comments and strings are the same.
  toml: 'bash',
  ini: 'bash',
  env: 'bash',
  cfg: 'bash',
  conf: 'bash',
  // Comments, strings, numbers and most of their keywords are the same.
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

export function registerLanguages(highlighter: HLJSApi): void {
  for (const [name, language] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, language);
  for (const [alias, languageName] of Object.entries(ALIASES)) highlighter.registerAliases(alias, { languageName });
}

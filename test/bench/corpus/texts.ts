import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Chance } from './chance';

/** Pieces of real source code, of text about it, and of images. */
export interface Texts {
  code(length: number): string;
  prose(length: number): string;
  base64(length: number): string;
}

/** The compiler and its typings: real code and documentation, the same on every machine with this lock file. */
const LIBRARY = dirname(require.resolve('typescript'));
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BASE64_POOL = 6_000_000;
const NON_ASCII = [
  '→ ',
  '— ',
  '“quoted” ',
  '✅ ',
  '日本語のテキスト ',
  'Größe ',
  '🚀 ',
  'naïve ',
  '中文内容 ',
  'Привет ',
] as const;
const NON_ASCII_SHARE = 0.35;
/** U+2028 ends a line in JavaScript and not in JSON. */
const LINE_SEPARATOR_SHARE = 0.002;

export function createTexts(chance: Chance): Texts {
  const source = readFileSync(join(LIBRARY, 'typescript.js'), 'utf8');
  const comments = readFileSync(join(LIBRARY, 'lib.dom.d.ts'), 'utf8').match(/(?<=\* )[^*\n]{12,}/g) ?? [];
  const documentation = comments.join('\n');
  const pixels = Buffer.from(
    Array.from({ length: BASE64_POOL }, () => BASE64.charCodeAt(chance.between(0, 63))),
  ).toString('latin1');
  const slice = (pool: string, length: number): string => {
    const at = chance.between(0, pool.length - Math.min(length, pool.length));
    return pool.slice(at, at + length);
  };
  return {
    code: (length) => slice(source, length),
    prose(length) {
      const text = slice(documentation, length);
      if (!chance.hasLuck(NON_ASCII_SHARE)) return text;
      const half = length >> 1;
      const inserted = chance.hasLuck(LINE_SEPARATOR_SHARE) ? '\u2028' : chance.pick(NON_ASCII);
      return text.slice(0, half) + inserted + text.slice(half);
    },
    base64: (length) => slice(pixels, length),
  };
}

import type { Random } from '../../support/random';
import { toBytes } from './jsonTree';
import { oneOf, type Scene } from './scene';

const NUMBERS = (
  '0 -0 0.0 -0.0 1 -1 1.5 0.1e1 1e5 1E+5 1e-5 0e0 0E-0 1e400 -1e400 1e-400 4294967296 2147483648 ' +
  '9007199254740993 123456789012345678901234567890 0.30000000000000004'
).split(' ');
const LITERALS = ['true', 'false', 'null'];
const STRINGS = ['""', '"0"', '"true"', '"false"', '"null"', '" "', '"\\u0000"', '"user"', '"x"', '"\\ud83d\\ude00"'];
const HOLDERS = ['{}', '[]', '[0]', '[[]]', '[{}]', '{"":0}', '{"type":"user"}', '{"__proto__":{"type":"user"}}'];

/** Legal JSON of any type. */
export const VALUES: readonly string[] = [...NUMBERS, ...LITERALS, ...STRINGS, ...HOLDERS];

const NO_NUMBERS =
  '01 -01 00 1. .5 -.5 0.e1 1e 1e+ 1e- +1 - -- --1 0x10 1_000 1e5.5 1a 1n NaN Infinity -Infinity -a 1.e5 1ee5';
const NO_LITERALS = 'tru nulll True TRUE nul fals truefalse undefined none nu\\u006cl Null falsee t n f';
const NO_STRINGS = [
  '"',
  '"open',
  "'x'",
  '"a""b"',
  '"a" "b"',
  '"\\x"',
  '"\\u12g4"',
  '"\\u12"',
  '"\\u"',
  '"\\uD83D\\u"',
  '"\\U0041"',
  '"\\\'"',
  '"\\0"',
  '"\\v"',
  '"\\ "',
  '"\\',
  '"tab\t"',
  '"cr\r"',
  '"nul\0"',
  '"\x1f"',
  '"\\\t"',
  '\\"x"',
  'x',
];
const NO_HOLDERS =
  '{ } [ ] {} {]] [} {,} [,] [1,] [,1] [1,,2] {"a"} {"a":} {:1} {"a":1,} {,"a":1} {"a":1,,"b":2} {a:1} {1:2} ' +
  '{"a"1} {"a"::1} {"a":1:2} {"a","b"} [1:2] {"a":1}} [1]] {{}} [[] {null:1} () /**/ //x {"a":1;} ,1 :1';

/** Tokens that JSON.parse refuses in place of a value. */
const NO_VALUES: readonly string[] = [
  ...NO_NUMBERS.split(' '),
  ...NO_LITERALS.split(' '),
  ...NO_STRINGS,
  ...NO_HOLDERS.split(' '),
  ...['\u00a0', '\u2028', '\ufeff', '\u0085'].map(toBytes),
  '[1\v]',
  '[\f1]',
  '[1\0]',
  '',
];

export function valueToken({ random }: Scene): string {
  return oneOf(random, VALUES);
}

export function noValueToken({ random }: Scene): string {
  return random.chance(0.3) ? badString(random) : oneOf(random, NO_VALUES);
}

/** One bad byte or escape anywhere in a string of any length. */
function badString(random: Random): string {
  const digits = Array.from({ length: 4 }, (): string => random.pick(HEX_DIGITS));
  digits[random.below(4)] = random.pick(['g', 'G', '/', ':', '@', '`', ' ', '"', '\\', '\x16']);
  const letter = String.fromCharCode(random.below(256));
  const bad = random.pick([
    `\\u${digits.join('')}`,
    `\\${'"\\/bfnrtu'.includes(letter) ? 'x' : letter}`,
    String.fromCharCode(random.below(32)),
  ]);
  return `"${filler(random)}${bad}${filler(random)}"`;
}

const HEX_DIGITS = ['0', '9', 'a', 'f', 'A', 'F'] as const;

function filler(random: Random): string {
  return 'x'.repeat(random.below(70)) + random.pick(['', '', '\\\\', '\\"', '\\n', '\\u00e9', '\xc3\xa9']);
}

/** Values in place of a boolean. */
export function booleanToken({ random, odds }: Scene): string {
  return random.chance(odds.values) ? oneOf(random, VALUES) : random.pick(['true', 'false', 'false']);
}

/** A token of its kind, or occasionally of any kind. */
export function orOdd({ random, odds }: Scene, token: string): string {
  return random.chance(odds.values) ? oneOf(random, VALUES) : token;
}

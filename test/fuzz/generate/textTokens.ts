import type { Random } from '../../support/random';
import { toBytes } from './jsonTree';
import { escapeOne } from './escapeOne';
import { oneOf, type Scene } from './scene';

/** White space that `trim` removes, raw where JSON allows it and escaped. */
const SPACES = [
  ...[' ', '\u00a0', '\u1680', '\u2000', '\u200a', '\u2028', '\u2029', '\u202f', '\u205f', '\u3000', '\ufeff'],
  ...['\\n', '\\r', '\\t', '\\f', '\\u000b', '\\u0020', '\\u00A0', '\\u2028', '\\uFEFF', '\\u3000', '\\u1680'],
].map(toBytes);
/** Characters that look like white space and that `trim` keeps. */
const NO_SPACES = [
  '\u0085',
  '\u180e',
  '\u200b',
  '\u2060',
  '\\u0000',
  '\\u001c',
  '\\b',
  '\x7f',
  '\\u200d',
  '\\u180E',
].map(toBytes);
const PIECES = [
  ...['a', 'word ', 'Fix the test. ', '<', '<command-name>', ' <b', '}', '{', '[', ']', ',', ':', '{"type":', "'"],
  ...['\\"', '\\\\', '\\/', '\\n', '\\u0041', '\\u2028', '\\ud83d\\ude00', '\\ud83d', '\\ude00', '\\u0000'],
  ...['é', '☕', '𝄞', '\u2028', '\u00a0', '\ufeff', '\ufffd', '\x7f'],
  ...['\\"uuid\\":\\"', '\\"type\\":\\"user\\",', '\\\\\\"', '\\\\\\\\'],
].map(toBytes);
/** Invalid UTF-8: each byte that starts no character becomes one U+FFFD. */
const BROKEN = [
  '\xff',
  '\xfe\xff',
  '\x80',
  '\xc3',
  '\xe2\x98',
  '\xf0\x9f\x98',
  '\xc0\xaf',
  '\xed\xa0\x80',
  '\xf8\x88\x80\x80\x80',
];
const NON_ASCII = ['é', '☕', '𝄞', 'x', '\\ud83d\\ude00', '\\u00e9'].map(toBytes);
const NO_RESPONSE = 'No response requested.';
const BORDERS = [15, 16, 17, 31, 32, 33, 62, 63, 64, 65, 127, 128, 255, 256, 399, 400, 401] as const;

/** The text of a message, as a token. */
export function textToken(scene: Scene): string {
  const { random, odds } = scene;
  if (!random.chance(Math.max(odds.texts, 0.05))) return `"${words(random)}"`;
  return oneOf(random, ODD_TEXTS)(random);
}

/** What the client writes about a history that is too long, and what resembles it. */
const REFUSALS = [
  ...['Prompt is too long', 'Prompt is too lon', '\\u0050rompt is too long', 'Prompt is\\u0020too long', 'Prompt in'],
  ...['Autocompact is thrashing: x', 'Autocompact', 'API Error: 400 {\\"prompt is too long: 9 tokens > 8\\"}'],
  ...['API Error: 400 x', 'API Error: 401 prompt is too long', 'API Error: 40', 'A', ''],
];

const ODD_TEXTS: readonly ((random: Random) => string)[] = [
  (random) => `"${oneOf(random, REFUSALS)}"`,
  () => '""',
  ...Array.from({ length: 4 }, () => (random: Random) => `"${some(random, SPACES, 6)}"`),
  (random) => `"${oneOf(random, NO_SPACES)}"`,
  (random) => `"${some(random, SPACES, 4)}${oneOf(random, NO_SPACES)}${some(random, SPACES, 4)}"`,
  (random) => `"${some(random, SPACES, 3)}${some(random, PIECES, 8)}${some(random, SPACES, 3)}"`,
  (random) => `"${some(random, PIECES, 20)}"`,
  (random) => `"${words(random)}${oneOf(random, BROKEN)}${words(random)}"`,
  (random) => `"${oneOf(random, SPACES)}${oneOf(random, BROKEN)}"`,
  (random) => `"${backslashes(random)}"`,
  (random) => `"${'x'.repeat(random.pick(BORDERS))}${oneOf(random, PIECES)}"`,
  (random) => `"${'é'.repeat(random.pick(BORDERS))}${toBytes('𝄞𝄞')}"`,
  longTitle,
  longTitle,
  () => `"${NO_RESPONSE}"`,
  (random) => escapeOne(`"${NO_RESPONSE}"`, random),
  (random) =>
    random.pick([`" ${NO_RESPONSE}"`, `"${NO_RESPONSE}\\n"`, `"${NO_RESPONSE}."`, `"${NO_RESPONSE.slice(0, -1)}"`]),
  (random) => random.pick(['null', '0', 'true', '{}', '[]', '["x"]', '{"text":"x"}', '-1.5e3']),
];

/** Titles end after 400 UTF-16 units. */
function longTitle(random: Random): string {
  const start = oneOf(random, NON_ASCII).repeat(random.pick([133, 134, 199, 200, 201]));
  return `"${start}${oneOf(random, NON_ASCII).repeat(300)}"`;
}

/** A run of backslashes, or of escaped quotes, across the border of a block. */
function backslashes(random: Random): string {
  const run = random.chance(0.3) ? '\\"'.repeat(1 + random.below(40)) : '\\\\'.repeat(1 + random.below(70));
  return 'x'.repeat(random.below(130)) + run + random.pick(['', 'n', '\\n', '\\"', '\\', '\\u00', '\\u0041', '}]']);
}

function words(random: Random): string {
  return 'Read the file and say what is in it. '.slice(random.below(30)).repeat(1 + random.below(3));
}

function some(random: Random, from: readonly string[], most: number): string {
  // Of few kinds, so that each kind also occurs alone.
  const kinds = [oneOf(random, from), oneOf(random, from)].slice(random.below(2));
  const isMixed = random.chance(0.5);
  return Array.from({ length: random.below(most + 1) }, () => oneOf(random, isMixed ? from : kinds)).join('');
}

import type { Random } from '../../support/random';
import { escape, escapeOne } from './escapeOne';
import { quote, toBytes } from './jsonTree';
import { oneOf, type Scene } from './scene';

export function uuidToken(scene: Scene): string {
  return idToken(scene, scene.uuids);
}

export function messageIdToken(scene: Scene): string {
  return idToken(scene, scene.messageIds);
}

export function toolIdToken(scene: Scene): string {
  const id = idToken(scene, scene.toolIds);
  return scene.random.chance(scene.odds.ids / 4) ? oneOf(scene.random, ODD_TOOL_IDS)(id) : id;
}

/** An id from the pool, or something that looks like one. */
function idToken({ random, odds }: Scene, pool: readonly string[]): string {
  const id = oneOf(random, pool);
  return random.chance(odds.ids) ? oddId(id, random) : `"${id}"`;
}

export function oddId(id: string, random: Random): string {
  return oneOf(random, ODD_IDS)(id, random);
}

/** Replacements for one digit in a bad id: the neighbours of the digits, and characters of other lengths. */
const WRONG_DIGITS = [...Array.from('ggGGhzZ/:@`_ .\x7f'), 'é', '𝄞', '\uFFFD', '０', '\u2028', ''].map(toBytes);
/** Replacements for one digit that are invalid UTF-8: a lone byte, cut characters, an overlong zero, a surrogate. */
const BROKEN_DIGITS = ['\xff', '\x80', '\xc3', '\xe2\x98', '\xc0\xb0', '\xed\xa0\x80', '\xf5\x80\x80\x80'] as const;
const LENGTHS = [1, 2, 15, 16, 17, 31, 32, 33, 35, 36, 37, 63, 64, 65, 127, 128, 129, 300] as const;
const PLAIN_NAMES = ['a', '0', '__proto__', 'constructor', 'toString', 'null', 'undefined', ' ', 'é', '☕', '\0'];
const NO_IDS = ['null', '0', '-0', '0.0', '42', '1e400', '1e-400', 'false', 'true', '{}', '[]', '[null]'] as const;

const ODD_IDS: readonly ((id: string, random: Random) => string)[] = [
  (id) => `"${id.toUpperCase()}"`,
  (id, random) => at(id, random, (digit) => digit.toUpperCase()),
  (id, random) => at(id, random, () => oneOf(random, WRONG_DIGITS)),
  (id, random) => at(id, random, () => random.pick(BROKEN_DIGITS)),
  (id, random) => at(id, random, (digit) => digit + digit),
  (id, random) => at(id, random, () => '-'),
  (id, random) => at(id, random, () => random.pick(['g', 'G', 'h'])),
  (id, random) => at(id, random, (digit) => digit + String.fromCharCode(random.below(32))),
  (id, random) => at(id, random, (digit) => random.pick(['1', '2', 'a', 'f', digit])),
  (id, random) => escapeOne(`"${id}"`, random),
  (id, random) =>
    at(id, random, () => random.pick(['\\/', '\\b', '\\\\', '\\"', '\\ud800', '\\u0000', '\\x', '\\u12g4'])),
  (id) => `"${Array.from(id, escape).join('')}"`,
  (id, random) => {
    const dash = id.indexOf('-') + 1;
    return `"${random.chance(0.5) ? id.replace('-', '_') : id.slice(0, dash - 1) + id.slice(dash, dash + 1) + '-' + id.slice(dash + 1)}"`;
  },
  (id, random) =>
    `"${random.pick([` ${id}`, `${id} `, `{${id}}`, id.replaceAll('-', ''), `${id}\\n`, `\\ufeff${id}`])}"`,
  () => '""',
  (_id, random) => quote(oneOf(random, PLAIN_NAMES)),
  (_id, random) => `"${'x'.repeat(random.pick(LENGTHS))}"`,
  (_id, random) => `"${random.pick(['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])}"`,
  (_id, random) => random.pick(NO_IDS),
  (id) => `["${id}"]`,
  (id) => `{"uuid":"${id}","id":"${id}"}`,
];

/** `String` determines the text of an id that is not a string. */
const ODD_TOOL_IDS: readonly ((id: string) => string)[] = [
  () => '1e21',
  () => '123456789012345678901',
  () => '1.0',
  () => '0.1e-6',
  (id) => `[[${id}]]`,
  (id) => `[${id},${id}]`,
  () => '[[],[null,{}]]',
  () => '{"toString":1}',
  () => '{"toString":1,"valueOf":"x"}',
  () => '{"__proto__":null}',
];

function at(id: string, random: Random, change: (digit: string) => string): string {
  const place = random.below(id.length);
  return `"${id.slice(0, place)}${change(id.charAt(place))}${id.slice(place + 1)}"`;
}

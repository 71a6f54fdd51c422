import { createRandom, type Random } from '../../support/random';
import type { JsonNode } from './jsonTree';

/** The probability that a field is odd, by its content. If everything is odd, one oddity hides another. */
export type Odds = Readonly<Record<(typeof FAMILIES)[number], number>>;

/** Fields of an object. */
export type Fields = readonly (readonly [string, JsonNode])[];

const FAMILIES = ['ids', 'times', 'texts', 'blocks', 'usage', 'types', 'values'] as const;

/** The values that the rows of one transcript share. */
export interface Scene {
  readonly random: Random;
  readonly odds: Odds;
  /** Few of each, so that rows share them. */
  readonly uuids: readonly string[];
  readonly messageIds: readonly string[];
  readonly toolIds: readonly string[];
}

export function createScene(random: Random, hasOddFields = true): Scene {
  const first = random.below(UUIDS.length - MAX_UUIDS);
  const uuids = UUIDS.slice(first, first + 3 + random.below(MAX_UUIDS - 2));
  // One digit apart from another one.
  uuids.push(...uuids.slice(0, 2).map((uuid) => replaceAt(uuid, random.below(36), (at) => (at === '0' ? '1' : '0'))));
  const odds = createOdds(random, hasOddFields ? 1 + random.below(3) : 0);
  // Odd ones are repeated, too.
  const withOdd = (ids: readonly string[]): string[] =>
    odds.ids === 0
      ? [...ids]
      : [...ids, ...ids.slice(0, 2).map((id) => replaceAt(id, 1 + random.below(5), () => '\xc3\xa9'))];
  const ids = (prefix: string): string[] =>
    UUIDS.slice(first, first + MAX_UUIDS).map((uuid) => prefix + uuid.slice(random.below(17)).replaceAll('-', ''));
  return {
    random,
    odds,
    uuids: withOdd(uuids),
    messageIds: withOdd(ids('msg_01')),
    toolIds: withOdd(ids('toolu_01')),
  };
}

function createOdds(random: Random, families: number): Odds {
  const chosen = Array.from({ length: families }, () => oneOf(random, FAMILIES));
  const odds = (family: keyof Odds): number => (chosen.includes(family) ? random.pick([0.1, 0.3, 0.6]) : 0);
  return {
    ids: odds('ids'),
    times: odds('times'),
    texts: odds('texts'),
    blocks: odds('blocks'),
    usage: odds('usage'),
    types: odds('types'),
    values: odds('values'),
  };
}

/** One of the choices, of which there must be at least one. */
export function oneOf<T>(random: Random, from: readonly T[]): T {
  const chosen = from[random.below(from.length)];
  if (chosen === undefined) throw new RangeError('Nothing to choose from');
  return chosen;
}

/** The text with the character at a position replaced. The dashes of a uuid stay. */
function replaceAt(text: string, at: number, by: (character: string) => string): string {
  const character = text.charAt(at);
  return character === '-' ? text : text.slice(0, at) + by(character) + text.slice(at + 1);
}

function makeUuid(random: Random): string {
  const hex = Array.from({ length: 4 }, () =>
    random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

const UUID_SEED = 1;
const MAX_UUIDS = 10;
const UUIDS = makeUuids(4096, createRandom(UUID_SEED));

function makeUuids(count: number, random: Random): string[] {
  return Array.from({ length: count }, () => makeUuid(random));
}

/** A random field. */
export function maybe({ random }: Scene, probability: number, name: string, value: JsonNode): Fields {
  return random.chance(probability) ? [[name, value]] : [];
}

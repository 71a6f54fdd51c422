import { createRandom } from '../../support/random';

const HEX = '0123456789abcdef';

/** The source of randomness for a corpus: the same seed gives the same bytes on every machine. */
export interface Chance {
  /** From 0 to 1, excluding 1. */
  next(): number;
  /** An integer from `low` to `high`, inclusive. */
  between(low: number, high: number): number;
  pick<T>(from: readonly [T, ...T[]]): T;
  hasLuck(probability: number): boolean;
  /**
   * An integer from a log-normal distribution with this median; `spread` is the standard deviation of its logarithm.
   */
  around(median: number, spread: number, low: number, high: number): number;
  hex(digits: number): string;
  uuid(): string;
}

export function createChance(seed: number): Chance {
  const random = createRandom(seed);
  const next = (): number => random.below(2 ** 32) / 2 ** 32;
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  const hex = (digits: number): string => {
    let text = '';
    for (let left = digits; left > 0; left -= 7) {
      text += random.below(0x10000000).toString(16).padStart(7, '0').slice(0, left);
    }
    return text;
  };
  return {
    next,
    between,
    pick: (from) => random.pick(from),
    hasLuck: (probability) => next() < probability,
    around(median, spread, low, high) {
      const bell = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
      return Math.max(low, Math.min(high, Math.round(median * Math.exp(spread * bell))));
    },
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${HEX[8 + random.below(4)] ?? '8'}${hex(3)}-${hex(12)}`,
  };
}

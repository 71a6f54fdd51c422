/** A small seeded random source: the same seed gives the same choices on every machine. */
export interface Random {
  /** An integer from 0 to `end`, excluding `end`. */
  below(end: number): number;
  pick<T>(from: readonly [T, ...T[]]): T;
  chance(probability: number): boolean;
}

/** mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    below: (end) => Math.floor(next() * end),
    pick: (from) => from[Math.floor(next() * from.length)] ?? from[0],
    chance: (probability) => next() < probability,
  };
}

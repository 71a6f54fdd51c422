import type { Measurement } from './measure';

/** Several things that are measured in turn, so that other load on the machine affects them equally. */
export type Contenders = Readonly<Record<string, () => Promise<Measurement>>>;

export type Rounds<T extends Contenders> = { readonly [Name in keyof T]: readonly Measurement[] };

export async function alternate<T extends Contenders>(contenders: T, rounds: number): Promise<Rounds<T>> {
  const measured = Object.fromEntries(Object.keys(contenders).map((name): [string, Measurement[]] => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(contenders)) measured[name]?.push(await run());
  }
  // SAFETY: the keys are those of `contenders`.
  return measured as unknown as Rounds<T>;
}

/** The value of each round. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? NaN;
  const low = sorted.length % 2 === 1 ? high : (sorted[middle - 1] ?? NaN);
  return { median: (low + high) / 2, least: sorted[0] ?? NaN, most: sorted.at(-1) ?? NaN };
}

/** `above` ÷ `below`, round by round. */
export function ratioOf(above: readonly Measurement[], below: readonly Measurement[], of: 'wallMs' | 'cpuMs'): Spread {
  const pairs = Math.min(above.length, below.length);
  return spreadOf(
    Array.from({ length: pairs }, (_, round) => (above[round]?.[of] ?? NaN) / (below[round]?.[of] ?? NaN)),
  );
}

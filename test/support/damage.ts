import { DAMAGE_OPERATIONS, type WeightedOperation } from './damageOperations';
import { createRandom, type Random } from './random';
import { joinRows, readRow, setField, splitRows, type RowText } from './rowText';

export interface Damaged {
  readonly bytes: Buffer;
  /** The operations in order; line numbers are those before each step. */
  readonly operations: readonly string[];
}

/**
 * The rows of the recordings are milliseconds apart, closer than people type. With `near` and `far`, the times of a
 * copy are set so that the client's 5-second bridge is always, or never, in reach.
 */
const SPACINGS = { recorded: null, near: 700, far: 30_000 } as const;
const SPACING_START_MS = Date.UTC(2026, 5, 1, 10);
const MAX_OPERATIONS = 4;
const TRIES_PER_OPERATION = 20;

/** Breaks a transcript with 1 to 4 of the operations, or up to another number. The same seed and bytes give the same damage. */
export function damage(
  original: Buffer,
  seed: number,
  operations: readonly WeightedOperation[] = DAMAGE_OPERATIONS,
  most = MAX_OPERATIONS,
): Damaged {
  const random = createRandom(seed);
  const spacing = random.pick(['recorded', 'near', 'far'] as const);
  let rows = space(splitRows(original), SPACINGS[spacing]);
  const done = [`spacing: ${spacing}`];
  const count = 1 + random.below(most);
  for (let left = count; left > 0; left -= 1) {
    const step = applyOne(rows, random, operations);
    if (step === null) break;
    rows = step.rows;
    done.push(step.what);
  }
  return { bytes: joinRows(rows), operations: done };
}

/** Not every operation applies to every transcript; then another one is drawn. */
function applyOne(
  rows: readonly RowText[],
  random: Random,
  operations: readonly WeightedOperation[],
): { rows: RowText[]; what: string } | null {
  for (let tries = 0; tries < TRIES_PER_OPERATION; tries += 1) {
    const { name, apply } = pickOperation(random, operations);
    const result = apply(rows, random);
    if (result !== null) return { rows: result.rows, what: `${name}: ${result.what}` };
  }
  return null;
}

function pickOperation(random: Random, operations: readonly WeightedOperation[]): WeightedOperation {
  let left = random.below(operations.reduce((sum, { weight }) => sum + weight, 0));
  const found = operations.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  if (found === undefined) throw new RangeError('The weights of the operations do not add up');
  return found;
}

function space(rows: readonly RowText[], stepMs: number | null): RowText[] {
  if (stepMs === null) return [...rows];
  return rows.map((row, at) =>
    typeof readRow(row)?.timestamp === 'string'
      ? setField(row, 'timestamp', new Date(SPACING_START_MS + (at + 1) * stepMs).toISOString())
      : row,
  );
}

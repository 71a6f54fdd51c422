import { DAMAGE_OPERATIONS, type DamageResult, type WeightedOperation } from '../support/damageOperations';
import type { Random } from '../support/random';
import { readRow, type RowText, setField } from '../support/rowText';
import { POISON_CLASSES, POISONS, type PoisonClass, type PoisonRow } from './poisonRows';

/** Whether they are refused depends on the API, or on sizes that take too long here. */
const OF_LIMITS: ReadonlySet<PoisonClass> = new Set(['role', 'request-size']);

/** The ways in which a session comes to be refused, as operations of random damage. */
const POISON_OPERATIONS: readonly WeightedOperation[] = POISON_CLASSES.filter((code) => !OF_LIMITS.has(code)).map(
  (code) => ({ name: `poison ${code}`, weight: 5, apply: (rows, random) => poison(code, rows, random) }),
);

/** All ways of breaking a transcript. A random one is a poison in about half of the cases. */
export const ALL_OPERATIONS: readonly WeightedOperation[] = [...DAMAGE_OPERATIONS, ...POISON_OPERATIONS];

export const MOST_OPERATIONS = 5;

/** Changes the messages of rows; everything else of a row keeps its bytes. */
function poison(code: PoisonClass, rows: readonly RowText[], random: Random): DamageResult {
  const places: number[] = [];
  const messages: PoisonRow[] = [];
  for (const [at, row] of rows.entries()) {
    const fields = readRow(row);
    const content = fields?.message?.content;
    const isBlock = (each: unknown): boolean => typeof each === 'object' && each !== null;
    const isUsable = typeof content === 'string' || (Array.isArray(content) && content.every(isBlock));
    if (fields === null || !isUsable) continue;
    places.push(at);
    // SAFETY: the fields that a poison reads are those of rows of a client; what it changes was checked above.
    messages.push(fields as PoisonRow);
  }
  const before = messages.map(({ message }) => JSON.stringify(message));
  try {
    POISONS[code](messages, random);
  } catch {
    // The transcript has nothing of the kind.
    return null;
  }
  const changed = messages.flatMap(({ message }, at) => (JSON.stringify(message) === before[at] ? [] : [at]));
  if (changed.length === 0) return null;
  const poisoned = [...rows];
  for (const at of changed) {
    const place = places[at] ?? 0;
    poisoned[place] = setField(rows[place] ?? '', 'message', messages[at]?.message);
  }
  return { rows: poisoned, what: `lines ${changed.map((at) => (places[at] ?? 0) + 1).join(', ')}` };
}

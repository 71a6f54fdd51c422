import { parseArgs } from 'node:util';
import { Redactor } from '../rooms/conversation';
import { CONTEXTS, listKinds, measureRedaction, type Miss } from './secretKinds';

/**
 * Prints how many of the secrets in `secretKinds.jsonl` are found, and which are not: `npx tsx FILE [--seed S] [--draws N]
 * [--texts]`.
 */
const { values } = parseArgs({
  options: { seed: { type: 'string' }, draws: { type: 'string' }, texts: { type: 'boolean' } },
});
const draws = Number(values.draws ?? '10');
const { secrets, misses } = measureRedaction((text) => new Redactor().text(text), draws, Number(values.seed ?? '1'));

const percent = (part: number, of: number): string => `${((part / of) * 100).toFixed(2)} %`;
const half = misses.filter(({ remains }) => remains === 'half-found').length;
const kinds = listKinds();
const missed = new Map<string, Miss[]>();
for (const miss of misses) missed.set(miss.kind.id, [...(missed.get(miss.kind.id) ?? []), miss]);
for (const [id, each] of [...missed].sort(([, a], [, b]) => b.length - a.length)) {
  const contexts = CONTEXTS.map((context) => `${context} ${each.filter((miss) => miss.context === context).length}`);
  console.log(`${id}: ${each.length} of ${draws * CONTEXTS.length} (${contexts.join(', ')})`);
  if (values.texts === true)
    for (const { remains, redacted } of each.slice(0, 3)) console.log(`  ${remains}: ${redacted}`);
}
console.log(`${secrets} secrets of ${kinds.length} kinds: ${percent(secrets - misses.length, secrets)} found,`);
console.log(`${misses.length - half} missed, ${half} half-found; ${kinds.length - missed.size} kinds without a miss`);

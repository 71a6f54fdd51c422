import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from '../../../../src/core/engine';
import { costlyAtRandom, COSTLY_CLASSES } from '../../../poison/costlyRows';
import { ALL_OPERATIONS, MOST_OPERATIONS } from '../../../poison/poisonOperations';
import { POISON_CLASSES, poisonedAtRandom } from '../../../poison/poisonRows';
import { damage } from '../../../support/damage';
import { parseSeeds } from '../../../support/parseSeeds';
import { listPoisonCases, withRefusedPrompt } from '../../../support/poisonCases';
import { quietMachine } from '../../../support/quietMachine';
import { createRandom } from '../../../support/random';
import { withTemporaryFolder } from '../../../support/temporaryFolder';

/** `RETHREAD_POISON=full` requests 10,000 of them, `RETHREAD_SEEDS=from-to` others. */
const SEEDS = parseSeeds(
  process.env['RETHREAD_SEEDS'] ?? (process.env['RETHREAD_POISON'] === 'full' ? '1-10000' : '1-300'),
);
const SEEDS_PER_TEST = 50;
/** Of one transcript: its findings, two plans and a repair. */
const MAX_MS = 10_000;

const CASES = listPoisonCases();

/** A session with a fault that the API refuses or the client heals, and one to five kinds of damage to its rows, further faults among them. */
function damagedText(seed: number): { readonly bytes: Buffer; readonly what: string } {
  const [name, text] = baseText(seed);
  const { bytes, operations } = damage(Buffer.from(text), seed, ALL_OPERATIONS, MOST_OPERATIONS);
  return { bytes, what: `seed ${seed}: ${name}; ${operations.join('; ')}` };
}

function baseText(seed: number): readonly [string, string] {
  const random = createRandom(seed ^ 0x5eed);
  const kind = random.below(3);
  if (kind === 0) {
    const code = POISON_CLASSES[random.below(POISON_CLASSES.length)] ?? 'tool-input';
    return [code, poisonedAtRandom(code, seed)];
  }
  if (kind === 1) {
    const code = COSTLY_CLASSES[random.below(COSTLY_CLASSES.length)] ?? 'image';
    return [code, costlyAtRandom(code, seed).text];
  }
  const found = CASES[random.below(CASES.length)];
  const text = found?.text ?? '';
  const sentence = SENTENCES[random.below(SENTENCES.length)] ?? '';
  return [found?.name ?? '', random.chance(0.3) ? withRefusedPrompt(text, `API Error: 400 ${sentence}`) : text];
}

const SENTENCES = [
  'messages: first message must use the "user" role',
  'messages: roles must alternate between "user" and "assistant"',
  'Request exceeds the maximum size',
  'messages.2.content.0: Invalid `signature` in `thinking` block',
  'messages.2.content.0.thinking: each thinking block must contain thinking',
  'Could not process image',
  'messages.9.content.1: something that nobody has seen',
];

describe('Random damage to sessions that the API refuses', () => {
  const codes = [null, ...POISON_CLASSES, ...COSTLY_CLASSES];

  for (let from = 0; from < SEEDS.length; from += SEEDS_PER_TEST) {
    const seeds = SEEDS.slice(from, from + SEEDS_PER_TEST);
    it(`is judged and repaired once, in bounded time: seeds ${seeds[0]} to ${seeds.at(-1)}`, async function () {
      this.timeout(seeds.length * MAX_MS);
      await withTemporaryFolder(async (folder) => {
        const engine = createEngine({ machine: quietMachine(), configDir: join(folder, 'none') });
        for (const seed of seeds) {
          const filePath = join(folder, `44444444-4444-4444-8444-${String(seed).padStart(12, '0')}.jsonl`);
          const { bytes, what } = damagedText(seed);
          await writeFile(filePath, bytes);
          const start = performance.now();
          const { result } = await engine.scan(filePath, { isThorough: true });
          assert.notEqual(result.status, 'missing');
          const code = codes[seed % codes.length] ?? null;
          const planned = await engine.planRepair(filePath, { code });
          const repaired = await engine.repair(filePath, { code });
          assert.equal(repaired.result.status, planned.result.status, what);
          assert.deepEqual(repaired.result.edits, planned.result.edits, what);
          if (repaired.result.status === 'repaired') {
            const again = await engine.planRepair(filePath, { code });
            assert.deepEqual(again.result.edits, [], what);
          }
          const ms = performance.now() - start;
          assert.ok(ms < MAX_MS, `${what}: ${Math.round(ms)} ms`);
        }
      });
    });
  }
});

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { comparePrediction, describeDifference } from '../support/comparePrediction';
import { damage } from '../support/damage';
import { FIXTURES, listDamageBases } from '../support/fixtures';
import { judge } from '../support/judge';
import { parseSeeds } from '../support/parseSeeds';
import { tagRows } from '../support/tagRows';
import { type JudgedClient, useJudgedClient } from './judgedClient';
import { ALL_OPERATIONS, MOST_OPERATIONS } from './poisonOperations';

const isFull = process.env['RETHREAD_POISON'] === 'full';
/** `RETHREAD_SEEDS=from-to` requests others. */
const SEEDS = parseSeeds(process.env['RETHREAD_SEEDS'] ?? (isFull ? '1-500' : '1-60'));

/** What was predicted of a damaged session, and what the real client made of it. */
interface Confirmed {
  readonly what: string;
  readonly isPoisoned: boolean;
  readonly isPredicted: boolean;
  readonly isRefused: boolean;
  /** What the prediction said, and the sentences of the API. */
  readonly why: string;
  /** Rows that are loaded other than predicted. */
  readonly difference: string;
  /** Null if nothing was repaired. */
  readonly afterRepair: { readonly isRefused: boolean; readonly why: string } | null;
}

const BASES = listDamageBases();

async function confirm(client: JudgedClient, seed: number): Promise<Confirmed> {
  const base = BASES[seed % BASES.length] ?? '';
  const original = tagRows(await readFile(join(FIXTURES, base)));
  const { bytes, operations } = damage(original, seed, ALL_OPERATIONS, MOST_OPERATIONS);
  const { engine, filePath } = client;
  await writeFile(filePath, bytes);
  const { result } = await engine.scan(filePath, { isThorough: true });
  const { exitCode, refused, accepted, run } = await client.ask();
  // Where nothing loads, there is nothing that the API could refuse: the client ends by itself, which the prediction says in its way.
  const isNotFound = run.stderr.startsWith('No conversation found') && result.resume.loads === 0;
  const isRefused = !isNotFound && (exitCode !== 0 || accepted === '');
  const said = result.findings.filter((each) => each.isRefused === true).map(({ message }) => message);
  const difference = comparePrediction(bytes, result.resume, judge(bytes, run.messages));
  const repair = isFull ? await engine.repair(filePath) : null;
  const after = repair?.result.status === 'repaired' ? await client.ask() : null;
  return {
    what: `seed ${seed} of ${base}; ${operations.join('; ')}`,
    isPoisoned: operations.some((each) => each.startsWith('poison ')),
    isPredicted: said.length > 0,
    isRefused,
    why: [...said, ...refused].join(' | '),
    // A client that fails before it sends anything shows nothing of what it loaded.
    difference: run.messages === null || difference.isEqual ? '' : describeDifference(difference),
    afterRepair: after && { isRefused: after.exitCode !== 0, why: after.refused.join(' | ') },
  };
}

describe('The real client is refused by the API in a randomly damaged session if, and only if, a finding says so', () => {
  // While a test waits for one, the next is already running.
  const lanes = [useJudgedClient(), useJudgedClient()];
  const started = new Map<number, Promise<Confirmed>>();
  const counts = { poisoned: 0, refused: 0, repaired: 0 };

  const start = (at: number): Promise<Confirmed> | undefined => {
    const [seed, lane] = [SEEDS[at], lanes[at % lanes.length]];
    if (seed === undefined || lane === undefined) return undefined;
    const running = started.get(at) ?? confirm(lane(), seed);
    started.set(at, running);
    return running;
  };

  after(async () => {
    await Promise.allSettled(started.values());
    const { poisoned, refused, repaired } = counts;
    console.log(
      `${SEEDS.length} damages, ${poisoned} with a poison, ${refused} refused, ${repaired} asked after a repair`,
    );
  });

  SEEDS.forEach((seed, at) => {
    it(`seed ${seed}`, async () => {
      const asked = start(at);
      // A failure of the one ahead belongs to its own test.
      start(at + 1)?.catch(() => undefined);
      assert.ok(asked !== undefined);
      const { what, isPoisoned, isPredicted, isRefused, why, difference, afterRepair } = await asked;
      if (isPoisoned) counts.poisoned++;
      if (isRefused) counts.refused++;
      if (afterRepair !== null) counts.repaired++;
      assert.equal(isRefused, isPredicted, `${isRefused ? 'refused' : 'accepted'}: ${why}\n${what}`);
      assert.equal(difference, '', what);
      assert.equal(afterRepair?.isRefused ?? false, false, `after the repair: ${afterRepair?.why ?? ''}\n${what}`);
    });
  });
});

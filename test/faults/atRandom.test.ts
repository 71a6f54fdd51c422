import assert from 'node:assert/strict';
import { createRandom, type Random } from '../support/random';
import { type Fault, FaultyFs } from '../unit/storage/faultyFs';
import { ALL_OPERATIONS } from './operations/table';
import { faultSize } from './support/faultSize';
import { assertNothingLost, dieAt, settle } from './support/matrix';
import { FAULTS, type Operation, type Stage } from './support/operation';
import { countsOf } from './support/tally';

const { rounds, seed } = faultSize();
/** Calls that some operation may make beyond those of a run without faults. */
const MORE_CALLS = 10;
const MAX_FAULTS = 3;
const MAX_INTERRUPTED = 2;

/**
 * Some faults at some calls, of one call, of a few in a row, or of all to come.
 *
 * @returns how many of them have had an effect
 */
function injectSome(random: Random, calls: number, fs: FaultyFs): () => number {
  const chosen = Array.from({ length: random.below(MAX_FAULTS + 1) }, () => {
    const [first, ...others] = FAULTS;
    assert.ok(first !== undefined);
    return { ...random.pick([first, ...others]), from: random.below(calls) };
  });
  const meets = (index: number) => chosen.find(({ from, calls: length }) => index >= from && index < from + length);
  fs.faultOf = ({ index }): Fault | null => meets(index)?.fault ?? null;
  return () => new Set(fs.hit.map(({ index }) => meets(index)).filter((fault) => fault !== undefined)).size;
}

/** One command that meets faults, and may die of one; what it must not do is lose anything. */
async function interrupt(
  operation: Operation,
  stage: Stage,
  random: Random,
  calls: number,
  work: (fs: FaultyFs) => Promise<unknown>,
  at: string,
): Promise<void> {
  const counts = countsOf(operation.name);
  const injected = { count: (): number => 0 };
  const dying = random.chance(0.7) ? random.below(calls + MORE_CALLS) : -1;
  const hasDied = await dieAt(dying, random.pick(['before', 'after']), work, (fs) => {
    injected.count = injectSome(random, calls, fs);
  });
  counts.faults += injected.count();
  if (hasDied) counts.kills += 1;
  assertNothingLost(operation, stage, at);
}

for (const [at, operation] of ALL_OPERATIONS.entries()) {
  describe(`${operation.name}${operation.where}, with faults and deaths at random`, () => {
    it(`loses nothing in ${rounds} scenes, also if the next command dies as well`, async () => {
      for (let round = 0; round < rounds; round++) {
        const random = createRandom(seed * 1000 + at * 100_000 + round);
        const label = `round ${round}, RETHREAD_SEED=${seed}`;
        await operation.open(random, async (stage) => {
          await stage.reset();
          const whole = new FaultyFs();
          await stage.run(whole);
          assertNothingLost(operation, stage, label);
          await stage.reset();
          const calls = whole.calls.length;
          await interrupt(operation, stage, random, calls, (fs) => stage.run(fs), label);
          for (let times = random.below(MAX_INTERRUPTED + 1); times > 0; times--) {
            stage.age();
            const next = random.pick(stage.next);
            // On a disk that fails, it need not do what is asserted of it; what it must not do is checked afterwards.
            const work = (fs: FaultyFs): Promise<unknown> => next.run(fs).catch(() => undefined);
            await interrupt(operation, stage, random, calls, work, `${label}, then ${next.name}`);
          }
          await settle(operation, stage, random.pick(stage.next), label);
        });
      }
    });
  });
}

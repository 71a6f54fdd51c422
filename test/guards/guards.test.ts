import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporaryFolder';
import { twoAtATime } from '../support/twoAtATime';
import type { Mutant } from './mutant';
import { MUTANTS } from './mutants';
import { MutatedCopy, type TestRun } from './mutatedCopy';

/** Runs the tests of each mutant, two at a time; `null` stands for the product as it is. */
async function runAll(folder: string, report: (mutant: Mutant | null, run: Promise<TestRun>) => void): Promise<void> {
  const free = ['one', 'other'].map((name) => new MutatedCopy(join(folder, name)));
  await twoAtATime([null, ...MUTANTS], async (mutant) => {
    const copy = free.pop();
    assert.ok(copy !== undefined);
    const tests = [...new Set(MUTANTS.flatMap((each) => each.tests))];
    const run = mutant === null ? copy.run(tests) : copy.runWithout(mutant);
    report(mutant, run);
    await run.catch(() => undefined);
    free.push(copy);
  });
}

describe('A test turns red if Rethread', function () {
  // Waits for the runs before it; each takes a second or two.
  this.timeout(0);
  const runs = new Map<Mutant | null, Promise<TestRun>>();
  const arrivals = new Map<Mutant | null, () => void>();
  let remove: () => void = () => undefined;
  let all: Promise<void> = Promise.resolve();

  before(async () => {
    const folder = await temporaryFolder();
    remove = folder.remove;
    all = runAll(folder.path, (mutant, run) => {
      runs.set(mutant, run);
      arrivals.get(mutant)?.();
    });
  });

  after(async () => {
    await all;
    remove();
  });

  async function runOf(mutant: Mutant | null): Promise<TestRun> {
    if (!runs.has(mutant)) await new Promise<void>((arrived) => arrivals.set(mutant, arrived));
    const run = await runs.get(mutant);
    assert.ok(run !== undefined);
    return run;
  }

  it('is broken in a way that none of its guards prevents: as it is, all of these tests are green', async () => {
    const { passed, failed, output } = await runOf(null);
    assert.deepEqual(failed, [], output);
    assert.ok(passed > MUTANTS.length, output);
  });

  for (const mutant of MUTANTS) {
    it(mutant.name, async () => {
      const { failed, hasHung, output } = await runOf(mutant);
      assert.ok(mutant.hangs === true ? hasHung : failed.length > 0, `No test failed: ${output.slice(-2000)}`);
      assert.doesNotMatch(failed.join(), /"before (?:all|each)" hook/);
    });
  }

  it('does anything else that test/README.md does not list', () => {
    const text = readFileSync(join(__dirname, '../README.md'), 'utf8');
    const listed = [...text.matchAll(/^- … (?<name>.+)$/gm)].map(({ groups }) => groups?.['name']);
    assert.deepEqual(
      listed,
      MUTANTS.map(({ name }) => name),
    );
  });
});

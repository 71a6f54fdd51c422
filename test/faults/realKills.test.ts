import assert from 'node:assert/strict';
import { createRandom } from '../support/random';
import { temporaryFolder } from '../support/temporaryFolder';
import { faultSize } from './support/faultSize';
import { assertNothingLost, settle } from './support/matrix';
import { InstalledCli, type Kill, PROGRAMS } from './support/programs';
import { countsOf } from './support/tally';

const { kills, seed } = faultSize();
const LEAST_KILLED = 0.8;

/** Runs the built command line: `npm run build` comes first. */
describe('A command line that is killed', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let cli: InstalledCli;

  before(async () => {
    folder = await temporaryFolder();
    cli = await InstalledCli.install(folder.path);
  });
  after(() => {
    folder.remove();
  });

  for (const [at, program] of PROGRAMS.entries()) {
    it(`loses nothing, and the next command clears up: ${program.name}`, () =>
      program.open(cli, async (stage, start, run) => {
        await stage.reset();
        const { calls } = await run(start);
        assert.deepEqual((await stage.differences()).after, []);
        assert.ok(calls !== null && calls > 0);
        const random = createRandom(seed + at);
        const counts = countsOf(program.name);
        const operation = { name: program.name, where: ' by the command line' };
        // Spread over all of its calls, from a random one on.
        const offset: number = random.below(calls);
        let killed = 0;
        for (let done = 0; done < kills; done++) {
          const kill: Kill = {
            at: (offset + Math.floor((done * calls) / kills)) % calls,
            when: random.pick(['before', 'after']),
          };
          const label = `killed ${kill.when} call ${kill.at} of ${calls}, RETHREAD_SEED=${seed}`;
          await stage.reset();
          const { signal } = await run(start, kill);
          if (signal === 'SIGKILL') killed += 1;
          assertNothingLost(operation, stage, label);
          await settle(operation, stage, random.pick(stage.next), label);
        }
        counts.kills += killed;
        counts.realKills += killed;
        // A slow process refreshes its lock, which is a call more.
        assert.ok(killed > kills * LEAST_KILLED, `${killed} of ${kills}`);
      }));
  }
});

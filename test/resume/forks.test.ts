import assert from 'node:assert/strict';
import { findClient } from '../support/findClient';
import { openForkBench, type ForkBench } from '../support/forkBench';
import { listForkCuts, sampleCuts, type ForkCut } from '../support/forkCuts';
import { runSize } from '../support/runSize';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import { twoAtATime } from '../support/twoAtATime';

const SAMPLE = 12;
const SEED = 6;

describe('The real client resumes a fork with exactly the rows that were cut', function () {
  this.timeout(0);
  let bench: ForkBench | null = null;
  const all = listForkCuts();
  const cuts = runSize().isFull ? all : sampleCuts(all, SAMPLE, SEED);
  const counts = { forked: 0, empty: 0 };

  before(async function () {
    bench = await openForkBench(await skipWhenUnavailable(this, findClient));
  });

  after(async () => {
    await bench?.close();
    console.log(`    ${counts.forked} forks, ${counts.empty} places with nothing to fork above`);
  });

  const check = async (places: readonly ForkCut[]): Promise<void> => {
    const reported: string[] = [];
    await twoAtATime(places, async (cut) => {
      const { outcome, faults } = (await bench?.check(cut)) ?? assert.fail();
      if (outcome.kind === 'forked') counts.forked++;
      else if (outcome.reason === 'empty') counts.empty++;
      else reported.push(`${nameOf(cut)}: ${outcome.problem}`);
      for (const fault of faults) reported.push(`${nameOf(cut)}: ${fault}`);
    });
    assert.deepEqual(reported, []);
  };

  if (runSize().isFull) {
    for (const recording of new Set(cuts.map((cut) => cut.recording))) {
      it(shortName(recording), () => check(cuts.filter((cut) => cut.recording === recording)));
    }
  } else
    it(`at ${cuts.length} places in ${new Set(cuts.map(({ recording }) => recording)).size} recordings`, () =>
      check(cuts));
});

function nameOf({ recording, at, isBefore }: ForkCut): string {
  return `${shortName(recording)} ${isBefore ? 'before ' : ''}${at ?? 'the end'}`;
}

function shortName(recording: string): string {
  return recording.replace('dot-claude/projects/-home-user-project/', '');
}

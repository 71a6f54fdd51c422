import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareCorpus } from '../corpus';
import type { BenchCase } from '../context';
import { judge, notMeasured } from '../goal';
import { measureJob, warmUp } from '../measure';
import { alternate, ratioOf } from '../rounds';

const GOAL = { goal: 'Two workers on free cores: against one', unit: '×', atLeast: 1.7 } as const;
const LOOK_MS = 1000;

/** The largest transcripts first, so that no worker is left with one at the end. */
export const twoWorkers: BenchCase = async ({ sizes, isFullSize, measuring, log }) => {
  if (cpus().length < 2) return [notMeasured(GOAL, 'this machine has one core')];
  const { files } = prepareCorpus(sizes.mixed);
  log('two workers');
  warmUp(files);
  const busy = await coresBusy();
  const { one, two } = await alternate(
    {
      one: () => measureJob(measuring, 'oursScan', files),
      two: () => measureJob(measuring, 'oursScan', files, { threads: 2 }),
    },
    sizes.rounds,
  );
  const others = busy === null ? '' : `; others kept ${busy.toFixed(2)} of ${cpus().length} cores busy before`;
  const cost = ratioOf(two, one, 'cpuMs').median;
  const note = `${((cost - 1) * 100).toFixed(0)} % more CPU in all${others}`;
  return [judge(GOAL, { wall: ratioOf(one, two, 'wallMs') }, isFullSize, note)];
};

/** Cores that other programs keep busy; null where the system does not tell. */
async function coresBusy(): Promise<number | null> {
  const before = busyTicks();
  await sleep(LOOK_MS);
  const after = busyTicks();
  return before === null || after === null ? null : ((after - before) * 10) / LOOK_MS;
}

/** Hundredths of a second that all cores together did something, since the machine started. */
function busyTicks(): number | null {
  try {
    const [user = 0, nice = 0, system = 0] = readFileSync('/proc/stat', 'utf8').split(/\s+/).slice(1).map(Number);
    return user + nice + system;
  } catch {
    return null;
  }
}

import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareCorpus, type Corpus } from '../corpus';
import type { BenchCase } from '../context';
import { judge, notMeasured, type Goal, type GoalLine } from '../goal';
import { measureJob, warmUp } from '../measure';
import { alternate, ratioOf } from '../rounds';

const GOAL = { goal: 'Two workers on free cores: against one', unit: '×', atLeast: 1.7 } as const;
/** Where V8's compiler, which each worker keeps busy at first, is a larger part of the work. */
const SMALLER = { goal: 'Two workers on free cores: against one, on the smaller corpus', unit: '×' } as const;
const LOOK_MS = 1000;

/** Both take the next transcript of one list. */
export const twoWorkers: BenchCase = async ({ sizes, isFullSize, measuring, log }) => {
  if (cpus().length < 2) return [notMeasured(GOAL, 'this machine has one core')];
  const compare = async (goal: Goal, { files, bytes }: Corpus): Promise<GoalLine> => {
    log(`two workers: ${files.length} files, ${(bytes / 1e6).toFixed(0)} MB`);
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
    const of = `${files.length.toLocaleString('en')} sessions, ${(bytes / 1e9).toFixed(2)} GB`;
    const note = `${of}; ${((cost - 1) * 100).toFixed(0)} % more CPU in all${others}`;
    return judge(goal, { wall: ratioOf(one, two, 'wallMs') }, isFullSize, note);
  };
  return [await compare(GOAL, prepareCorpus(sizes.largest)), await compare(SMALLER, prepareCorpus(sizes.mixed))];
};

/** Cores that other programs keep busy; null if the system does not report it. */
async function coresBusy(): Promise<number | null> {
  const before = busyTicks();
  await sleep(LOOK_MS);
  const after = busyTicks();
  return before === null || after === null ? null : ((after - before) * 10) / LOOK_MS;
}

/** Hundredths of a second for which all cores together were busy since the machine started. */
function busyTicks(): number | null {
  try {
    const [user = 0, nice = 0, system = 0] = readFileSync('/proc/stat', 'utf8').split(/\s+/).slice(1).map(Number);
    return user + nice + system;
  } catch {
    return null;
  }
}

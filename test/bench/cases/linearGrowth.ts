import { prepareCorpus } from '../corpus';
import type { BenchCase } from '../context';
import { judge } from '../goal';
import { measureJob, warmUp } from '../measure';
import { alternate, ratioOf } from '../rounds';

/** The same sessions under ten names each: ten times the work, and not more. */
export const linearGrowth: BenchCase = async ({ sizes, isFullSize, measuring, log }) => {
  const tenth = prepareCorpus(sizes.tenth);
  const tenfold = prepareCorpus(sizes.tenfold);
  log(`linear growth: ${tenth.files.length} and ${tenfold.files.length} files`);
  warmUp(tenth.files);
  const { few, many } = await alternate(
    {
      few: () => measureJob(measuring, 'oursScan', tenth.files),
      many: () => measureJob(measuring, 'oursScan', tenfold.files),
    },
    sizes.rounds,
  );
  const goal = { goal: 'Ten times the files take at most eleven times as long', unit: '×', atMost: 11 } as const;
  return [judge(goal, { wall: ratioOf(many, few, 'wallMs'), CPU: ratioOf(many, few, 'cpuMs') }, isFullSize)];
};

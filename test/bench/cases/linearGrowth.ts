import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { prepareCorpus, type Corpus } from '../corpus';
import type { BenchCase } from '../context';
import { judge, type Goal } from '../goal';
import { measureJob, measureStart, warmUp, type Measurement } from '../measure';
import { alternate, ratioOf } from '../rounds';

const SCANS: Goal = { goal: 'Ten times the files: the time of their scans', unit: '×', atMost: 11 };
const WHOLE: Goal = { goal: 'Ten times the files: until the worker has told all verdicts', unit: '×', atMost: 11 };

/** Ten times the sessions must not take more than ten times the work: for scans, and for everything around them. */
export const linearGrowth: BenchCase = async ({ sizes, isFullSize, measuring, log }) => {
  // The same sessions under ten names each.
  const tenth = prepareCorpus(sizes.tenth);
  const tenfold = prepareCorpus(sizes.tenfold);
  log(`linear growth: ${tenth.files.length} and ${tenfold.files.length} files`);
  warmUp(tenth.files);
  const scans = await alternate(
    {
      few: () => measureJob(measuring, 'oursScan', tenth.files),
      many: () => measureJob(measuring, 'oursScan', tenfold.files),
    },
    sizes.rounds,
  );
  const fewer = prepareCorpus(sizes.fewerFiles);
  const all = prepareCorpus(sizes.manyFiles);
  log(`linear growth: ${fewer.files.length} and ${all.files.length} small files`);
  warmUp([...fewer.files, ...all.files]);
  const start = async ({ configDir, files }: Corpus): Promise<Measurement> => {
    const cacheDir = mkdtempSync(join(measuring.home, 'cache-'));
    const measured = await measureStart(measuring, { configDir, cacheDir, isWatched: false });
    if (measured.counts['verdicts'] !== files.length) throw new Error('Failed to get a verdict on every session');
    return measured;
  };
  const starts = await alternate({ few: () => start(fewer), many: () => start(all) }, sizes.rounds);
  return [
    judge(SCANS, bothClocks(scans), isFullSize),
    judge(WHOLE, bothClocks(starts), isFullSize, `${fewer.files.length} and ${all.files.length} small sessions`),
  ];
};

function bothClocks({ few, many }: Record<'few' | 'many', readonly Measurement[]>): Parameters<typeof judge>[1] {
  return { wall: ratioOf(many, few, 'wallMs'), CPU: ratioOf(many, few, 'cpuMs') };
}

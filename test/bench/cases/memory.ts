import { prepareCorpus } from '../corpus';
import type { BenchCase } from '../context';
import { judge } from '../goal';
import { measureJob } from '../measure';
import { spreadOf } from '../rounds';

/** The peak memory of a process with one worker; each case in a separate process. */
export const memory: BenchCase = async ({ sizes, isFullSize, measuring, log }) => {
  const cases = [
    { name: 'the whole corpus', plan: sizes.mixed, atMost: 120 },
    { name: 'one file', plan: sizes.oneFile, atMost: 120 },
    { name: 'one file of rows of 200 bytes', plan: sizes.manyIds, atMost: 250 },
  ];
  const lines = [];
  for (const { name, plan, atMost } of cases) {
    const { files, bytes, rows } = prepareCorpus(plan);
    log(`memory: ${name}`);
    const { peakMb = NaN, wallMs } = await measureJob(measuring, 'oursScan', files);
    const goal = { goal: `Peak memory: ${name}`, unit: 'MB', atMost } as const;
    const note = `${(bytes / 1e6).toFixed(0)} MB in ${rows.toLocaleString('en')} rows, ${(wallMs / 1000).toFixed(2)} s`;
    lines.push(judge(goal, { RSS: spreadOf([peakMb]) }, isFullSize, note));
  }
  return lines;
};

import { prepareCorpus } from '../corpus';
import type { BenchCase } from '../context';
import { judge } from '../goal';
import { measureJob, measureProgram, warmUp } from '../measure';
import { alternate, ratioOf, spreadOf } from '../rounds';

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** Every verdict from the bytes only, with one worker. */
export const coldScan: BenchCase = async ({ sizes, isFullSize, measuring, log }) => {
  const { files, bytes, rows } = prepareCorpus(sizes.mixed);
  log(`cold scan: ${files.length} files, ${(bytes / 1e6).toFixed(0)} MB, ${rows} rows`);
  warmUp(files);
  const { ours, seed, read, lines } = await alternate(
    {
      ours: () => measureJob(measuring, 'oursScan', files),
      seed: () => measureJob(measuring, 'seedScan', files),
      read: () => measureJob(measuring, 'readLoop', files),
      lines: () => measureProgram(measuring, ['wc', '-l', ...files], {}),
    },
    sizes.rounds,
  );
  const ms = (of: typeof ours): string => `${spreadOf(of.map(({ cpuMs }) => cpuMs)).median.toFixed(0)} ms`;
  const note = `CPU: ours ${ms(ours)}, readSync ${ms(read)}, seed ${ms(seed)}, wc -l ${ms(lines)} (whole process)`;
  log(note);
  const seconds = spreadOf(ours.map(({ wallMs }) => wallMs / 1000)).median;
  return [
    judge(
      {
        goal: 'Cold scan, one worker: share of the speed of a bare readSync loop',
        unit: '%',
        atLeast: 0.25,
        stretch: 0.33,
      },
      // Speed is wall-clock time; the CPU time of V8's compiler, on its own threads, is shown beside it.
      { wall: ratioOf(read, ours, 'wallMs') },
      isFullSize,
      `${(bytes / 1e6 / seconds).toFixed(0)} MB/s; by CPU time ${percent(ratioOf(read, ours, 'cpuMs').median)}`,
    ),
    judge(
      { goal: 'Cold scan, one worker: against the seed way', unit: '×', atLeast: 8, stretch: 11 },
      { wall: ratioOf(seed, ours, 'wallMs'), CPU: ratioOf(seed, ours, 'cpuMs') },
      isFullSize,
      note,
    ),
    judge(
      { goal: 'Cold scan, one worker: against wc -l', unit: '×' },
      { CPU: ratioOf(ours, lines, 'cpuMs') },
      isFullSize,
      'the whole process of wc',
    ),
  ];
};

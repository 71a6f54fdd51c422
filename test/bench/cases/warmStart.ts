import { join } from 'node:path';
import { prepareCorpus } from '../corpus';
import type { BenchCase } from '../context';
import { judge, type GoalLine } from '../goal';
import { measureJob, measureStart } from '../measure';
import { alternate, ratioOf, spreadOf, type Spread } from '../rounds';

const ROUNDS = 9;

/**
 * The window opens again, and nothing has changed. Both threads are measured from their start: the disk access of a
 * walk, against the same with a verdict for each session, and once more with everything sent to the extension.
 */
export const warmStart: BenchCase = async ({ sizes, isFullSize, measuring, log }) => {
  const { configDir, files } = prepareCorpus(sizes.manyFiles);
  const cacheDir = join(measuring.home, 'cache');
  const task = { configDir, cacheDir, isWatched: false };
  log(`warm start: ${files.length} sessions`);
  const first = await measureStart(measuring, task);
  const { known, reported, walk } = await alternate(
    {
      known: () => measureJob(measuring, 'oursWarm', [configDir, cacheDir], { isFromStart: true }),
      reported: () => measureStart(measuring, task),
      walk: () => measureJob(measuring, 'bareWalk', [join(configDir, 'projects')], { isFromStart: true }),
    },
    ROUNDS,
  );
  const { counts } = await measureStart(measuring, { ...task, isWatched: true });
  const against = (of: typeof known): Record<string, Spread> => ({
    wall: ratioOf(of, walk, 'wallMs'),
    CPU: ratioOf(of, walk, 'cpuMs'),
  });
  const ms = (of: typeof known): string => `${spreadOf(of.map(({ wallMs }) => wallMs)).median.toFixed(0)} ms`;
  const name = `Warm start, ${files.length.toLocaleString('en')} sessions`;
  return [
    judge(
      { goal: `${name}: all verdicts known, against a bare readdir and stat walk`, unit: '×', atMost: 1.5 },
      against(known),
      isFullSize,
      `${ms(known)}, the walk ${ms(walk)}; ${known[0]?.counts['verdicts'] ?? 0} verdicts`,
    ),
    judge(
      { goal: `${name}: all verdicts told to the host, against the walk`, unit: '×' },
      against(reported),
      isFullSize,
      `${ms(reported)}; the first start, without a cache, ${first.wallMs.toFixed(0)} ms`,
    ),
    opened(counts['opened'] ?? NaN, counts['verdicts'] === files.length),
  ];
};

function opened(transcripts: number, isComplete: boolean): GoalLine {
  return {
    goal: 'Warm start: transcripts opened',
    measured: String(transcripts),
    target: '0',
    stretch: '',
    verdict: transcripts === 0 && isComplete ? 'held' : 'missed',
    note: isComplete ? '' : 'not every session has a verdict',
  };
}

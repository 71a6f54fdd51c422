import { prepareCorpus } from '../corpus';
import type { BenchCase } from '../context';
import { judge } from '../goal';
import { measureJob, warmUp } from '../measure';
import { alternate, ratioOf, spreadOf } from '../rounds';

/** Sessions that were opened before: a person tries several until they find the right one. */
const OPENED_BEFORE = 20;

/** What the panel needs for its first screen, from a worker that is already running. */
export const openConversation: BenchCase = async ({ sizes, isFullSize, measuring, log }) => {
  const { files, bytes } = prepareCorpus(sizes.tail);
  const name = `A conversation of ${(bytes / 1e6).toFixed(0)} MB opened`;
  log(name);
  warmUp(files);
  const scanned = prepareCorpus(sizes.tenth).files;
  const opened = scanned.slice(0, OPENED_BEFORE);
  const { ours, seed } = await alternate(
    {
      ours: () =>
        measureJob(measuring, 'oursOpen', files, {
          before: [
            // The tree has its verdicts before anybody chooses in it.
            { job: 'oursScan', files: scanned },
            { job: 'oursOpen', files: opened },
          ],
        }),
      seed: () => measureJob(measuring, 'seedOpen', files, { before: [{ job: 'seedOpen', files: opened }] }),
    },
    sizes.rounds,
  );
  const crossed = spreadOf(ours.map(({ counts }) => (counts['crossed'] ?? NaN) / bytes));
  const ms = (of: typeof ours): string => `${spreadOf(of.map(({ wallMs }) => wallMs)).median.toFixed(0)} ms`;
  return [
    // Posting all rows to a page takes most of the other way's time, and nothing is posted here: `bench:window` judges
    // both.
    judge(
      { goal: `${name}: the worker's part, against parsing all of it`, unit: '×' },
      { wall: ratioOf(seed, ours, 'wallMs') },
      isFullSize,
      `ours ${ms(ours)}, the seed way ${ms(seed)}`,
    ),
    judge(
      { goal: `${name}: share of the file that crosses first`, unit: '%', atMost: 0.01 },
      { wall: crossed },
      isFullSize,
      `${((crossed.median * bytes) / 1e3).toFixed(0)} KB`,
    ),
  ];
};

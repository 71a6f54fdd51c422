import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepareCorpus } from '../corpus';
import type { BenchCase } from '../context';
import { judge } from '../goal';
import { measureAppends } from '../measure';
import { spreadOf } from '../rounds';

const APPENDS = 1000;

/** A row is added to a followed session: the work until there is a verdict that includes it. */
export const appendedRow: BenchCase = async ({ sizes, isFullSize, measuring, log }) => {
  const { files, bytes } = prepareCorpus(sizes.tail);
  const filePath = join(measuring.home, 'followed.jsonl');
  copyFileSync(files[0] ?? '', filePath);
  const name = `A row appended to a session of ${(bytes / 1e6).toFixed(0)} MB`;
  log(name);
  const { verdictMs, firstMs, seedMs } = await measureAppends(measuring, { filePath, appends: APPENDS });
  const sorted = [...verdictMs].sort((a, b) => a - b);
  const p50 = sorted[Math.floor(APPENDS * 0.5)] ?? NaN;
  const p99 = sorted[Math.floor(APPENDS * 0.99)] ?? NaN;
  const seed = spreadOf(seedMs).median;
  const note = `p50 ${p50.toFixed(3)} ms; the first verdict ${firstMs.toFixed(0)} ms`;
  return [
    judge(
      { goal: `${name}: until the verdict, p99`, unit: 'ms', atMost: 1 },
      { wall: spreadOf([p99]) },
      isFullSize,
      note,
    ),
    judge(
      { goal: `${name}: against a scan the seed way`, unit: '×' },
      { wall: spreadOf([seed / p50]) },
      isFullSize,
      `${seed.toFixed(0)} ms`,
    ),
  ];
};

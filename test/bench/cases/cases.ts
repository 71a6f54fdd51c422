import type { BenchCase } from '../context';
import { coldScan } from './coldScan';
import { linearGrowth } from './linearGrowth';
import { memory } from './memory';
import { tokenCounts } from './tokenCounts';
import { twoWorkers } from './twoWorkers';
import { warmStart } from './warmStart';

/** Everything that is measured, by the name that `--only` takes, in the order of the table. */
export const CASES: Readonly<Record<string, BenchCase>> = {
  coldScan,
  twoWorkers,
  tokenCounts,
  memory,
  warmStart,
  linearGrowth,
};

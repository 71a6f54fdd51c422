import type { BenchCase } from '../context';
import { appendedRow } from './appendedRow';
import { checkpointHook } from './checkpointHook';
import { coldScan } from './coldScan';
import { commandLine } from './commandLine';
import { extensionHost } from './extensionHost';
import { linearGrowth } from './linearGrowth';
import { openConversation } from './openConversation';
import { memory } from './memory';
import { openWindows } from './openWindows';
import { storedSession } from './storedSession';
import { tokenCounts } from './tokenCounts';
import { tokensView } from './tokensView';
import { treeFilter } from './treeFilter';
import { twoWorkers } from './twoWorkers';
import { warmStart } from './warmStart';

/** All measurements, by the name for `--only`, in the order of the table. */
export const CASES: Readonly<Record<string, BenchCase>> = {
  coldScan,
  twoWorkers,
  tokenCounts,
  tokensView,
  memory,
  warmStart,
  appendedRow,
  openConversation,
  storedSession,
  openWindows,
  linearGrowth,
  checkpointHook,
  commandLine,
  extensionHost,
  treeFilter,
};

import type { Job } from './job';
import { bareWalk } from './bareWalk';
import { oursOpen } from './oursOpen';
import { oursScan } from './oursScan';
import { oursStored } from './oursStored';
import { oursUsage } from './oursUsage';
import { oursWarm } from './oursWarm';
import { readLoop } from './readLoop';
import { seedOpen } from './seedOpen';
import { seedScan } from './seedScan';
import { seedUsage } from './seedUsage';

/** All measured ways to process transcripts, by name. */
export const JOBS = {
  bareWalk,
  oursOpen,
  oursScan,
  oursStored,
  oursUsage,
  oursWarm,
  readLoop,
  seedOpen,
  seedScan,
  seedUsage,
} as const satisfies Record<string, Job>;

export type JobName = keyof typeof JOBS;

import type { Job } from './job';
import { oursScan } from './oursScan';
import { oursUsage } from './oursUsage';
import { readLoop } from './readLoop';
import { seedScan } from './seedScan';
import { seedUsage } from './seedUsage';

/** Every way to go through transcripts that is measured, by name. */
export const JOBS = { oursScan, oursUsage, readLoop, seedScan, seedUsage } as const satisfies Record<string, Job>;

export type JobName = keyof typeof JOBS;

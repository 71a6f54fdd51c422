import { describeGiant } from './describeGiant';

const MIB = 1024 * 1024;

// Sizes for a run of a few minutes; `giantFull.test.ts` uses the promised sizes.
describeGiant({ scanBytes: 512 * MIB, repairBytes: 128 * MIB });

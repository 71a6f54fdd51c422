import { describeGiant } from './describeGiant';

const MIB = 1024 * 1024;

// What fits into a few minutes; `giantFull.test.ts` takes the sizes that are promised.
describeGiant({ scanBytes: 512 * MIB, repairBytes: 128 * MIB });

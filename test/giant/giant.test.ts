import { describeGiant } from './describeGiant';
import { describeLongRow } from './describeLongRow';
import { describeManySessions } from './describeManySessions';
import { describeSlim, describeSlimOutputs } from './describeSlim';

const MIB = 1024 * 1024;

// Sizes for a run of a few minutes; `giantFull.test.ts` uses the promised sizes.
describeGiant({ scanBytes: 512 * MIB, repairBytes: 128 * MIB });
describeLongRow({ longBytes: 100_000_000, tooLongBytes: 300_000_000 });
describeManySessions(5_000);
describeSlim({ bytes: 128 * MIB, maxPeakMiB: 150 });
describeSlimOutputs({ bytes: 100 * MIB, maxPeakMiB: 300 });

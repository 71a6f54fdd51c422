import { describeGiant } from './describeGiant';
import { describeLongRow } from './describeLongRow';
import { describeManySessions } from './describeManySessions';
import { describeSlim, describeSlimOutputs } from './describeSlim';

const MIB = 1024 * 1024;

describeGiant({ scanBytes: 2048 * MIB, repairBytes: 512 * MIB });
describeLongRow({ longBytes: 200_000_000, tooLongBytes: 600_000_000 });
describeManySessions(100_000);
describeSlim({ bytes: 500 * MIB, maxPeakMiB: 200 });
describeSlimOutputs({ bytes: 500 * 1024 * 1024, maxPeakMiB: 300 });

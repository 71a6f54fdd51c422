import { describeGiant } from './describeGiant';
import { describeLongRow } from './describeLongRow';
import { describeManySessions } from './describeManySessions';

const MIB = 1024 * 1024;

describeGiant({ scanBytes: 2048 * MIB, repairBytes: 512 * MIB });
describeLongRow({ longBytes: 200_000_000, tooLongBytes: 600_000_000 });
describeManySessions(100_000);

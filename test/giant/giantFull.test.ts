import { describeGiant } from './describeGiant';

const MIB = 1024 * 1024;

describeGiant({ scanBytes: 2048 * MIB, repairBytes: 512 * MIB });

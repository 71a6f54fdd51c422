import type { ScannerFactory } from '../../rooms/transcript';
import { describeBrokenLines } from './suite/describeBrokenLines';
import { describeChunks } from './suite/describeChunks';
import { describeContents } from './suite/describeContents';
import { describeLines } from './suite/describeLines';
import { describeMangled } from './suite/describeMangled';
import { describePadding } from './suite/describePadding';
import { describeRows } from './suite/describeRows';
import { describeSpreadRows } from './suite/describeSpreadRows';
import { describeSession } from './suite/describeSession';
import { describeUsage } from './suite/describeUsage';
import { createScannerProbe } from './suite/scannerProbe';

const PARTS = [
  describeChunks,
  describeLines,
  describePadding,
  describeBrokenLines,
  describeRows,
  describeContents,
  describeSession,
  describeUsage,
  describeMangled,
] as const;

/** The behaviour that every scanner must have, however it is implemented. */
export function describeScanner(name: string, createScanner: ScannerFactory): void {
  const probe = createScannerProbe(createScanner);
  for (const describePart of PARTS) describePart(name, probe);
  describeSpreadRows(name, probe, createScanner);
}

import type { SessionRepairResult } from '../../src/shared/repair';
import type { ScanTotals, SessionScanResult } from '../../src/shared/session';

/** What `scan --json` prints. */
export interface ScanDocument {
  readonly sessions: readonly SessionScanResult[];
  readonly totals: ScanTotals;
}

/** What `repair --json` prints. */
export interface RepairDocument {
  readonly results: readonly SessionRepairResult[];
}

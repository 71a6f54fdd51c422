import type { SessionRepairResult } from '../../src/protocol/repair';
import type { ScanTotals, SessionScanResult } from '../../src/protocol/session';

/** What `scan --json` prints. */
export interface ScanDocument {
  readonly sessions: readonly SessionScanResult[];
  readonly totals: ScanTotals;
}

/** What `repair --json` prints. */
export interface RepairDocument {
  readonly results: readonly SessionRepairResult[];
}

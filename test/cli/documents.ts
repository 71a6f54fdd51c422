import type { SessionRepairResult } from '../../src/protocol/repair';
import type { ScanTotals, SessionScanResult } from '../../src/protocol/session';

/** The output of `scan --json`. */
export interface ScanDocument {
  readonly sessions: readonly SessionScanResult[];
  readonly totals: ScanTotals;
}

/** The output of `repair --json`. */
export interface RepairDocument {
  readonly results: readonly SessionRepairResult[];
}

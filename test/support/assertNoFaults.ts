import { AssertionError } from 'node:assert';
import type { WorkingCopy } from './workingCopies';

/** Fails with every fault, how the transcript was damaged, and how to inspect it. */
export function assertNoFaults(copy: WorkingCopy, faults: readonly string[]): void {
  if (faults.length === 0) return;
  const operations = copy.operations.map((operation) => `  · ${operation}`);
  throw new AssertionError({ message: [copy.name, ...faults, ...operations].join('\n') });
}

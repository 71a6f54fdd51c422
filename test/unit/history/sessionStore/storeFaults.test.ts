import assert from 'node:assert/strict';
import { FAULTS, faultName, runFaults } from './storeFaultRuns';

/** `npm run test:rewind:full` runs all of them. */
const STRIDE = 23;

describe('A fault at some file system calls', () => {
  for (const [at, fault] of FAULTS.entries()) {
    it(`loses at most the row that is being written: ${faultName(fault)}`, async () => {
      assert.ok((await runFaults(fault, (index) => index % STRIDE === at * 3)) > 5);
    }).timeout(30_000);
  }
});

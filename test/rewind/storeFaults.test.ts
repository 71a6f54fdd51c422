import assert from 'node:assert/strict';
import { FAULTS, faultName, runFaults } from '../unit/history/sessionStore/storeFaultRuns';
import { rewindSize } from './support/rewindSize';

const STRIDE = rewindSize().isFull ? 1 : 40;

describe('A fault at a file system call while a session is stored', function () {
  this.timeout(300_000);

  for (const fault of FAULTS) {
    it(`loses at most the row that is being written: ${faultName(fault)}`, async () => {
      const runs = await runFaults(fault, (index) => index % STRIDE === 0);
      console.log(`      ${runs} calls`);
      assert.ok(runs > 100 / STRIDE);
    });
  }
});

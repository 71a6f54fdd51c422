import assert from 'node:assert/strict';
import { faultSize } from './support/faultSize';
import { countsTable, totalCounts } from './support/tally';

/** Runs behind all others, whose counts it adds up. */
describe('All faults and kills together', () => {
  it('are as many as promised, and lost nothing', () => {
    const { isFull, seed } = faultSize();
    console.log(`\n${countsTable()}\n      (RETHREAD_SEED=${seed})\n`);
    const { faults, kills, realKills, lostBytes, checkedBytes, mixed, debris } = totalCounts();
    assert.ok(checkedBytes > 0);
    assert.deepEqual({ lostBytes, mixed, debris }, { lostBytes: 0, mixed: 0, debris: 0 });
    assert.ok(kills >= 1000, `${kills} kills`);
    assert.ok(faults >= 1500, `${faults} faults`);
    if (isFull) assert.ok(realKills >= 100, `${realKills} processes killed`);
  });
});

import assert from 'node:assert/strict';
import {
  assertGoesOnAfterDeath,
  assertSurvives,
  assertSurvivesDeath,
  callsOf,
  FAULTS,
  OPERATIONS,
  withScene,
} from './faultMatrix';

/** Every fault at every call is what `npm run test:rewind:full` tries. */
describe('a disk that misbehaves', function () {
  this.timeout(120_000);
  let injected = 0;

  for (const operation of OPERATIONS) {
    it(`leaves all or nothing of ${operation.name}, whichever call fails`, async () => {
      await withScene(async (scene) => {
        for (const call of await callsOf(operation, scene)) {
          const fault = FAULTS[call.index % FAULTS.length];
          assert.ok(fault !== undefined);
          await assertSurvives(operation, scene, call, fault);
          injected += 1;
        }
      });
    });

    it(`leaves what the next process puts back when this one dies at any call of ${operation.name}`, async () => {
      await withScene(async (scene) => {
        for (const call of await callsOf(operation, scene)) {
          // At every other call: before one is after the one before it.
          if (call.index % 2 === 1) continue;
          if (call.index % 6 === 4) await assertGoesOnAfterDeath(operation, scene, call);
          else await assertSurvivesDeath(operation, scene, call, call.index % 4 === 0 ? 'before' : 'after');
          injected += 1;
        }
      });
    });
  }

  it('was tried at 500 calls and more', () => {
    console.log(`      ${injected} faults injected`);
    assert.ok(injected >= 500);
  });
});

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

/** `npm run test:rewind:full` tries every fault at every call. */
describe('A failing disk', function () {
  this.timeout(120_000);
  let injected = 0;

  for (const operation of OPERATIONS) {
    it(`lets ${operation.name} complete or have no effect, whichever call fails`, async () => {
      await withScene(async (scene) => {
        for (const call of await callsOf(operation, scene)) {
          const fault = FAULTS[call.index % FAULTS.length];
          assert.ok(fault !== undefined);
          await assertSurvives(operation, scene, call, fault);
          injected += 1;
        }
      });
    });

    it(`lets the next process recover from a death at any call of ${operation.name}`, async () => {
      await withScene(async (scene) => {
        for (const call of await callsOf(operation, scene)) {
          // At every other call: dying before a call is the same as dying after the previous one.
          if (call.index % 2 === 1) continue;
          if (call.index % 6 === 4) await assertGoesOnAfterDeath(operation, scene, call);
          else await assertSurvivesDeath(operation, scene, call, call.index % 4 === 0 ? 'before' : 'after');
          injected += 1;
        }
      });
    });
  }

  it('was tried at 500 calls or more', () => {
    console.log(`      ${injected} faults injected`);
    assert.ok(injected >= 500);
  });
});

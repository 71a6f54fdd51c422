import {
  assertGoesOnAfterDeath,
  assertSurvives,
  assertSurvivesDeath,
  callsOf,
  FAULTS,
  OPERATIONS,
  withScene,
} from '../unit/history/rewind/faultMatrix';
import { rewindSize } from './support/rewindSize';

/** Every fault at every call; the unit tests try one of them at each. */
if (rewindSize().isFull) {
  describe('a disk that misbehaves in every way', function () {
    this.timeout(0);
    let injected = 0;

    for (const operation of OPERATIONS) {
      for (const fault of FAULTS) {
        it(`leaves all or nothing of ${operation.name}, whichever call ${fault.told}`, async () => {
          await withScene(async (scene) => {
            for (const call of await callsOf(operation, scene)) {
              await assertSurvives(operation, scene, call, fault);
              injected += 1;
            }
          });
        });
      }

      for (const when of ['before', 'after'] as const) {
        it(`leaves what the next process puts back when this one dies ${when} any call of ${operation.name}`, async () => {
          await withScene(async (scene) => {
            for (const call of await callsOf(operation, scene)) {
              await assertSurvivesDeath(operation, scene, call, when);
              injected += 1;
            }
          });
        });
      }

      it(`leaves what the next rewind puts back first when this one dies at any call of ${operation.name}`, async () => {
        await withScene(async (scene) => {
          for (const call of await callsOf(operation, scene)) {
            await assertGoesOnAfterDeath(operation, scene, call);
            injected += 1;
          }
        });
      });
    }

    after(() => {
      console.log(`      ${injected} faults injected`);
    });
  });
}

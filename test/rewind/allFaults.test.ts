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

/** Every fault at every call. The unit tests try one fault at each call. */
if (rewindSize().isFull) {
  describe('A disk that fails in every way', function () {
    this.timeout(0);
    let injected = 0;

    for (const operation of OPERATIONS) {
      for (const fault of FAULTS) {
        it(`lets ${operation.name} complete or have no effect, whichever call ${fault.label}`, async () => {
          await withScene(async (scene) => {
            for (const call of await callsOf(operation, scene)) {
              await assertSurvives(operation, scene, call, fault);
              injected += 1;
            }
          });
        });
      }

      for (const when of ['before', 'after'] as const) {
        it(`lets the next process recover from a death ${when} any call of ${operation.name}`, async () => {
          await withScene(async (scene) => {
            for (const call of await callsOf(operation, scene)) {
              await assertSurvivesDeath(operation, scene, call, when);
              injected += 1;
            }
          });
        });
      }

      it(`lets the next rewind recover first from a death at any call of ${operation.name}`, async () => {
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

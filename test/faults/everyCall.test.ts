import assert from 'node:assert/strict';
import { ALL_OPERATIONS } from './operations/table';
import { faultSize } from './support/faultSize';
import { recordCalls, tryDeath, tryFault } from './support/matrix';
import { concerns, FAULTS, type InjectedFault, type Operation } from './support/operation';

const { isFull } = faultSize();
/** Deaths and faults of whose calls some may have come too late: a lock is refreshed once a second. */
const LEAST_HIT = 0.9;

/** At CI size, each call of a slow operation meets one of the faults, in turn; only few can be halved. */
function meets(operation: Operation, fault: InjectedFault, index: number): boolean {
  return isFull || !operation.isSlow || fault.fault.kind === 'short' || FAULTS[index % FAULTS.length] === fault;
}

for (const operation of ALL_OPERATIONS) {
  describe(`${operation.name}${operation.where}, on a failing disk`, () => {
    for (const fault of FAULTS) {
      it(`is complete or without effect, and then cleared up, whichever call ${fault.label}`, () =>
        operation.open(null, async (stage) => {
          let tried = 0;
          let hit = 0;
          for (const call of await recordCalls(operation, stage)) {
            if (!concerns(fault, call) || !meets(operation, fault, call.index)) continue;
            tried += 1;
            if (await tryFault(operation, stage, call, fault)) hit += 1;
          }
          assert.ok(hit > 0);
          // A call that fails anyway cannot be made to fail afterwards, and one byte cannot be halved.
          if (fault.fault.kind === 'fails') assert.ok(hit >= tried * LEAST_HIT, `${hit} of ${tried}`);
        }));
    }
  });

  describe(`${operation.name}${operation.where}, when its process is killed`, () => {
    for (const when of ['before', 'after'] as const) {
      it(`loses nothing ${when} any call, and the next command clears up`, () =>
        operation.open(null, async (stage) => {
          let tried = 0;
          let died = 0;
          for (const call of await recordCalls(operation, stage)) {
            // Dying before a call is almost the same as dying after the one before.
            if (operation.isSlow && !isFull && (call.index % 2 === 0) === (when === 'after')) continue;
            tried += 1;
            if (await tryDeath(operation, stage, call, when)) died += 1;
          }
          assert.ok(died >= tried * LEAST_HIT, `${died} of ${tried}`);
        }));
    }
  });
}

import assert from 'node:assert/strict';
import type { FsCall } from '../unit/storage/faultyFs';
import { ALL_OPERATIONS } from './operations/table';
import { faultSize } from './support/faultSize';
import { recordCalls, tryDeath, tryFault } from './support/matrix';
import { concerns, FAULTS, type InjectedFault, type Operation } from './support/operation';

const { isFull } = faultSize();
/** Deaths and faults of whose calls some may have come too late: a lock is refreshed once a second. */
const LEAST_HIT = 0.9;

/** At CI size, each call of a slow operation meets one of the faults, in turn; only few can be halved. */
function meets({ isSlow, stride }: Operation, fault: InjectedFault, { index }: FsCall): boolean {
  if (isFull) return true;
  const isInTurn =
    !isSlow || fault.fault.kind === 'short' || FAULTS[Math.floor(index / stride) % FAULTS.length] === fault;
  return isInTurn && index % stride === 0;
}

/** At CI size, for slow operations: dying before a call is almost the same as dying after the one before. */
function diesAt({ isSlow, stride }: Operation, when: 'before' | 'after', { index }: FsCall): boolean {
  return isFull || (index % stride === 0 && (!isSlow || (index % 2 === 0) === (when === 'before')));
}

for (const operation of ALL_OPERATIONS) {
  describe(`${operation.name}${operation.where}, on a failing disk`, () => {
    for (const fault of FAULTS) {
      it(`is complete or without effect, and then cleared up, whichever call ${fault.label}`, () =>
        operation.open(null, async (stage) => {
          let tried = 0;
          let hit = 0;
          for (const call of await recordCalls(operation, stage)) {
            if (!concerns(fault, call) || !meets(operation, fault, call)) continue;
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
            if (!diesAt(operation, when, call)) continue;
            tried += 1;
            if (await tryDeath(operation, stage, call, when)) died += 1;
          }
          assert.ok(died >= tried * LEAST_HIT, `${died} of ${tried}`);
        }));
    }
  });
}

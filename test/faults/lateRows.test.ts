import assert from 'node:assert/strict';
import { appendFileSync, existsSync } from 'node:fs';
import { FaultyFs } from '../unit/storage/faultyFs';
import { exchangeIn, type Operation, OPERATIONS, recordCalls, textOf } from '../unit/storage/operations';
import { ageLock, namesBeside, type TranscriptFixture, withTranscriptFile } from '../unit/storage/transcriptFixture';
import { LATE_ROW, transcriptHolders } from './operations/transcripts';
import { linesOf, missingPieces, type Piece } from './support/contents';
import { dieAt } from './support/matrix';
import { countsOf } from './support/tally';

const PIECE: Piece = { name: 'the late row', bytes: Buffer.from(LATE_ROW), unit: 'line' };
/** Calls that the operation makes only because a row came too late. */
const MORE_CALLS = 6;

/** A client appends a row directly before the transcript is taken away from its path. */
function appendLate(operation: Operation, fixture: TranscriptFixture, take: number, fs: FaultyFs): void {
  operation.prepare(fixture);
  fs.beforeCall = ({ index }) => {
    if (index === take) appendFileSync(fixture.filePath, LATE_ROW);
  };
}

function assertRowIsKept(name: string, fixture: TranscriptFixture, at: string): void {
  const isLost = missingPieces([PIECE], transcriptHolders(fixture)).length > 0;
  const counts = countsOf(name);
  counts.checkedBytes += PIECE.bytes.length;
  if (isLost) counts.lostBytes += PIECE.bytes.length;
  assert.ok(!isLost, at);
}

/** The next change of the transcript first completes what the one before left unfinished. */
async function assertComesBack(
  operation: Operation,
  name: string,
  fixture: TranscriptFixture,
  at: string,
): Promise<void> {
  ageLock(fixture);
  await operation.run(fixture, new FaultyFs());
  assertRowIsKept(name, fixture, at);
  assert.ok(
    linesOf(Buffer.from(textOf(fixture))).some((line) => line.equals(PIECE.bytes)),
    at,
  );
}

for (const operation of OPERATIONS) {
  const name = operation.name === 'rewriteTranscript' ? 'repair' : 'undo of a repair';

  describe(`A row that a client appends during the exchange of a ${name}`, () => {
    it('is not lost, whatever fails from then on, and the person is told where it is', async () => {
      const calls = await recordCalls(operation);
      const { take } = exchangeIn(calls);
      for (let failing = take + 1; failing < calls.length + MORE_CALLS; failing++) {
        for (const isForGood of [false, true]) {
          await withTranscriptFile(async (fixture) => {
            const fs = new FaultyFs();
            appendLate(operation, fixture, take, fs);
            fs.faultOf = ({ index }) =>
              index === failing || (isForGood && index > failing) ? { kind: 'fails', code: 'ENOSPC' } : null;
            const outcome = await operation.run(fixture, fs);
            if (fs.hit.length > 0) countsOf(name).faults += 1;
            if (!existsSync(fixture.filePath) || !textOf(fixture).endsWith(LATE_ROW)) {
              const told = (outcome.kind === 'refused' ? outcome.problem : outcome.warning) ?? 'nobody told of the row';
              assert.equal(namesBeside(fixture).filter((each) => told.includes(each)).length, 1);
            }
            assertRowIsKept(name, fixture, `call ${failing} failed`);
            await assertComesBack(operation, name, fixture, `call ${failing} failed`);
          });
        }
      }
    });

    it('is not lost when the process is killed at any call from then on', async () => {
      const calls = await recordCalls(operation);
      const { take } = exchangeIn(calls);
      for (let killed = take; killed < calls.length + MORE_CALLS; killed++) {
        await withTranscriptFile(async (fixture) => {
          const hasDied = await dieAt(
            killed,
            'after',
            (fs) => operation.run(fixture, fs),
            (fs) => {
              appendLate(operation, fixture, take, fs);
            },
          );
          if (hasDied) countsOf(name).kills += 1;
          assertRowIsKept(name, fixture, `killed at ${killed}`);
          await assertComesBack(operation, name, fixture, `killed at ${killed}`);
          assert.deepEqual(
            namesBeside(fixture).filter((each) => each.startsWith('.')),
            [],
          );
        });
      }
    });
  });
}

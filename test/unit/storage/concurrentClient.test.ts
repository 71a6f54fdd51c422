import assert from 'node:assert/strict';
import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { FaultyFs, type FsCall } from './faultyFs';
import { type Operation, OPERATIONS, recordCalls, swapIndex, textOf } from './operations';
import { namesBeside, row, type TranscriptFixture, withTranscriptFile } from './transcriptFixture';

const LATE_ROW = row(9, null, 'Written meanwhile.');

/** Runs the operation, with another action just before one of its calls. */
async function runWith(operation: Operation, fixture: TranscriptFixture, index: number, happens: () => void) {
  operation.prepare(fixture);
  const fs = new FaultyFs();
  fs.beforeCall = (call) => {
    if (call.index === index) happens();
  };
  const outcome = await operation.run(fixture, fs);
  assert.equal(fs.openFiles, 0);
  return outcome;
}

/** The calls of the operation, and the index of the last one before which a change to the transcript can be noticed. */
async function callsAndSwap(operation: Operation): Promise<{ calls: readonly FsCall[]; swap: number }> {
  const calls = await recordCalls(operation);
  const swap = swapIndex(calls);
  // Nothing may come between the last check of the transcript and the swap.
  assert.equal(calls[swap - 1]?.name, 'lstat');
  return { calls, swap };
}

for (const operation of OPERATIONS) {
  describe(`${operation.name}, while a client writes the transcript`, function () {
    // Dozens of runs a test, each with its own folder.
    this.timeout(60_000);

    it('loses no appended row, whichever call the client writes before', async () => {
      const { calls, swap } = await callsAndSwap(operation);
      for (const { index, name } of calls) {
        await withTranscriptFile(async (fixture) => {
          const outcome = await runWith(operation, fixture, index, () => {
            appendFileSync(fixture.filePath, LATE_ROW);
          });
          const isEarly = outcome.kind === 'refused';
          assert.equal(
            textOf(fixture),
            (isEarly ? operation.before(fixture) : operation.after(fixture)) + LATE_ROW,
            name,
          );
          assert.deepEqual(
            namesBeside(fixture),
            isEarly ? operation.namesBefore(fixture) : operation.namesAfter(fixture),
          );
          if (isEarly) assert.equal(outcome.reason, 'changed-while-repairing');
          else assert.equal(outcome.warning, null);
          if (index >= swap) assert.ok(!isEarly, 'refused after the swap');
        });
      }
    });

    it('loses no row of a client that opened the transcript earlier and writes later', async () => {
      const { calls } = await callsAndSwap(operation);
      const lastLook = calls.findLastIndex(({ name, path }) => name === 'fstat' && path.endsWith('.old'));
      for (const { index, name } of calls.slice(0, lastLook + 1)) {
        await withTranscriptFile(async (fixture) => {
          let client = -1;
          operation.prepare(fixture);
          const fs = new FaultyFs();
          fs.beforeCall = (call) => {
            if (call.index === 0) client = openSync(fixture.filePath, 'a');
            if (call.index === index) writeSync(client, LATE_ROW);
          };
          await operation.run(fixture, fs);
          closeSync(client);
          assert.ok(textOf(fixture).endsWith(LATE_ROW), name);
        });
      }
    });

    it('transfers a row that is written in two parts around the swap', async () => {
      const { swap } = await callsAndSwap(operation);
      await withTranscriptFile(async (fixture) => {
        operation.prepare(fixture);
        const client = openSync(fixture.filePath, 'a');
        const fs = new FaultyFs();
        let late = 0;
        fs.beforeCall = ({ index, name, path }) => {
          if (index === swap) writeSync(client, LATE_ROW.slice(0, 40));
          if (name === 'fstat' && path.endsWith('.old') && ++late === 2) writeSync(client, LATE_ROW.slice(40));
        };
        const outcome = await operation.run(fixture, fs);
        closeSync(client);
        assert.notEqual(outcome.kind, 'refused');
        assert.equal(textOf(fixture), operation.after(fixture) + LATE_ROW);
      });
    });

    it('does not overwrite a transcript that replaced the original', async () => {
      const { calls, swap } = await callsAndSwap(operation);
      for (const { index, name } of calls.filter((call) => call.index !== swap)) {
        await withTranscriptFile(async (fixture) => {
          const outcome = await runWith(operation, fixture, index, () => {
            writeFileSync(join(fixture.folder, 'compacted'), 'compacted\n');
            renameSync(join(fixture.folder, 'compacted'), fixture.filePath);
          });
          assert.equal(textOf(fixture), 'compacted\n', `${name} (${index})`);
          assert.equal(outcome.kind === 'refused', index < swap);
        });
      }
    });

    it('keeps rows written during the swap when the transcript is moved right after it', async () => {
      const { swap } = await callsAndSwap(operation);
      await withTranscriptFile(async (fixture) => {
        operation.prepare(fixture);
        const fs = new FaultyFs();
        fs.beforeCall = ({ index }) => {
          if (index === swap) appendFileSync(fixture.filePath, LATE_ROW);
          if (index !== swap + 1) return;
          writeFileSync(join(fixture.folder, 'compacted'), 'compacted\n');
          renameSync(join(fixture.folder, 'compacted'), fixture.filePath);
        };
        const outcome = await operation.run(fixture, fs);
        assert.ok(outcome.kind !== 'refused' && outcome.warning !== null);
        const { warning } = outcome;
        const kept = namesBeside(fixture).filter((found) => warning.includes(found));
        assert.ok(readFileSync(join(fixture.folder, kept[0] ?? ''), 'utf8').endsWith(LATE_ROW));
      });
    });

    it('keeps the client’s changes made during the swap, and reports where', async () => {
      const { calls, swap } = await callsAndSwap(operation);
      for (const { index, name } of calls) {
        await withTranscriptFile(async (fixture) => {
          const outcome = await runWith(operation, fixture, index, () => {
            truncateSync(fixture.filePath, 50);
          });
          if (index !== swap) {
            assert.equal(textOf(fixture).length, 50, `${name} (${index})`);
            assert.equal(outcome.kind === 'refused', index < swap);
            return;
          }
          assert.ok(outcome.kind !== 'refused' && outcome.warning !== null);
          assert.equal(textOf(fixture), operation.after(fixture));
          const { warning } = outcome;
          const kept = namesBeside(fixture).filter((found) => warning.includes(found));
          assert.deepEqual(
            kept.map((found) => readFileSync(join(fixture.folder, found), 'utf8').length),
            [50],
          );
          // The kept file remains after the next change, too.
          await operation.run(fixture, new FaultyFs());
          assert.ok(existsSync(join(fixture.folder, kept[0] ?? '')));
        });
      }
    });

    it('does not restore a deleted transcript', async () => {
      const { calls, swap } = await callsAndSwap(operation);
      for (const { index, name } of calls.filter((call) => call.index !== swap)) {
        await withTranscriptFile(async (fixture) => {
          const outcome = await runWith(operation, fixture, index, () => {
            rmSync(fixture.filePath);
          });
          assert.ok(!existsSync(fixture.filePath), `${name} (${index})`);
          assert.equal(outcome.kind === 'refused', index < swap);
          const names = index < swap ? operation.namesBefore(fixture) : operation.namesAfter(fixture);
          assert.deepEqual(namesBeside(fixture), names, `${name} (${index})`);
        });
      }
    });
  });
}

import assert from 'node:assert/strict';
import {
  appendFileSync,
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { FaultyFs, type FsCall } from './faultyFs';
import { type Exchange, exchangeIn, type Operation, OPERATIONS, recordCalls, textOf } from './operations';
import { GOOD_PARENT, namesBeside, row, type TranscriptFixture, withTranscriptFile } from './transcriptFixture';

const LATE_ROW = row(9, GOOD_PARENT, 'Written meanwhile.');

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

async function callsOf(operation: Operation): Promise<{ calls: readonly FsCall[] } & Exchange> {
  const calls = await recordCalls(operation);
  return { calls, ...exchangeIn(calls) };
}

for (const operation of OPERATIONS) {
  describe(`${operation.name}, while a client writes the transcript`, function () {
    // Dozens of runs a test, each with its own folder.
    this.timeout(60_000);

    it('loses no appended row, whichever call the client writes before', async () => {
      const { calls, look, take, place } = await callsOf(operation);
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
          if (index > look) assert.equal(isEarly, index > take && index <= place, `${name} (${index})`);
        });
      }
    });

    it('does not even move a transcript that it sees to be written to before the exchange', async () => {
      const { look } = await callsOf(operation);
      await withTranscriptFile(async (fixture) => {
        operation.prepare(fixture);
        const fs = new FaultyFs();
        fs.beforeCall = ({ index }) => {
          if (index === look) appendFileSync(fixture.filePath, LATE_ROW);
        };
        assert.equal((await operation.run(fixture, fs)).kind, 'refused');
        assert.deepEqual(
          fs.calls.filter(({ name, path }) => name === 'rename' && path.endsWith('.old')),
          [],
        );
      });
    });

    it('loses no row of a client that opened the transcript earlier and writes later', async () => {
      const { calls } = await callsOf(operation);
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
      const { take } = await callsOf(operation);
      await withTranscriptFile(async (fixture) => {
        operation.prepare(fixture);
        const client = openSync(fixture.filePath, 'a');
        const fs = new FaultyFs();
        let late = 0;
        fs.beforeCall = ({ index, name, path }) => {
          if (index === take) writeSync(client, LATE_ROW.slice(0, 40));
          if (name === 'fstat' && path.endsWith('.old') && ++late === 2) writeSync(client, LATE_ROW.slice(40));
        };
        const outcome = await operation.run(fixture, fs);
        closeSync(client);
        assert.notEqual(outcome.kind, 'refused');
        assert.equal(textOf(fixture), operation.after(fixture) + LATE_ROW);
      });
    });

    it('does not overwrite a transcript that replaced the original', async () => {
      const { calls, take, place } = await callsOf(operation);
      for (const { index, name } of calls) {
        await withTranscriptFile(async (fixture) => {
          const outcome = await runWith(operation, fixture, index, () => {
            writeFileSync(join(fixture.folder, 'compacted'), 'compacted\n');
            renameSync(join(fixture.folder, 'compacted'), fixture.filePath);
          });
          assert.equal(textOf(fixture), 'compacted\n', `${name} (${index}): ${inspect(outcome)}`);
          assert.equal(outcome.kind === 'refused', index <= place);
          if (index <= take || index > place) return;
          const [kept] = namesBeside(fixture).filter(
            (each) => outcome.kind === 'refused' && outcome.problem.includes(each),
          );
          assert.equal(readFileSync(join(fixture.folder, kept ?? ''), 'utf8'), operation.before(fixture));
        });
      }
    });

    it('keeps rows written during the swap when the transcript is moved right after it', async () => {
      const { take, place } = await callsOf(operation);
      await withTranscriptFile(async (fixture) => {
        operation.prepare(fixture);
        const fs = new FaultyFs();
        fs.beforeCall = ({ index }) => {
          if (index === take) appendFileSync(fixture.filePath, LATE_ROW);
          if (index !== place + 1) return;
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

    it('undoes no change of the bytes, whichever call the client makes it before', async () => {
      const { calls, take, place } = await callsOf(operation);
      for (const { index, name } of calls.filter((call) => call.index <= take || call.index > place)) {
        await withTranscriptFile(async (fixture) => {
          const outcome = await runWith(operation, fixture, index, () => {
            truncateSync(fixture.filePath, 50);
          });
          assert.equal(textOf(fixture).length, 50, `${name} (${index})`);
          assert.equal(outcome.kind === 'refused', index < place);
        });
      }
    });

    it('keeps a change to a transcript that a client opened earlier, and reports where', async () => {
      const { place } = await callsOf(operation);
      await withTranscriptFile(async (fixture) => {
        operation.prepare(fixture);
        const client = openSync(fixture.filePath, 'r+');
        const fs = new FaultyFs();
        fs.beforeCall = ({ index }) => {
          if (index === place) ftruncateSync(client, 50);
        };
        const outcome = await operation.run(fixture, fs);
        closeSync(client);
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
    });

    it('does not restore a deleted transcript', async () => {
      const { calls, take, place } = await callsOf(operation);
      for (const { index, name } of calls.filter((call) => call.index <= take || call.index > place)) {
        await withTranscriptFile(async (fixture) => {
          const outcome = await runWith(operation, fixture, index, () => {
            rmSync(fixture.filePath);
          });
          assert.ok(!existsSync(fixture.filePath), `${name} (${index})`);
          assert.equal(outcome.kind === 'refused', index < place);
          const names = index < place ? operation.namesBefore(fixture) : operation.namesAfter(fixture);
          assert.deepEqual(namesBeside(fixture), names, `${name} (${index})`);
        });
      }
    });
  });
}

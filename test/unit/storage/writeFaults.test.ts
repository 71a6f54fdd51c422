import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { RewriteOutcome, UndoOutcome } from '../../rooms/storage';
import { type Fault, FaultyFs, type FsCall } from './faultyFs';
import { backupOf, exchangeIn, type Operation, OPERATIONS, recordCalls, textOf } from './operations';
import { namesBeside, type TranscriptFixture, withTranscriptFile } from './transcriptFixture';

type Check = (fixture: TranscriptFixture, outcome: RewriteOutcome | UndoOutcome) => void | Promise<void>;

async function withFault(operation: Operation, faultOf: (call: FsCall) => Fault | null, check: Check): Promise<void> {
  await withTranscriptFile(async (fixture) => {
    operation.prepare(fixture);
    const fs = new FaultyFs();
    fs.faultOf = faultOf;
    const outcome = await operation.run(fixture, fs);
    assert.equal(fs.openFiles, 0, 'a file was left open');
    await check(fixture, outcome);
  });
}

/** `npm run test:faults` tries every fault at every call. */
for (const operation of OPERATIONS) {
  describe(`${operation.name}, on a failing disk`, () => {
    it('flushes everything to the disk before it takes a step that relies on it', async () => {
      const calls = await recordCalls(operation);
      const { take: swap } = exchangeIn(calls);
      const hidden = (path: string): boolean => path.endsWith('.tmp');
      const changes = calls
        .slice(0, swap)
        .filter(({ name, path }) => hidden(path) && /^(write|fch|futimes)/.test(name));
      assert.ok(changes.length > 0);
      for (const { path, index, name } of changes) {
        const sync = calls.findIndex((call) => call.name === 'fsync' && call.path === path && call.index > index);
        assert.ok(sync > index && sync < swap, `${name} ${path}`);
      }
      const folderSync = calls.findIndex(({ name, path }) => name === 'fsync' && !/\.(tmp|old)$/.test(path));
      assert.ok(folderSync > swap);
      const backupRemoval = calls.findIndex(({ name, path }) => name === 'unlink' && path.includes('.backup-'));
      assert.ok(backupRemoval < 0 || backupRemoval > folderSync);
    });

    it('reports what is wrong', async () => {
      const write = (await recordCalls(operation)).find(({ name }) => name === 'write');
      const reasons = {
        ENOSPC: 'no-space',
        EDQUOT: 'no-space',
        EROFS: 'read-only',
        EACCES: 'read-only',
        EPERM: 'read-only',
        EIO: 'write-failed',
      };
      for (const [code, reason] of Object.entries(reasons)) {
        await withFault(
          operation,
          ({ index }) => (index === write?.index ? { kind: 'fails', code } : null),
          (_, outcome) => {
            assert.equal(outcome.kind, 'refused');
            assert.equal(outcome.reason, reason);
            assert.ok(outcome.problem.includes(code), outcome.problem);
          },
        );
      }
    });

    it('continues when a call reads or writes fewer bytes than requested', () =>
      withFault(
        operation,
        ({ name }) => (name === 'read' || name === 'write' ? { kind: 'short' } : null),
        (fixture, outcome) => {
          assert.notEqual(outcome.kind, 'refused');
          assert.equal(textOf(fixture), operation.after(fixture));
          assert.deepEqual(namesBeside(fixture), operation.namesAfter(fixture));
          const isKept = operation.namesAfter(fixture).length > 0;
          if (isKept) assert.deepEqual(readFileSync(backupOf(fixture)), fixture.original);
        },
      ));
  });
}

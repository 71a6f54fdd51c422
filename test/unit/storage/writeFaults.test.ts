import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import type { RewriteOutcome, UndoOutcome } from '../../rooms/storage';
import { type Fault, FaultyFs, type FsCall } from './faultyFs';
import { backupOf, exchangeIn, type Operation, OPERATIONS, recordCalls, textOf, wholeText } from './operations';
import {
  ageLock,
  MODE,
  mtimeNs,
  namesBeside,
  row,
  type TranscriptFixture,
  withTranscriptFile,
} from './transcriptFixture';

const FAULTS: readonly { readonly label: string; readonly fault: Fault }[] = [
  ...['EIO', 'ENOSPC', 'EACCES', 'EROFS'].map((code) => ({ label: code, fault: { kind: 'fails' as const, code } })),
  { label: 'EIO after it took effect', fault: { kind: 'failsAfterwards', code: 'EIO' } },
];
const LATE_ROW = row(9, null, 'Written at the wrong moment.');

/** Only these files lie beside the transcript, plus a lock whose removal failed and files that the warning names. */
function assertNoStrayFiles(
  fixture: TranscriptFixture,
  names: readonly string[],
  call: FsCall,
  warning: string | null,
): void {
  const stray = namesBeside(fixture).filter((name) => !names.includes(name));
  const isReported = (name: string): boolean =>
    (name.endsWith('.lock') && call.path.endsWith('.lock')) || (warning?.includes(name) ?? false);
  assert.deepEqual(
    stray.filter((name) => !isReported(name)),
    [],
  );
}

/** A process that could not clean up may leave an empty file that reserves the backup's name. */
function assertBackupIsWhole(fixture: TranscriptFixture, mayBeClaimed: boolean): void {
  const backup = backupOf(fixture);
  if (!existsSync(backup)) return;
  const stat = statSync(backup);
  if (mayBeClaimed && stat.size === 0) return;
  assert.equal(readFileSync(backup, 'utf8'), fixture.original.toString());
  assert.equal(stat.mode & 0o7777, MODE);
}

type Check = (
  fixture: TranscriptFixture,
  outcome: RewriteOutcome | UndoOutcome,
  mtimeBefore: bigint,
) => void | Promise<void>;

async function withFault(operation: Operation, faultOf: (call: FsCall) => Fault | null, check: Check): Promise<void> {
  await withTranscriptFile(async (fixture) => {
    operation.prepare(fixture);
    const mtimeBefore = mtimeNs(fixture.filePath);
    const fs = new FaultyFs();
    fs.faultOf = faultOf;
    const outcome = await operation.run(fixture, fs);
    assert.equal(fs.openFiles, 0, 'a file was left open');
    await check(fixture, outcome, mtimeBefore);
  });
}

/** Runs until the call, where the process dies. */
async function killAt(
  operation: Operation,
  fixture: TranscriptFixture,
  index: number,
  when: 'before' | 'after',
  beforeCall: (call: FsCall) => void = () => undefined,
): Promise<void> {
  const fs = new FaultyFs();
  fs.beforeCall = beforeCall;
  fs.faultOf = (call) => (call.index === index ? { kind: 'dies', when } : null);
  await Promise.race([operation.run(fixture, fs), fs.died]);
  await fs.closeAll();
}

/** Later, another process does the work or finds it done. Nothing but the transcript and backups remains. */
async function assertCompletes(operation: Operation, fixture: TranscriptFixture): Promise<void> {
  ageLock(fixture);
  const outcome = await operation.run(fixture, new FaultyFs());
  if (outcome.kind === 'refused') assert.equal(outcome.reason, 'no-backup');
  assert.equal(textOf(fixture), operation.after(fixture));
  const backup = /\.jsonl\.backup-\d+$/;
  assert.deepEqual(
    namesBeside(fixture).filter((name) => !backup.test(name)),
    [],
  );
  assertBackupIsWhole(fixture, false);
}

for (const operation of OPERATIONS) {
  describe(`${operation.name}, on a failing disk`, function () {
    // Dozens of runs a test, each with its own folder.
    this.timeout(60_000);

    for (const { label, fault } of FAULTS) {
      it(`leaves the transcript whole, old or new, and no stray files, if any call fails with ${label}`, async () => {
        for (const call of await recordCalls(operation)) {
          await withFault(
            operation,
            ({ index }) => (index === call.index ? fault : null),
            (fixture, outcome, mtimeBefore) => {
              const where = `${call.name} ${call.path} (${call.index})`;
              if (outcome.kind === 'refused') {
                assert.equal(textOf(fixture), operation.before(fixture), where);
                assert.equal(mtimeNs(fixture.filePath), mtimeBefore, where);
                assert.match(outcome.problem, /^[A-Z][^\n]*\.$/);
                for (const name of operation.namesBefore(fixture))
                  assert.ok(namesBeside(fixture).includes(name), where);
                assertNoStrayFiles(fixture, operation.namesBefore(fixture), call, null);
              } else {
                assert.equal(textOf(fixture), operation.after(fixture), where);
                assert.equal(mtimeNs(fixture.filePath) / 1000n, mtimeBefore / 1000n, where);
                for (const name of operation.namesAfter(fixture)) assert.ok(namesBeside(fixture).includes(name), where);
                // A file that cannot be removed may stay.
                const names = [...operation.namesBefore(fixture), ...operation.namesAfter(fixture)];
                assertNoStrayFiles(fixture, names, call, outcome.warning);
              }
              assertBackupIsWhole(fixture, false);
            },
          );
        }
      });
    }

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
          assertBackupIsWhole(fixture, false);
        },
      ));

    it('leaves the transcript whole when the disk fails for good from some call on, and can be run again', async () => {
      for (const call of await recordCalls(operation)) {
        const faultOf = ({ index }: FsCall): Fault | null =>
          index < call.index ? null : { kind: 'fails', code: 'EIO' };
        await withFault(operation, faultOf, async (fixture, outcome) => {
          const meant = outcome.kind === 'refused' ? operation.before(fixture) : operation.after(fixture);
          assert.equal(wholeText(fixture), meant);
          if (!existsSync(fixture.filePath))
            assert.match(outcome.kind === 'refused' ? outcome.problem : '', /\.old \(EIO, \w+\): the next repair/);
          assertBackupIsWhole(fixture, true);
          await assertCompletes(operation, fixture);
        });
      }
    });

    it('loses no row that a client appended during the swap, whatever fails from then on', async () => {
      const calls = await recordCalls(operation);
      const { take: swap } = exchangeIn(calls);
      for (let failing = swap + 1; failing < calls.length + 6; failing++) {
        for (const isForGood of [false, true]) {
          await withTranscriptFile(async (fixture) => {
            operation.prepare(fixture);
            const fs = new FaultyFs();
            fs.beforeCall = ({ index }) => {
              if (index === swap) appendFileSync(fixture.filePath, LATE_ROW);
            };
            fs.faultOf = ({ index }) =>
              index === failing || (isForGood && index > failing) ? { kind: 'fails', code: 'ENOSPC' } : null;
            const outcome = await operation.run(fixture, fs);
            if (!existsSync(fixture.filePath) || !textOf(fixture).endsWith(LATE_ROW)) {
              const told = (outcome.kind === 'refused' ? outcome.problem : outcome.warning) ?? 'nobody told of the row';
              const kept = namesBeside(fixture).filter((name) => told.includes(name));
              assert.equal(kept.length, 1);
            }
            ageLock(fixture);
            await operation.run(fixture, new FaultyFs());
            assert.ok(
              textOf(fixture)
                .split(/(?<=\n)/)
                .includes(LATE_ROW),
              `call ${failing}`,
            );
          });
        }
      }
    });
  });

  describe(`${operation.name}, when its process is killed`, function () {
    // Dozens of runs a test, each with its own folder.
    this.timeout(60_000);

    for (const when of ['before', 'after'] as const) {
      it(`leaves the transcript whole, old or new, ${when} any call, and another process finishes`, async () => {
        for (const call of await recordCalls(operation)) {
          await withTranscriptFile(async (fixture) => {
            operation.prepare(fixture);
            await killAt(operation, fixture, call.index, when);
            const isWhole = [operation.before(fixture), operation.after(fixture)].includes(wholeText(fixture));
            assert.ok(isWhole, `${call.name} (${call.index})`);
            assertBackupIsWhole(fixture, true);
            await assertCompletes(operation, fixture);
          });
        }
      });
    }

    it('loses no row that a client appended during the swap', async () => {
      const calls = await recordCalls(operation);
      const { take: swap } = exchangeIn(calls);
      for (let killed = swap; killed < calls.length + 6; killed++) {
        await withTranscriptFile(async (fixture) => {
          operation.prepare(fixture);
          await killAt(operation, fixture, killed, 'after', ({ index }) => {
            if (index === swap) appendFileSync(fixture.filePath, LATE_ROW);
          });
          // The next change of the transcript first completes what the dead process left unfinished.
          ageLock(fixture);
          await operation.run(fixture, new FaultyFs());
          assert.ok(
            textOf(fixture)
              .split(/(?<=\n)/)
              .includes(LATE_ROW),
            `call ${killed}`,
          );
          assert.deepEqual(
            namesBeside(fixture).filter((name) => name.startsWith('.')),
            [],
          );
        });
      }
    });
  });
}

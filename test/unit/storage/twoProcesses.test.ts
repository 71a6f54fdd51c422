import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { nodeWriteFs, rewriteTranscript, undoRewrite } from '../../rooms/storage';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import {
  ageLock,
  applySplices,
  depsOn,
  namesBeside,
  ORIGINAL,
  planSplices,
  repairRequest,
  withTranscriptFile,
  writeAged,
} from './transcriptFixture';

const REPAIRED = applySplices(ORIGINAL, planSplices(ORIGINAL));

interface RepairProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly nextLine: () => Promise<string>;
}

function start(...args: string[]): RepairProcess {
  const script = join(__dirname, 'repairProcess.ts');
  const child = spawn(process.execPath, ['--require', 'tsx/cjs', script, ...args], { stdio: 'pipe' });
  child.stderr.pipe(process.stderr);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    child,
    async nextLine() {
      const line = await lines.next();
      assert.ok(line.done !== true, 'the process ended early');
      return line.value;
    },
  };
}

describe('Two processes on one transcript', () => {
  it('let exactly one of them write; the other is refused or finds nothing to do', () =>
    withTemporaryFolder(async (folder) => {
      const paths = Array.from({ length: 12 }, (_, at) => join(folder, `session-${at}.jsonl`));
      for (const path of paths) writeAged(path, ORIGINAL);
      const processes = [start('--repair', ...paths), start('--repair', ...paths)];
      for (const process of processes) assert.equal(await process.nextLine(), 'ready');
      for (const { child } of processes) child.stdin.write('go\n');
      for (const path of paths) {
        const outcomes = await Promise.all(processes.map((process) => process.nextLine()));
        assert.equal(outcomes.filter((outcome) => outcome === 'written').length, 1, outcomes.join());
        const other = outcomes.find((outcome) => outcome !== 'written') ?? '';
        assert.ok(['locked', 'changed-while-repairing', 'nothing'].includes(other), other);
        assert.ok(readFileSync(path).equals(REPAIRED));
      }
      for (const { child } of processes) if (child.exitCode === null) await once(child, 'exit');
      const names = readdirSync(folder);
      assert.equal(names.filter((name) => /\.jsonl\.backup-\d+$/.test(name)).length, paths.length);
      assert.equal(names.length, 2 * paths.length);
      for (const name of names.filter((found) => found.includes('backup'))) {
        assert.ok(readFileSync(join(folder, name)).equals(ORIGINAL));
      }
    })).timeout(30_000);

  it('refuse while the other holds the lock, and continue once it was killed and its lock is old', () =>
    withTranscriptFile(async (fixture) => {
      const { child, nextLine } = start('--hang', fixture.filePath);
      assert.equal(await nextLine(), 'verifying');
      const deps = depsOn(nodeWriteFs);
      const repaired = await rewriteTranscript(repairRequest(fixture.filePath), deps);
      assert.ok(repaired.kind === 'refused' && repaired.reason === 'locked');
      const undone = await undoRewrite({ filePath: fixture.filePath, assertNotLive: () => Promise.resolve() }, deps);
      assert.ok(undone.kind === 'refused' && undone.reason === 'locked');
      child.kill('SIGKILL');
      await once(child, 'exit');
      assert.deepEqual(readFileSync(fixture.filePath), fixture.original);
      ageLock(fixture);
      const outcome = await rewriteTranscript(repairRequest(fixture.filePath), deps);
      assert.equal(outcome.kind, 'written');
      assert.deepEqual(readFileSync(fixture.filePath), fixture.repaired);
      // The dead process's backup is complete and stays, beside the backup of the repair that succeeded.
      const backup = /\.jsonl\.backup-\d+$/;
      assert.deepEqual(
        namesBeside(fixture).filter((name) => !backup.test(name)),
        [],
      );
      for (const name of namesBeside(fixture))
        assert.deepEqual(readFileSync(join(fixture.folder, name)), fixture.original);
    })).timeout(30_000);
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { connectWorker } from '../bench/connectWorker';
import { sessionRefOf } from '../rooms/format';
import { listCorruptCases } from '../support/fixtures';
import { largeVariant } from '../support/largeVariant';
import { withTemporaryFolder } from '../support/temporaryFolder';
import { hashOf } from './support/contents';
import { faultSize } from './support/faultSize';

const WORKER = resolve(__dirname, '../../dist/worker.mjs');
const ENDED = { ci: 6, full: 60 } as const;
/** The scan and the repair of this transcript take about as long. */
const REPAIR_MS = 500;
/** A thread that has nothing left to do ends by itself: a limit only so that a failure is reported. */
const OWN_END_MS = 30_000;
/** A link that leads nowhere, which a repair can put right. */
const BROKEN = 'b3-assistant-orphan-mid';
const ID = '11111111-2222-4333-8444-555555555555';

/** The thread of a version of the extension, with the sessions of a config folder. */
async function startWorker(configDir: string) {
  const worker = new Worker(WORKER);
  const calls = connectWorker(worker);
  await calls.configure({
    configDir,
    cacheDir: join(configDir, '../cache'),
    workspaceFolders: [],
    scanConcurrency: 1,
    automaticRepair: 'off',
    backupRetentionDays: null,
    clientVersion: '2.1.330',
    extraConfigDirs: [],
    clientExtensionFolder: null,
    livePollMs: 200,
  });
  await calls.scanAll({}, new AbortController().signal);
  return { worker, calls };
}

describe('An update of the extension while a repair runs', function () {
  this.timeout(0);

  it('loses nothing, and the next version clears up and repairs', async () => {
    const corrupt = listCorruptCases().find(({ name }) => name === BROKEN);
    assert.ok(corrupt !== undefined);
    const broken = largeVariant(corrupt.bytes, 'huge');
    const ends = { refused: 0, undone: 0, done: 0 };
    const { isFull, seed } = faultSize();
    const count = isFull ? ENDED.full : ENDED.ci;
    for (let round = 0; round < count; round++) {
      await withTemporaryFolder(async (folder) => {
        const configDir = join(folder, '.claude');
        const project = join(configDir, 'projects', '-src-app');
        mkdirSync(project, { recursive: true });
        const filePath = join(project, `${ID}.jsonl`);
        writeFileSync(filePath, broken);
        const past = Date.now() / 1000 - 3600;
        utimesSync(filePath, past, past);
        const session = sessionRefOf(filePath);
        const before = await startWorker(configDir);
        const repair = before.calls.repair(session).then(
          () => true,
          () => false,
        );
        await sleep((((seed + round) % count) * REPAIR_MS) / count);
        // As VS Code ends it when its time is over.
        await before.worker.terminate();
        await Promise.race([repair, sleep(0)]);

        const files = readdirSync(project).filter((name) => !name.endsWith('.lock'));
        const texts = files.map((name) => hashOf(readFileSync(join(project, name))));
        assert.ok(texts.includes(hashOf(broken)), `round ${round}: ${files.join()}`);
        const isHeld = existsSync(`${filePath}.lock`);
        // A dead process refreshes no lock.
        if (isHeld) utimesSync(`${filePath}.lock`, past, past);

        const after = await startWorker(configDir);
        assert.ok(existsSync(filePath), `round ${round}: nothing was put back`);
        assert.deepEqual(
          readdirSync(project).filter((name) => name.startsWith('.') || name.endsWith('.lock')),
          [],
          `round ${round}`,
        );
        const isDone = hashOf(readFileSync(filePath)) !== hashOf(broken);
        ends[isDone ? 'done' : isHeld ? 'undone' : 'refused'] += 1;
        const { result } = await after.calls.repair(session);
        assert.equal(result.status, isDone ? 'already_healthy' : 'repaired', `round ${round}`);
        const backups = readdirSync(project).filter((name) => name.includes('.backup-'));
        assert.deepEqual(
          backups.map((name) => hashOf(readFileSync(join(project, name)))),
          [hashOf(broken)],
        );
        const ended = once(after.worker, 'exit');
        await after.calls.drain();
        assert.deepEqual(await Promise.race([ended, sleep(OWN_END_MS, 'still running', { ref: false })]), [0]);
      });
    }
    console.log(
      `      ${count} repairs ended: ${ends.done} were done, ${ends.undone} were put right, ${ends.refused} had not begun`,
    );
    assert.ok(ends.undone > 0);
  });
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseParents, type ProcessTree, readRunningClients, thisProcessTree } from '../../rooms/providers';
import { fakeMachine } from '../../support/fakeMachine';
import { withTemporaryFolder } from '../../support/temporaryFolder';

const ID = '44444444-4444-4444-8444-444444444444';
const PARENTS = new Map([
  [30, 20],
  [20, 10],
  [10, 1],
  [50, 51],
  [51, 50],
]);
const TREE: ProcessTree = {
  parents: () => Promise.resolve((pid) => PARENTS.get(pid) ?? null),
  variableOf: (pid, name) => (pid === 30 ? `${name} of 30` : null),
};

async function clientsOf(records: readonly object[], isAlive: (pid: number) => boolean = () => true) {
  return withTemporaryFolder(async (configDir) => {
    await mkdir(join(configDir, 'sessions'));
    for (const [at, record] of records.entries())
      await writeFile(join(configDir, 'sessions', `${at + 1}.json`), JSON.stringify(record));
    return readRunningClients({ configDir, machine: fakeMachine({ isAlive }), processes: TREE, now: Date.now });
  });
}

describe('The clients that run', () => {
  it('come with the processes that they descend from, and where they run', async () => {
    const record = { pid: 30, sessionId: ID.toUpperCase(), kind: 'interactive', entrypoint: 'cli', cwd: '/src/app' };
    assert.deepEqual(await clientsOf([{ ...record, tmux: 'a:b:@1.%2' }]), [
      {
        pid: 30,
        sessionId: ID,
        ancestors: [20, 10, 1],
        terminalId: 'RETHREAD_TERMINAL of 30',
        tmux: 'a:b',
        jobId: null,
        cwd: '/src/app',
        entrypoint: 'cli',
      },
    ]);
  });

  it('do not include those that have ended, nor what only starts others', async () => {
    const records = [
      { pid: 30, sessionId: ID },
      { pid: 31, sessionId: ID, kind: 'daemon' },
    ];
    assert.deepEqual(await clientsOf(records, (pid) => pid === 31), []);
  });

  it('name the job of one in the background', async () => {
    const [client] = await clientsOf([{ pid: 30, sessionId: ID, kind: 'bg' }]);
    assert.equal(client?.jobId, '44444444');
  });

  it('have an end of ancestors even if pids were reused while they were read', async () => {
    const [client] = await clientsOf([{ pid: 50, sessionId: ID }]);
    assert.deepEqual(client?.ancestors, [51, 50]);
  });

  it('descend, on this machine, from the process that started them', async () => {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { stdio: 'ignore' });
    const parent = await thisProcessTree.parents();
    assert.equal(parent(child.pid ?? 0), process.pid);
    child.kill();
    await once(child, 'exit');
  });

  it('are read from a list where there is no /proc', () => {
    const parent = parseParents('  PID PPID\n    1     0\n  412   1\r\nnonsense\n  500 412 \n');
    assert.deepEqual([412, 500, 1, 7].map(parent), [1, 412, 0, null]);
  });
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readLiveSessions, thisMachine } from '../../rooms/providers';
import { asUnprivileged } from '../../support/asUnprivileged';
import { fakeMachine } from '../../support/fakeMachine';
import { withTemporaryFolder } from '../../support/temporaryFolder';

async function liveOf(
  files: Readonly<Record<string, unknown>>,
  isAlive: (pid: number, procStart: string | null) => boolean = () => true,
): Promise<string[]> {
  return withTemporaryFolder(async (folder) => {
    await mkdir(join(folder, 'sessions'));
    for (const [name, entry] of Object.entries(files)) {
      await writeFile(join(folder, 'sessions', name), typeof entry === 'string' ? entry : JSON.stringify(entry));
    }
    return [...(await readLiveSessions(folder, fakeMachine({ isAlive }), Date.now()))];
  });
}

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid ?? 0;
}

describe('readLiveSessions', () => {
  it('returns the sessions whose process is running, whatever their status', async () => {
    const entry = (pid: number, sessionId: string, status?: string): unknown => ({ pid, sessionId, status });
    const files = {
      '1.json': entry(1, 'a', 'idle'),
      '2.json': entry(2, 'b', 'waiting'),
      '3.json': entry(3, 'c', 'busy'),
      '4.json': entry(4, 'd'),
      '5.json': entry(5, 'dead', 'idle'),
    };
    assert.deepEqual((await liveOf(files, (pid) => pid !== 5)).sort(), ['a', 'b', 'c', 'd']);
  });

  it('takes the pid from the file’s name if the entry has none', async () => {
    const pids: number[] = [];
    await liveOf({ '4711.json': { sessionId: 'a' } }, (pid) => pids.push(pid) > 0);
    assert.deepEqual(pids, [4711]);
  });

  it('passes on the start time of the process, stored as a number or as text', async () => {
    const starts: (string | null)[] = [];
    await liveOf(
      {
        '1.json': { sessionId: 'a', procStart: 123 },
        '2.json': { sessionId: 'b', procStart: '456' },
        '3.json': { sessionId: 'c' },
      },
      (_, start) => starts.push(start) > 0,
    );
    assert.deepEqual(starts.sort(), ['123', '456', null]);
  });

  it('skips malformed entries', async () => {
    const files = {
      '1.json': '{"sessionId":',
      '2.json': '[]',
      '3.json': { pid: 3 },
      '4.json': { pid: -1, sessionId: 'negative' },
      '0.json': { pid: 0, sessionId: 'zero' },
      'x.json': { sessionId: 'no pid' },
      '5.txt': { pid: 5, sessionId: 'other file' },
      '6.json': { pid: 1.5, sessionId: 'half' },
      '7.json': { pid: 7, sessionId: 'good' },
    };
    assert.deepEqual(await liveOf(files), ['good']);
  });

  it('returns none without a registry', () =>
    withTemporaryFolder(async (folder) => {
      assert.equal((await readLiveSessions(join(folder, 'none'), fakeMachine(), Date.now())).size, 0);
      await writeFile(join(folder, 'sessions'), '');
      assert.equal((await readLiveSessions(folder, fakeMachine(), Date.now())).size, 0);
    }));
});

describe('thisMachine', () => {
  const isAlive = (pid: number, procStart: string | null): boolean => thisMachine().isAlive(pid, procStart);

  it('distinguishes a running process from one that has ended', async () => {
    assert.equal(isAlive(process.pid, null), true);
    assert.equal(isAlive(await deadPid(), null), false);
  });

  it('detects a reused pid by the start time of its process', async function () {
    if (process.platform !== 'linux') this.skip();
    const stat = await readFile(`/proc/${process.pid}/stat`, 'utf8');
    const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
    assert.match(start, /^\d+$/);
    assert.equal(isAlive(process.pid, start), true);
    assert.equal(isAlive(process.pid, String(Number(start) + 1)), false);
  });

  it('tells a process that was killed, although its parent has not noticed', async function () {
    if (process.platform !== 'linux') this.skip();
    // The shell becomes a program that waits for no child. Only then is the child killed: a shell would still wait.
    const parent = spawn('sh', ['-c', 'sleep 30 & echo $!; exec sleep 31'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const hasBecome = async (pid: number | undefined, file: string, word: string): Promise<void> => {
      while (!(await readFile(`/proc/${pid}/${file}`, 'utf8')).includes(word)) await delay(5);
    };
    try {
      const pid = Number(String((await once(parent.stdout, 'data'))[0]));
      await hasBecome(parent.pid, 'cmdline', 'sleep\0' + '31');
      process.kill(pid, 'SIGKILL');
      await hasBecome(pid, 'stat', ') Z ');
      assert.equal(isAlive(pid, null), false);
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('lists the clients of this person only, with their folders', async function () {
    if (process.platform !== 'linux') this.skip();
    await withTemporaryFolder(async (folder) => {
      const program = join(folder, 'claude');
      await copyFile('/bin/sleep', program);
      const child = spawn(program, ['30'], { cwd: folder, env: { CLAUDE_CONFIG_DIR: '/elsewhere' }, stdio: 'ignore' });
      try {
        await once(child, 'spawn');
        const found = (): unknown =>
          thisMachine()
            .clients()
            .find(({ pid }) => pid === child.pid);
        const client = { pid: child.pid, parentPid: process.pid, cwd: await realpath(folder), configDir: '/elsewhere' };
        assert.deepEqual(found(), { ...client, args: [program, '30', ''] });
        if (process.geteuid?.() !== 0) return;
        await asUnprivileged(() => {
          assert.equal(found(), undefined);
          return Promise.resolve();
        });
      } finally {
        child.kill('SIGKILL');
      }
    });
  });

  it('does not list a client that was killed while the system still takes its memory back', async function () {
    if (process.platform !== 'linux') this.skip();
    await withTemporaryFolder(async (folder) => {
      const program = join(folder, 'claude');
      await copyFile('/bin/dd', program);
      // It fills its memory, and waits for somebody to read the rest of it. To take so much back lasts some ten milliseconds.
      const args = ['if=/dev/zero', 'bs=300M', 'count=1'];
      const env = { CLAUDE_CONFIG_DIR: '/elsewhere' };
      const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] });
      const found = (): readonly unknown[] =>
        thisMachine()
          .clients()
          .filter(({ pid }) => pid === child.pid)
          .map(({ cwd, configDir }) => ({ cwd, configDir }));
      const running = [{ cwd: await realpath(folder), configDir: '/elsewhere' }];
      try {
        await once(child.stdout, 'readable');
        assert.deepEqual(found(), running);
        child.kill('SIGKILL');
        // Without a pause, so that nobody takes notice of its end and it stays a zombie.
        while (!readFileSync(`/proc/${child.pid}/stat`, 'utf8').includes(') Z ')) {
          const seen = found();
          if (seen.length > 0) assert.deepEqual(seen, running);
        }
      } finally {
        child.kill('SIGKILL');
      }
    });
  });

  it('relies on the pid only if the start time has another format', () => {
    assert.equal(isAlive(process.pid, 'Sat Nov 21 2026'), true);
  });
});

import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createRandom } from '../../../support/random';
import { withTemporaryFolder } from '../../../support/temporaryFolder';
import { FakeClock, settle } from '../fakes';
import { HastyClock, memoryOf, openWindow, STORE, terminalOf } from './rememberingWindow';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Each starts a process, which takes a second. */
const KILLS = Number(process.env['RETHREAD_KILLS'] ?? 3);

async function idsOf(folder: string, alive: readonly string[] = [], workspace = 'w'): Promise<readonly string[]> {
  const { store } = openWindow(folder, `reader ${Math.random()}`, { alive });
  return (await store.restore(workspace)).terminals.map(({ id }) => id).sort();
}

describe('What windows remember', () => {
  it('is nothing before anything was remembered, and no file is made', () =>
    withTemporaryFolder(async (folder) => {
      assert.deepEqual(await openWindow(folder, 'a').store.restore('w'), {
        terminals: [],
        panels: [],
        urgent: [],
        hasCrashed: false,
        isOtherRunning: false,
      });
      assert.deepEqual(await readdir(folder), []);
    }));

  it('comes back after the window has closed, for the same workspace alone', () =>
    withTemporaryFolder(async (folder) => {
      const { store } = openWindow(folder, 'a');
      store.remember('w', { ...memoryOf('one', 'two'), panels: ['/p'], urgent: ['/u'] });
      await store.close();
      assert.deepEqual(await idsOf(folder, [], 'another'), []);
      const restored = await openWindow(folder, 'b').store.restore('w');
      assert.deepEqual(restored, {
        ...memoryOf('one', 'two'),
        panels: ['/p'],
        urgent: ['/u'],
        hasCrashed: false,
        isOtherRunning: false,
      });
    }));

  it('is written once for several changes, a second after the first of them', () =>
    withTemporaryFolder(async (folder) => {
      const clock = new FakeClock();
      const { store } = openWindow(folder, 'a', { clock });
      store.remember('w', memoryOf('one'));
      store.remember('w', memoryOf('one', 'two'));
      await settle();
      assert.deepEqual(await readdir(folder), []);
      clock.advance(1000);
      await store.close();
      assert.deepEqual(await idsOf(folder), ['one', 'two']);
    }));

  it('tells a window that was killed from one that has closed', () =>
    withTemporaryFolder(async (folder) => {
      const killed = openWindow(folder, 'killed');
      killed.store.remember('w', memoryOf('one'));
      while (!(await readdir(folder)).includes(STORE)) await settle();
      const { hasCrashed } = await openWindow(folder, 'b').store.restore('w');
      assert.equal(hasCrashed, true);
    }));

  it('stays with a window that runs, until it has ended', () =>
    withTemporaryFolder(async (folder) => {
      const first = openWindow(folder, 'first');
      first.store.remember('w', memoryOf('one'));
      while (!(await readdir(folder)).includes(STORE)) await settle();
      const second = openWindow(folder, 'second', { alive: ['first'] });
      const before = await second.store.restore('w');
      assert.deepEqual([before.terminals, before.isOtherRunning], [[], true]);
      await first.store.close();
      const after = await second.store.restore('w');
      assert.deepEqual(
        after.terminals.map(({ id }) => id),
        ['one'],
      );
      assert.equal(after.isOtherRunning, false);
    }));

  it('goes to one window only, and stays known while that one has not written it again', () =>
    withTemporaryFolder(async (folder) => {
      const { store } = openWindow(folder, 'a');
      store.remember('w', memoryOf('one'));
      await store.close();
      const alive = ['b', 'c'];
      const both = await Promise.all(['b', 'c'].map((name) => openWindow(folder, name, { alive }).store.restore('w')));
      assert.deepEqual(both.map(({ terminals }) => terminals.length).sort(), [0, 1]);
      // Both are killed at once.
      assert.deepEqual(await idsOf(folder), ['one']);
    }));

  it('is merged from several processes that write at once', () =>
    withTemporaryFolder(async (folder) => {
      const script = join(__dirname, 'killedProcess.ts');
      const children = ['x', 'y', 'z'].map((name) =>
        spawn(process.execPath, ['--require', 'tsx/cjs', script, folder, name], {
          stdio: ['ignore', 'pipe', 'inherit'],
        }),
      );
      const outputs = children.map(outputOf);
      await Promise.all(outputs.map((output) => output.lines(5)));
      const exits = children.map((child) => once(child, 'exit'));
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(exits);
      await freeLock(folder);
      assertKept(await idsOf(folder), outputs);
      assert.deepEqual(await damagedFiles(folder), []);
    }));

  it(`survives ${KILLS} processes that are killed while they write`, async function () {
    this.timeout(60_000 + KILLS * 5000);
    const random = createRandom(Number(process.env['RETHREAD_SEED'] ?? 1));
    await withTemporaryFolder(async (folder) => {
      const script = join(__dirname, 'killedProcess.ts');
      const outputs: Output[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        const child = spawn(process.execPath, ['--require', 'tsx/cjs', script, folder, `k${kill}`], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const exit = once(child, 'exit');
        const output = outputOf(child);
        await output.lines(1);
        await new Promise((resolve) => setTimeout(resolve, random.below(60)));
        child.kill('SIGKILL');
        await exit;
        outputs.push(output);
        await freeLock(folder);
      }
      assertKept(await idsOf(folder), outputs);
      assert.deepEqual(await damagedFiles(folder), []);
    });
  });

  for (const [what, damage] of [
    ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 20)],
    ['empty', () => Buffer.alloc(0)],
    ['changed in one byte', (bytes: Buffer) => Buffer.from(bytes.toString().replace('"one"', '"onf"'))],
    ['something else', () => Buffer.from('{"sessions": []}\n{}')],
  ] as const) {
    it(`is begun anew if the file is ${what}, and the damaged file is kept`, () =>
      withTemporaryFolder(async (folder) => {
        const { store } = openWindow(folder, 'a');
        store.remember('w', memoryOf('one'));
        await store.close();
        const damaged = damage(await readFile(join(folder, STORE)));
        await writeFile(join(folder, STORE), damaged);
        const next = openWindow(folder, 'b');
        assert.deepEqual((await next.store.restore('w')).terminals, []);
        next.store.remember('w', memoryOf('two'));
        await next.store.close();
        assert.deepEqual(await idsOf(folder), ['two']);
        const kept = await damagedFiles(folder);
        assert.equal(kept.length, 1);
        assert.deepEqual(await readFile(join(folder, kept[0] ?? '')), damaged);
        assert.match(next.logged.join('\n'), /were damaged/);
      }));
  }

  it('is neither read nor replaced if a later version wrote it', () =>
    withTemporaryFolder(async (folder) => {
      const later = '{"rethread":"remembered sessions","format":2,"checksum":1}\nanything';
      await writeFile(join(folder, STORE), later);
      const { store, logged } = openWindow(folder, 'a');
      assert.deepEqual((await store.restore('w')).terminals, []);
      store.remember('w', memoryOf('one'));
      await store.close();
      assert.equal(await readFile(join(folder, STORE), 'utf8'), later);
      assert.deepEqual(await readdir(folder), [STORE]);
      assert.equal(logged.length, 1);
      assert.match(logged[0] ?? '', /later version/);
    }));

  it('forgets what ended thirty days ago, but nothing that runs', () =>
    withTemporaryFolder(async (folder) => {
      const clock = new HastyClock();
      const { store } = openWindow(folder, 'a', { clock });
      const endedMs = (days: number): number => clock.nowMs - days * DAY_MS;
      store.remember('w', {
        ...memoryOf('runs'),
        terminals: [
          terminalOf('runs'),
          terminalOf('old', { state: 'ended', endedMs: endedMs(31) }),
          terminalOf('young', { state: 'ended', endedMs: endedMs(29) }),
        ],
      });
      await store.close();
      assert.deepEqual(await idsOf(folder), ['runs', 'young']);
    }));

  it('keeps the 200 terminals that changed last, of all windows', () =>
    withTemporaryFolder(async (folder) => {
      const first = openWindow(folder, 'a');
      first.store.remember('w', { ...memoryOf(), terminals: [terminalOf('older', { changedMs: 5 })] });
      await first.store.close();
      const second = openWindow(folder, 'b');
      const many = Array.from({ length: 199 }, (_, at) => terminalOf(`t${at}`, { changedMs: 10 }));
      second.store.remember('v', { ...memoryOf(), terminals: [...many, terminalOf('oldest', { changedMs: 4 })] });
      await second.store.close();
      assert.deepEqual(await idsOf(folder), ['older']);
      assert.equal((await idsOf(folder, [], 'v')).length, 199);
    }));
});

interface Output {
  /** Resolves when so many lines have been written. */
  readonly lines: (count: number) => Promise<void>;
  /** The last whole line. */
  readonly last: () => string;
}

function outputOf({ stdout }: ChildProcessByStdio<null, Readable, null>): Output {
  let text = '';
  stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return {
    lines: async (count) => {
      while (text.split('\n').length <= count) await once(stdout, 'data');
    },
    last: () => text.split('\n').at(-2) ?? '',
  };
}

/** What a window has written last is there, and nothing but that and what it may have been writing. */
function assertKept(ids: readonly string[], outputs: readonly Output[]): void {
  for (const { last } of outputs) {
    const [name = '', at = ''] = last().split('-');
    const kept = ids.filter((id) => id.startsWith(`${name}-`));
    assert.ok(
      kept.includes(last()) || kept.includes(`${name}-${Number(at) + 1}`),
      `${last()} is not in ${kept.join()}`,
    );
    assert.equal(kept.length, 2);
  }
}

/** As if its dead owner had held it for long. */
async function freeLock(folder: string): Promise<void> {
  await utimes(join(folder, `${STORE}.lock`), 1, 1).catch(() => undefined);
}

async function damagedFiles(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.includes('.damaged-'));
}

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { sessionPaths, SessionStore, storeLayout } from '../rooms/history';
import { nodeWriteFs } from '../rooms/storage';
import { createRandom, type Random } from '../support/random';
import { temporaryFolder } from '../support/temporaryFolder';
import { bundleProgram } from './support/bundleProgram';
import { rewindSize } from './support/rewindSize';
import type { StoreTask } from './support/storeProgram';

const PROCESSES = 8;
const THREADS = 4;
const ROWS = 1000;
const KILLS = rewindSize().isFull ? 200 : 20;
/** Number of processes that add to the session at the same time, each of which is killed. */
const KILLED_AT_ONCE = 2;
const MAX_LIFE_MS = 120;
/** Number of kills in one session, since all of it is read after each kill. */
const KILLS_A_SESSION = 10;

interface Body {
  readonly name: string;
  readonly at: number;
  readonly text: string;
}

describe('Processes that share a store', function () {
  this.timeout(300_000);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let program: string;
  let configDir: string;
  let store: SessionStore;

  before(async () => {
    folder = await temporaryFolder();
    program = await bundleProgram('test/rewind/support/storeProgram.ts', join(folder.path, 'program'));
    configDir = join(folder.path, 'config');
    store = new SessionStore({ configDir: () => configDir, fs: nodeWriteFs, now: Date.now, random: randomUUID });
  });
  after(() => {
    folder.remove();
  });

  function start(task: Partial<StoreTask>): { readonly child: ChildProcess; readonly said: Promise<string> } {
    const whole: StoreTask = {
      configDir,
      session: 'one',
      name: 'x',
      rows: null,
      threads: 1,
      maxLength: 2000,
      longLength: 100,
      files: null,
      ...task,
    };
    const child = spawn(process.execPath, [program, JSON.stringify(whole)], { stdio: ['ignore', 'pipe', 'inherit'] });
    return { child, said: text(child.stdout) };
  }

  const bodies = async (session: string): Promise<{ bodies: readonly Body[]; torn: number }> => {
    const { messages, torn } = await store.load(session);
    // SAFETY: written by the program.
    return { bodies: messages.map(({ body }) => body as unknown as Body), torn };
  };

  it(`add ${PROCESSES} × ${ROWS} rows at once, and each of them is stored complete and in order`, async () => {
    const started = Array.from({ length: PROCESSES }, (_, at) =>
      start({ session: 'many', name: `p${at}`, rows: ROWS }),
    );
    await Promise.all(
      started.map(async ({ child, said }) => {
        assert.deepEqual(await once(child, 'exit'), [0, null]);
        assert.equal(await said, '');
      }),
    );
    const found = await bodies('many');
    assert.deepEqual([found.bodies.length, found.torn], [PROCESSES * ROWS, 0]);
    const rows = readFileSync(sessionPaths(storeLayout(configDir), 'many').messages, 'utf8').split('\n');
    assert.equal(rows.length, PROCESSES * ROWS + 1, 'one a line, behind the first');
    for (const row of rows) JSON.parse(row);
    for (let at = 0; at < PROCESSES; at++) assertInOrder(found.bodies, `p${at}`, ROWS);
  });

  it(`add ${THREADS} × ${ROWS} rows from threads of two processes at once`, async () => {
    const started = ['a', 'b'].map((name) =>
      start({ session: 'threads', name, rows: ROWS / 2, threads: THREADS, maxLength: 30_000 }),
    );
    for (const exit of await Promise.all(started.map(({ child }) => once(child, 'exit'))))
      assert.deepEqual(exit, [0, null]);
    const found = await bodies('threads');
    assert.deepEqual([found.bodies.length, found.torn], [THREADS * ROWS, 0]);
    for (const name of ['a', 'b'])
      for (let thread = 0; thread < THREADS; thread++) assertInOrder(found.bodies, `${name}.${thread}`, ROWS / 2);
  });

  it(`lose at most the row that is being written when they are killed ${KILLS} times`, async () => {
    const random = createRandom(20261122);
    const files = join(folder.path, 'files');
    mkdirSync(files);
    const total = { rows: 0, checkpoints: 0, cut: 0 };
    for (let from = 0; from < KILLS; from += KILLS_A_SESSION) {
      const killed = await killAllIn(`killed-${from}`, files, random);
      total.rows += killed.rows;
      total.checkpoints += killed.checkpoints;
      total.cut += killed.cut;
    }
    console.log(`      ${total.rows} rows, ${total.checkpoints} checkpoints; ${total.cut} rows were cut`);
    assert.ok(total.rows > KILLS && total.checkpoints > KILLS / 2);
  });

  /** Checks after each kill what is left, and after the last one all rows that were reported as stored. */
  async function killAllIn(session: string, files: string, random: Random) {
    let rows = 0;
    let checkpoints = 0;
    let cut = 0;
    for (let killed = 0; killed < KILLS_A_SESSION; killed += KILLED_AT_ONCE) {
      const names = Array.from({ length: KILLED_AT_ONCE }, (_, at) => `${session}-${killed + at}`);
      const said = await Promise.all(names.map((name) => runAndKill(session, name, files, random.below(MAX_LIFE_MS))));
      const found = await bodies(session);
      for (const [at, name] of names.entries()) {
        const lines = said[at] ?? [];
        const reported = lines.filter((line) => line.startsWith('row ')).length;
        const there = found.bodies.filter((body) => body.name === name).length;
        assert.ok(
          there === reported || there === reported + 1,
          `${name} was told of ${reported} rows, and ${there} are there`,
        );
        assertInOrder(found.bodies, name, there);
        rows += there;
        const toldOf = lines.filter((line) => line.startsWith('checkpoint ')).length;
        checkpoints += await checkCheckpoints(session, name, toldOf);
      }
      cut = found.torn;
      assert.ok(cut <= killed + KILLED_AT_ONCE);
      assert.equal(found.bodies.length, rows, 'rows of earlier processes stay');
    }
    return { rows, checkpoints, cut };
  }

  /** Kills it some time after it has reported a stored row. Returns what it reported. */
  async function runAndKill(session: string, name: string, files: string, lifeMs: number): Promise<readonly string[]> {
    const { child, said } = start({ session, name, files, maxLength: 60_000, longLength: 1_500_000 });
    const exit = once(child, 'exit');
    assert.ok(child.stdout !== null);
    await once(child.stdout, 'readable');
    await wait(lifeMs);
    child.kill('SIGKILL');
    assert.deepEqual(await exit, [null, 'SIGKILL']);
    return (await said).split('\n').slice(0, -1);
  }

  /** Asserts that the content of each checkpoint is complete. Returns how many checkpoints the process has. */
  async function checkCheckpoints(session: string, name: string, reported: number): Promise<number> {
    const { content } = sessionPaths(storeLayout(configDir), session);
    const own = (await store.checkpoints(session)).filter(({ toolName }) => toolName === name);
    assert.ok(
      own.length === reported || own.length === reported + 1,
      `${name} was told of ${reported} checkpoints, and ${own.length} are there`,
    );
    for (const { files } of own) {
      for (const { state } of files) {
        assert.ok(state.kind === 'file');
        const bytes = readFileSync(join(content.own, state.sha256));
        assert.deepEqual([bytes.length, createHash('sha256').update(bytes).digest('hex')], [state.size, state.sha256]);
      }
    }
    return own.length;
  }
});

function assertInOrder(bodies: readonly Body[], name: string, count: number): void {
  const own = bodies.filter((body) => body.name === name);
  assert.equal(own.length, count, name);
  assert.ok(
    own.every(({ at }, place) => at === place),
    `${name} is out of order`,
  );
}

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createEngine, type Engine } from '../../../src/core/engine';
import { encodeProjectPath } from '../../rooms/format';
import { findClient } from '../../support/findClient';
import { type MockApi, startMockApi } from '../../support/mockApi';
import { clientEnvironment } from '../../support/realClient';
import { runSize } from '../../support/runSize';
import { skipWhenUnavailable } from '../../support/skipWhenUnavailable';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { prompt, reply, transcript } from '../../support/transcriptBuilder';

const ID = '44444444-4444-4444-8444-444444444444';
const BROKEN = transcript([prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'lost'), reply('r2', 'p2')]);
const STARTS = runSize().isFull ? 200 : 5;
/** Long enough for a client to start on a busy machine. */
const START_MS = 60_000;
const NEW_NAMESPACE = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'] as const;

/** A config folder with a broken session, and clients that run it. */
class Scene {
  readonly configDir: string;
  readonly filePath: string;
  readonly engine: Engine;
  readonly #cwd: string;

  constructor(
    private readonly root: string,
    private readonly client: string,
    private readonly api: MockApi,
  ) {
    this.configDir = join(root, 'home', '.claude');
    this.#cwd = join(root, 'work');
    this.filePath = join(this.configDir, 'projects', encodeProjectPath(this.#cwd), `${ID}.jsonl`);
    this.engine = createEngine({ configDir: this.configDir });
  }

  async write(): Promise<void> {
    await mkdir(this.#cwd, { recursive: true });
    await mkdir(join(this.filePath, '..'), { recursive: true });
    await writeFile(this.filePath, BROKEN);
  }

  /** A client that has resumed the session and waits for a prompt. */
  start(wrapper?: readonly [string, ...string[]]): ChildProcess {
    const args = ['--resume', ID, '-p', '--verbose', '--input-format', 'stream-json', '--output-format', 'stream-json'];
    const place = { home: join(this.root, 'home'), cwd: this.#cwd, root: this.root, baseUrl: this.api.urlFor('live') };
    const [program, ...before] =
      wrapper === undefined ? ([this.client] as const) : ([...wrapper, this.client] as const);
    return spawn(program, [...before, ...args], {
      cwd: this.#cwd,
      env: clientEnvironment(place),
      stdio: ['pipe', 'ignore', 'ignore'],
    });
  }

  /** Resolves once the registry has a whole record of the session: that of the process, or that of any. */
  async recorded(pid?: number): Promise<void> {
    for (const end = Date.now() + START_MS; Date.now() < end;) {
      await wait(20);
      const folder = join(this.configDir, 'sessions');
      const names = await readdir(folder).catch(() => []);
      for (const name of names.filter((each) =>
        pid === undefined ? each.endsWith('.json') : each === `${pid}.json`,
      )) {
        const text = await readFile(join(folder, name), 'utf8').catch(() => '');
        if (text.includes(ID) && text.endsWith('}')) return;
      }
    }
    throw new Error('The client wrote no record');
  }

  /** The client may append rows; nobody else has changed anything. */
  async assertOnlyAppended(): Promise<void> {
    assert.ok((await readFile(this.filePath)).subarray(0, BROKEN.length).equals(BROKEN));
    const names = await readdir(dirname(this.filePath));
    assert.deepEqual(
      names.filter((name) => name.startsWith(basename(this.filePath)) || name.startsWith('.')),
      [basename(this.filePath)],
    );
  }

  async repairReason(): Promise<string> {
    const { result } = await this.engine.repair(this.filePath);
    return result.reason ?? result.status;
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

describe('A session that the real client runs', () => {
  let client: string;
  let api: MockApi;

  before(async function () {
    this.timeout(600_000);
    client = await skipWhenUnavailable(this, () => findClient());
    api = await startMockApi();
  });

  after(() => api.close());

  async function withScene(use: (scene: Scene) => Promise<void>): Promise<void> {
    await withTemporaryFolder(async (folder) => {
      const scene = new Scene(await realpath(folder), client, api);
      await scene.write();
      await use(scene);
    });
  }

  it('is not changed, and is repaired at once after its client was killed', () =>
    withScene(async (scene) => {
      const child = scene.start();
      try {
        await scene.recorded(child.pid);
        assert.equal(await scene.repairReason(), 'live');
        await scene.assertOnlyAppended();
      } finally {
        await kill(child);
      }
      assert.equal(await scene.repairReason(), 'repaired');
    }));

  it('is not changed while the client is in another namespace of processes, nor after that was killed', async function () {
    if (spawnSync(NEW_NAMESPACE[0], [...NEW_NAMESPACE.slice(1), 'true']).status !== 0) this.skip();
    await withScene(async (scene) => {
      const child = scene.start(NEW_NAMESPACE);
      try {
        await scene.recorded();
        assert.equal(await scene.repairReason(), 'maybe-live');
      } finally {
        await kill(child);
      }
      assert.equal(await scene.repairReason(), 'maybe-live');
      await scene.assertOnlyAppended();
      assert.equal((await scene.engine.repair(scene.filePath, { mayBeLive: true })).result.status, 'repaired');
    });
  });

  it(`is not changed at any moment of ${STARTS} starts of the client`, async function () {
    this.timeout(STARTS * 30_000);
    await withScene(async (scene) => {
      const answers = new Map<string, number>();
      for (let start = 0; start < STARTS; start++) {
        const child = scene.start();
        try {
          const state = { isRecorded: false };
          const recorded = scene.recorded(child.pid).then(() => {
            state.isRecorded = true;
          });
          while (!state.isRecorded) {
            const reason = await scene.repairReason();
            answers.set(reason, (answers.get(reason) ?? 0) + 1);
          }
          await recorded;
        } finally {
          await kill(child);
        }
        await scene.assertOnlyAppended();
      }
      assert.deepEqual(
        [...answers.keys()].sort(),
        ['live', 'maybe-live'].filter((each) => answers.has(each)),
      );
      assert.ok((answers.get('maybe-live') ?? 0) > 0);
      console.log(`      ${STARTS} starts, answers: ${JSON.stringify(Object.fromEntries(answers))}`);
    });
  });
});

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ClientSavings, LivenessReading, type Machine, RegistryMemory } from '../../rooms/providers';
import { fakeMachine } from '../../support/fakeMachine';
import { withTemporaryFolder } from '../../support/temporaryFolder';

const RECORDINGS = join(__dirname, '../../../fixtures/recordings');
const ID = '11111111-2222-4333-8444-555555555555';
const OTHER = '99999999-2222-4333-8444-555555555555';
const HERE = 'linux:here:pid:[1]';
const KEY = 'ab'.repeat(32);
const LOOK_MS = 800;
const DEAD = 404;

/** A config folder and the clients of this machine. Time passes only when a test says so. */
class Scene {
  nowMs = Date.now();
  cwd = '/w/app';
  launches = new Map<number, { readonly args?: readonly string[]; readonly variables?: readonly string[] }>();
  /** Reads the registry for everything else that a window shows. */
  readonly liveness: LivenessReading;
  readonly #savings: ClientSavings;

  constructor(readonly configDir: string) {
    const machine: Machine = fakeMachine({
      isAlive: (pid) => pid !== DEAD,
      startedMs: () => this.nowMs - 3_600_000,
      cwdOf: () => this.cwd,
      launchOf: (pid) => {
        const { args = ['claude'], variables = [] } = this.launches.get(pid) ?? {};
        return { args, variables: new Set(variables) };
      },
    });
    const deps = { configDir, machine, memory: new RegistryMemory(), now: (): number => this.nowMs };
    this.liveness = new LivenessReading(deps);
    this.#savings = new ClientSavings(deps);
  }

  write(name: string, content: object | string = '{"type":"user"}\n'): string {
    const path = join(this.configDir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }

  record(pid: number, fields: object = {}): void {
    const base = { pid, sessionId: ID, cwd: '/w/app', procStart: '5', pidDomain: HERE, status: 'idle', startedAt: 1 };
    this.write(`sessions/${pid}.json`, { ...base, kind: 'interactive', entrypoint: 'cli', ...fields });
  }

  key(pid: number): void {
    this.write(`sessions/${pid}.${KEY}.key`, { procStart: '5', pidDomain: HERE });
  }

  /** What is said in so many seconds. */
  async said(seconds = 60): Promise<readonly string[]> {
    const said = new Set<string>();
    for (const end = this.nowMs + seconds * 1000; this.nowMs < end; this.nowMs += LOOK_MS) {
      const { unsaved, shared } = await this.#savings.look();
      for (const { cause, session } of unsaved) said.add(`${cause} ${session === null ? '' : basename(session.path)}`);
      for (const { pids } of shared) said.add(`shared ${pids.join(' ')}`);
    }
    return [...said];
  }
}

const withScene = (use: (scene: Scene) => Promise<void>): Promise<void> =>
  withTemporaryFolder((folder) => use(new Scene(folder)));

const LOST = `deleted ${ID}.jsonl`;

describe('What running clients save', () => {
  it('is missed in fifteen seconds when it is deleted while the client has long been waiting for its person', () =>
    withScene(async (scene) => {
      const path = scene.write(`projects/-w-app/${ID}.jsonl`);
      scene.record(1, { statusUpdatedAt: scene.nowMs });
      assert.deepEqual(await scene.said(120), []);
      rmSync(path);
      assert.deepEqual(await scene.said(15), [LOST]);
    }));

  it('is not missed while somebody moves it away for a moment and back, however long the client has been waiting', () =>
    withScene(async (scene) => {
      const path = scene.write(`projects/-w-app/${ID}.jsonl`);
      scene.record(1, { statusUpdatedAt: scene.nowMs });
      await scene.said(60);
      for (let at = 0; at < 15; at++) {
        renameSync(path, `${path}.away`);
        assert.deepEqual(await scene.said(2), []);
        renameSync(`${path}.away`, path);
        assert.deepEqual(await scene.said(15 + at), []);
      }
    }));

  it('is followed when the client moves its transcript, and missed when it is deleted', () =>
    withScene(async (scene) => {
      const path = scene.write(`projects/-w-app/${ID}.jsonl`);
      scene.record(1);
      assert.deepEqual(await scene.said(), []);
      const moved = join(scene.configDir, 'projects', '-w-tree', basename(path));
      mkdirSync(dirname(moved));
      renameSync(path, moved);
      assert.deepEqual(await scene.said(), []);
      rmSync(moved);
      assert.deepEqual(await scene.said(2), []);
      assert.deepEqual(await scene.said(5), [LOST]);
    }));

  it('is not missed once its client has ended, or gone on with another session', () =>
    withScene(async (scene) => {
      const path = scene.write(`projects/-w-app/${ID}.jsonl`);
      scene.record(1);
      await scene.said(5);
      scene.record(1, { sessionId: OTHER });
      rmSync(path);
      assert.deepEqual(await scene.said(), []);
      scene.record(DEAD);
      assert.deepEqual(await scene.said(), []);
    }));

  it('is missed if a turn writes nothing, unless somebody asked for that', () =>
    withScene(async (scene) => {
      scene.record(1);
      await scene.said(2);
      scene.record(1, { status: 'busy', statusUpdatedAt: scene.nowMs });
      assert.deepEqual(await scene.said(20), [`unknown ${ID}.jsonl`]);
      for (const launch of [
        { args: ['claude', '-p', '--no-session-persistence'] },
        { variables: ['CLAUDE_CODE_SKIP_PROMPT_HISTORY'] },
      ]) {
        const asked = new Scene(scene.configDir);
        asked.launches.set(1, launch);
        asked.record(1);
        await asked.said(2);
        asked.record(1, { status: 'busy', statusUpdatedAt: asked.nowMs });
        assert.deepEqual(await asked.said(20), []);
      }
    }));

  it('is nothing for a client that has a key and no record, and the variable of another client', () =>
    withScene(async (scene) => {
      scene.key(1);
      assert.deepEqual(await scene.said(), []);
      scene.launches.set(1, { variables: ['CLAUDE_CODE_CHILD_SESSION'] });
      assert.deepEqual(await scene.said(), ['inherited ']);
      scene.write(`projects/-w-app/${ID}/tool-results/a.txt`);
      scene.nowMs += 20_000;
      assert.deepEqual(await scene.said(), [`inherited ${ID}.jsonl`]);
      scene.launches.set(1, {
        variables: ['CLAUDE_CODE_CHILD_SESSION', 'CLAUDE_CODE_FORCE_SESSION_PERSISTENCE'],
      });
      scene.write(`projects/-w-app/${ID}.jsonl`);
      assert.deepEqual(await scene.said(), []);
    }));

  it('is nothing for a client without a record whose session has files and no transcript', () =>
    withScene(async (scene) => {
      scene.key(1);
      scene.write(`projects/-w-app/${ID}/tool-results/a.txt`);
      scene.nowMs += 20_000;
      assert.deepEqual(await scene.said(), [`unknown ${ID}.jsonl`]);
      scene.write(`projects/-w-app/${OTHER}/tool-results/a.txt`);
      assert.deepEqual(await scene.said(), [], 'two sessions: it may be neither');
    }));

  it('is not asked of helpers of background sessions, nor of folders that are older than the client', () =>
    withScene(async (scene) => {
      scene.key(1);
      scene.launches.set(1, { args: ['claude', '--bg-spare'], variables: ['CLAUDE_CODE_CHILD_SESSION'] });
      assert.deepEqual(await scene.said(), []);
      scene.launches.clear();
      scene.write(`projects/-w-app/${ID}/tool-results/a.txt`);
      scene.nowMs += 7_200_000;
      assert.deepEqual(await scene.said(), []);
    }));

  it('is written by two clients if both have the session open for longer than a moment', () =>
    withScene(async (scene) => {
      scene.write(`projects/-w-app/${ID}.jsonl`);
      scene.record(1);
      scene.record(2);
      assert.deepEqual(await scene.said(0.5), []);
      assert.deepEqual(await scene.said(2), ['shared 1 2']);
      rmSync(join(scene.configDir, 'sessions', '2.json'));
      assert.deepEqual(await scene.said(), []);
    }));

  const SINGLE: Readonly<Record<string, (scene: Scene) => void>> = {
    'shows a background session in a terminal': (scene) => {
      scene.record(2, { kind: 'bg' });
    },
    'has handed it over to a job': (scene) => {
      scene.record(2, { parkedJobId: '11111111' });
    },
    'has died': (scene) => {
      scene.record(DEAD);
    },
    'runs on another machine': (scene) => {
      scene.record(2, { pidDomain: 'linux:there:pid:[1]' });
    },
    'has another session': (scene) => {
      scene.record(2, { sessionId: OTHER });
    },
  };
  for (const [name, prepare] of Object.entries(SINGLE))
    it(`is written by one client if the other ${name}`, () =>
      withScene(async (scene) => {
        scene.write(`projects/-w-app/${ID}.jsonl`);
        scene.record(1);
        prepare(scene);
        assert.deepEqual(await scene.said(), []);
      }));

  it('is judged by the registry as the window has just read it, and by its own reading after seven seconds', () =>
    withScene(async (scene) => {
      scene.write(`projects/-w-app/${ID}.jsonl`);
      scene.record(1);
      await scene.liveness.look();
      scene.record(2);
      assert.deepEqual(await scene.said(6), []);
      assert.deepEqual(await scene.said(3), ['shared 1 2']);
    }));

  for (const name of readdirSync(RECORDINGS))
    it(`raises no alarm on the recording ${name}, whatever a client without news does there`, () =>
      withTemporaryFolder(async (folder) => {
        const configDir = join(folder, '.claude');
        cpSync(join(RECORDINGS, name, 'dot-claude'), configDir, { recursive: true });
        rmSync(join(configDir, 'sessions'), { recursive: true, force: true });
        const transcripts = readdirSync(join(configDir, 'projects'), { recursive: true, encoding: 'utf8' }).filter(
          (path) => path.endsWith('.jsonl') && !path.includes('subagents'),
        );
        for (const status of ['idle', 'busy', 'waiting', 'shell']) {
          const scene = new Scene(configDir);
          for (const [at, path] of transcripts.entries())
            scene.record(at + 1, { sessionId: basename(path, '.jsonl'), status, waitingFor: 'permission prompt' });
          assert.deepEqual(await scene.said(30), []);
        }
        for (const path of transcripts) {
          const scene = new Scene(configDir);
          rmSync(join(configDir, 'sessions'), { recursive: true, force: true });
          scene.key(1000);
          const rows = readFileSync(join(configDir, 'projects', path), 'utf8');
          scene.cwd = /"cwd":"(?<cwd>[^"]+)"/.exec(rows)?.groups?.['cwd'] ?? scene.cwd;
          scene.nowMs += 20_000;
          assert.deepEqual(await scene.said(5), []);
        }
      }));
});

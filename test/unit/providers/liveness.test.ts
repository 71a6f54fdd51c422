import assert from 'node:assert/strict';
import { linkSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ClientProcess, LivenessReading, type Machine } from '../../rooms/providers';
import { fakeMachine } from '../../support/fakeMachine';
import { withTemporaryFolder } from '../../support/temporaryFolder';

const ID = '11111111-2222-4333-8444-555555555555';
const OTHER = '99999999-2222-4333-8444-555555555555';
const KEY = `7.${'ab'.repeat(32)}.key`;
const HERE = 'linux:here:pid:[1]';
const NOW = 1_795_000_000_000;

/** A config folder with one session of the project `/w/app`. */
class Scene {
  readonly configDir: string;
  readonly filePath: string;
  machine: Machine = fakeMachine({ isAlive: (pid) => pid !== 404 });

  constructor(readonly root: string) {
    this.configDir = join(root, 'config');
    this.filePath = this.write(`projects/-w-app/${ID}.jsonl`, '{"type":"user","version":"2.1.330"}\n');
    this.age(this.filePath, 3600);
  }

  write(name: string, content: unknown): string {
    const path = join(this.configDir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    this.age(path, 1);
    return path;
  }

  age(path: string, seconds: number): void {
    utimesSync(path, NOW / 1000 - seconds, NOW / 1000 - seconds);
  }

  async live(filePath = this.filePath): Promise<string> {
    return (await this.answer(filePath)).live;
  }

  answer(filePath = this.filePath): ReturnType<LivenessReading['of']> {
    return this.#reading().of(filePath);
  }

  /** Of a session whose last message is so old. */
  doing(minutes: number): ReturnType<LivenessReading['activityOf']> {
    const lastMessageMs = NOW - minutes * 60_000;
    const end = { end: { kind: 'ended' }, isClosed: false, entrypoint: null, lastMessageMs } as const;
    return this.#reading().activityOf(this.filePath, end);
  }

  #reading(): LivenessReading {
    return new LivenessReading({ configDir: this.configDir, machine: this.machine, now: () => NOW });
  }
}

function withScene(use: (scene: Scene) => Promise<void>): Promise<void> {
  return withTemporaryFolder((folder) => use(new Scene(folder)));
}

const record = (pid: number, fields: object = {}): object => ({
  pid,
  sessionId: ID,
  cwd: '/w/app',
  procStart: '5',
  pidDomain: HERE,
  status: 'idle',
  ...fields,
});

const client = (fields: Partial<ClientProcess> = {}): ClientProcess => ({
  pid: 7,
  parentPid: 1,
  cwd: '/w/app',
  configDir: null,
  args: ['claude'],
  ...fields,
});

describe('A session', () => {
  it('is not live without a registry, or if the registry does not name it', () =>
    withScene(async (scene) => {
      assert.equal(await scene.live(), 'not-live');
      scene.write('sessions/7.json', record(7, { sessionId: OTHER }));
      assert.equal(await scene.live(), 'not-live');
    }));

  it('is live while its client runs, and not live as soon as it was killed', () =>
    withScene(async (scene) => {
      scene.write('sessions/7.json', record(7));
      assert.equal(await scene.live(), 'live');
      scene.machine = fakeMachine({ isAlive: () => false });
      assert.equal(await scene.live(), 'not-live');
    }));

  it('is live by whatever name: through links to its file, its project or its config folder, and by a hard link', () =>
    withScene(async (scene) => {
      scene.write('sessions/7.json', record(7, { sessionId: ID.toUpperCase() }));
      const names = ['link.jsonl', 'project', 'linked'].map((name) => join(scene.root, name));
      const [file = '', project = '', config = ''] = names;
      symlinkSync(scene.filePath, file);
      symlinkSync(dirname(scene.filePath), project);
      symlinkSync(scene.configDir, config);
      const hard = join(scene.root, `${OTHER}.jsonl`);
      linkSync(scene.filePath, hard);
      const linked = join(config, 'projects', '-w-app', `${ID}.jsonl`);
      for (const path of [file, join(project, `${ID}.jsonl`), linked, hard])
        assert.equal(await scene.live(path), 'live');
      assert.equal(await scene.live(join(project, `${OTHER}.jsonl`)), 'not-live');
    }));

  it('is live by a link to its file that has another id, or to its project outside of any config folder', () =>
    withScene(async (scene) => {
      scene.write('sessions/7.json', record(7));
      const link = join(scene.root, `${OTHER}.jsonl`);
      symlinkSync(scene.filePath, link);
      assert.equal(await scene.live(link), 'live');
      const project = join(scene.root, 'project');
      symlinkSync(dirname(scene.filePath), project);
      const elsewhere = { configDir: join(scene.root, 'other'), machine: scene.machine, now: () => NOW };
      const { live } = await new LivenessReading(elsewhere).of(join(project, `${ID}.jsonl`));
      assert.equal(live, 'live');
    }));

  it('is live if the config folder in which it lies says so, also if another one is configured', () =>
    withScene(async (scene) => {
      scene.write('sessions/7.json', record(7));
      const elsewhere = new LivenessReading({
        configDir: join(scene.root, 'other'),
        machine: scene.machine,
        now: () => NOW,
      });
      assert.equal((await elsewhere.of(scene.filePath)).live, 'live');
    }));

  it('of a subagent is live with the session that started it', () =>
    withScene(async (scene) => {
      scene.write('sessions/7.json', record(7));
      const agent = scene.write(`projects/-w-app/${ID}/subagents/agent-1.jsonl`, '{}\n');
      assert.equal(await scene.live(agent), 'live');
    }));
});

describe('A session may be live', () => {
  it('as long as a record from another machine or container exists, whatever its process is here', () =>
    withScene(async (scene) => {
      for (const pid of [7, 404]) {
        scene.write('sessions/7.json', record(pid, { pidDomain: 'linux:here:pid:[2]' }));
        assert.equal(await scene.live(), 'maybe-live');
      }
      assert.match((await scene.answer()).why ?? '', /whether it still runs cannot be seen from here/);
    }));

  it('if a record does not say where its dead process was, except where all processes are of one kind', () =>
    withScene(async (scene) => {
      scene.write('sessions/404.json', record(404, { pidDomain: undefined }));
      assert.equal(await scene.live(), 'maybe-live');
      scene.machine = fakeMachine({ isAlive: () => false, hasPidDomains: false });
      assert.equal(await scene.live(), 'not-live');
    }));

  it('while a record is torn: that session if the record names it, else any', () =>
    withScene(async (scene) => {
      const torn = `${JSON.stringify(record(7))}"}`;
      scene.write('sessions/7.json', torn);
      assert.equal(await scene.live(), 'maybe-live');
      assert.equal(await scene.live(scene.write(`projects/-w-app/${OTHER}.jsonl`, '{}\n')), 'not-live');
      for (const content of ['', '[]', '{"pid":', 'x'.repeat(300_000)]) {
        scene.write('sessions/7.json', content);
        assert.equal(await scene.live(), 'maybe-live', content.slice(0, 20));
      }
    }));

  it('not because of a torn record whose process is gone, or began long after it', () =>
    withScene(async (scene) => {
      const path = scene.write('sessions/404.json', '{"pid":404,');
      scene.age(path, 600);
      assert.equal(await scene.live(), 'not-live');
      scene.age(scene.write('sessions/7.json', ''), 600);
      assert.equal(await scene.live(), 'maybe-live');
      scene.machine = fakeMachine({ isAlive: (pid) => pid !== 404, startedMs: () => NOW - 60_000 });
      assert.equal(await scene.live(), 'not-live');
      scene.write(`sessions/7.${'0'.repeat(64)}.key`, { procStart: '5', pidDomain: 'linux:there:pid:[1]' });
      assert.equal(await scene.live(), 'maybe-live');
    }));

  it('not because of an old record of a process that is gone, if it is too large, or no file', () =>
    withScene(async (scene) => {
      scene.age(scene.write('sessions/404.json', 'x'.repeat(300_000)), 600);
      assert.equal(await scene.live(), 'not-live');
      const folder = join(dirname(scene.write('sessions/1.txt', '')), '405.json');
      mkdirSync(folder);
      scene.machine = fakeMachine({ isAlive: () => false });
      assert.equal(await scene.live(), 'maybe-live');
      scene.age(folder, 600);
      assert.equal(await scene.live(), 'not-live');
    }));

  it('if the registry or the jobs cannot be read', () =>
    withScene(async (scene) => {
      scene.write('sessions', 'a file');
      assert.equal(await scene.live(), 'maybe-live');
      assert.match((await scene.answer()).why ?? '', /registry/);
    }));

  it('if a client that has only a key works in its project', () =>
    withScene(async (scene) => {
      scene.write(`sessions/${KEY}`, { peerToken: 'not to be kept', procStart: '5', pidDomain: HERE });
      const machine = (cwd: string | null): Machine => fakeMachine({ cwdOf: () => cwd });
      for (const [cwd, live] of [
        ['/w/app', 'maybe-live'],
        [null, 'maybe-live'],
        ['/w/other', 'not-live'],
      ] as const) {
        scene.machine = machine(cwd);
        assert.equal(await scene.live(), live);
      }
      scene.machine = machine('/w/app');
      scene.write('sessions/7.json', record(7, { sessionId: OTHER }));
      assert.equal(await scene.live(), 'not-live');
    }));

  it('if a client without any record works in its project, or was started with its id', () =>
    withScene(async (scene) => {
      const cases: readonly (readonly [Partial<ClientProcess>, string])[] = [
        [{}, 'maybe-live'],
        [{ cwd: null }, 'maybe-live'],
        [{ cwd: '/w/other' }, 'not-live'],
        [{ cwd: '/w/other', args: ['claude', '--resume', ID.toUpperCase()] }, 'maybe-live'],
        [{ configDir: '/home/else/.claude' }, 'not-live'],
        [{ configDir: scene.configDir }, 'maybe-live'],
        [{ configDir: null }, 'maybe-live'],
      ];
      for (const [fields, live] of cases) {
        scene.machine = fakeMachine({ clients: () => [client(fields)] });
        assert.equal(await scene.live(), live, JSON.stringify(fields));
      }
      scene.write('sessions/7.json', record(7, { sessionId: OTHER }));
      scene.machine = fakeMachine({ clients: () => [client(), client({ pid: 8, parentPid: 7 })] });
      assert.equal(await scene.live(), 'not-live');
    }));

  it('if a client without a record works in its project, although a record of another process has the same pid', () =>
    withScene(async (scene) => {
      scene.machine = fakeMachine({ isAlive: (_pid, start) => start !== '5', clients: () => [client()] });
      const there = { sessionId: OTHER, pidDomain: 'linux:there:pid:[1]' };
      for (const [name, content] of [
        ['7', record(7, there)],
        ['7', record(7, { sessionId: OTHER })],
        ['1', record(1, there)],
        ['7', `${JSON.stringify(record(7, there))}"}`],
      ] as const) {
        const path = scene.write(`sessions/${name}.json`, content);
        assert.equal(await scene.live(), 'maybe-live', JSON.stringify(content));
        rmSync(path);
      }
    }));

  it('if the record of the client that works in its project names no session, unless it is the daemon', () =>
    withScene(async (scene) => {
      scene.machine = fakeMachine({ clients: () => [client()] });
      for (const content of [{}, { pid: 7 }, record(7, { sessionId: undefined })]) {
        scene.write('sessions/7.json', content);
        assert.equal(await scene.live(), 'maybe-live', JSON.stringify(content));
      }
      scene.write('sessions/7.json', record(7, { sessionId: undefined, kind: 'daemon' }));
      assert.equal(await scene.live(), 'not-live');
    }));

  it('as long as a torn record says that it is from another machine or container, or its pid cannot be one', () =>
    withScene(async (scene) => {
      const torn = `${JSON.stringify(record(404, { pidDomain: 'linux:there:pid:[1]' }))}"}`;
      scene.age(scene.write('sessions/404.json', torn), 600_000);
      assert.equal(await scene.live(), 'maybe-live');
      scene.write('sessions/404.json', record(-5));
      assert.equal(await scene.live(), 'maybe-live');
    }));

  it('if the client works in a folder that was deleted, or was started with its id in one word with the option', () =>
    withScene(async (scene) => {
      for (const fields of [{ cwd: '/w/app (deleted)' }, { cwd: '/w/other', args: ['claude', `--resume=${ID}`] }]) {
        scene.machine = fakeMachine({ clients: () => [client(fields)] });
        assert.equal(await scene.live(), 'maybe-live', JSON.stringify(fields));
      }
    }));

  it('if a link to its registry leads nowhere, as while a disk is missing', () =>
    withScene(async (scene) => {
      const link = join(scene.configDir, 'sessions');
      symlinkSync(join(scene.root, 'missing'), link);
      assert.equal(await scene.live(), 'maybe-live');
    }));

  it('until its background job has settled', () =>
    withScene(async (scene) => {
      const name = `jobs/${ID.slice(0, 8)}/state.json`;
      for (const [state, live] of [
        ['working', 'maybe-live'],
        ['blocked', 'maybe-live'],
        ['crashed', 'maybe-live'],
        ['something new', 'maybe-live'],
        ['stopped', 'not-live'],
        ['done', 'not-live'],
        ['failed', 'not-live'],
      ] as const) {
        scene.write(name, { state, sessionId: ID });
        assert.equal(await scene.live(), live, state);
      }
      scene.write(name, '{"state":');
      assert.equal(await scene.live(), 'maybe-live');
      scene.write(name, { state: 'working', sessionId: OTHER, resumeSessionId: ID });
      assert.equal(await scene.live(), 'maybe-live');
    }));

  it('for two minutes after a client that keeps no registry wrote to it', () =>
    withScene(async (scene) => {
      for (const [version, seconds, live] of [
        ['2.1.50', 100, 'maybe-live'],
        ['2.1.138', 100, 'maybe-live'],
        ['2.1.50', 130, 'not-live'],
        ['2.1.139', 1, 'not-live'],
        ['2.1.330', 1, 'not-live'],
      ] as const) {
        writeFileSync(scene.filePath, `{"type":"user","version":"${version}"}\n{"type":"summary"}\n{"torn":`);
        scene.age(scene.filePath, seconds);
        assert.equal(await scene.live(), live, `${version}, ${seconds} s`);
      }
    }));
});

describe('What a session of a client that keeps no registry is doing', () => {
  it('is told by a file that it has just written, and not by one that somebody has just copied', () =>
    withScene(async (scene) => {
      writeFileSync(scene.filePath, '{"type":"user","version":"2.1.50"}\n');
      scene.age(scene.filePath, 5);
      for (const [minutes, state] of [
        [1, 'idle'],
        [60, 'ended'],
      ] as const) {
        const { live, activity } = await scene.doing(minutes);
        assert.deepEqual([live, activity.state], ['maybe-live', state], `${minutes} minutes`);
      }
    }));
});

describe('A key', () => {
  it('leaves nothing behind but its process', () =>
    withScene(async (scene) => {
      scene.write(`sessions/${KEY}`, { peerToken: 'a secret token', procStart: '5', pidDomain: HERE });
      assert.doesNotMatch(JSON.stringify(await scene.answer()), /secret/);
    }));
});

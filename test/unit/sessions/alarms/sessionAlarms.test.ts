import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AlarmKey, AlarmsSnapshot } from '../../../../src/protocol/channels/alarms';
import { readRetention, type Savings } from '../../../rooms/providers';
import { SessionAlarms, SessionEntries, ToldAlarms } from '../../../rooms/sessions';
import { FakeClock, FakeFiles, scanOf, type ScanChange, stampOf, transcript } from '../fakes';

const DAY_MS = 86_400_000;
const NOTHING: Savings = { unsaved: [], shared: [] };

describe('The alarms of a config folder', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'rethread-alarms-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  async function settings(folder: string, content: object): Promise<void> {
    await mkdir(join(root, folder, '.claude'), { recursive: true });
    await writeFile(join(root, folder, '.claude', 'settings.json'), JSON.stringify(content));
  }

  function scene() {
    const [clock, files, entries] = [new FakeClock(), new FakeFiles(), new SessionEntries()];
    clock.advance(Date.UTC(2026, 10, 20));
    const sent: AlarmsSnapshot[] = [];
    const state = { savings: NOTHING, reads: 0, exempt: new Set<string>() };
    const configDir = join(root, 'home', '.claude');
    const folders = [{ path: join(root, 'open'), realPath: join(root, 'open'), projectName: '-open' }];
    const alarms = new SessionAlarms({
      configDir,
      entries,
      files,
      clock,
      workspaceFolders: () => folders,
      cacheDir: null,
      nextRevision: () => sent.length + 1,
      log: (_level, message) => assert.fail(message),
      homeDir: join(root, 'home'),
      savings: { look: () => Promise.resolve(state.savings) },
      readRetention: (projectFolders) => {
        state.reads++;
        const managedFolder = join(root, 'none');
        return readRetention({ configDir, projectFolders, homeFolder: join(root, 'home'), managedFolder });
      },
      readExemption: (path) => Promise.resolve({ isExempt: state.exempt.has(path), releasedMs: null }),
      send: (snapshot) => void sent.push(snapshot),
    });
    const add = (project: string, id: string, ageDays: number, cwd: string | null, change: ScanChange = {}): string => {
      const found = transcript(project, id);
      const stamp = stampOf(clock.now() - ageDays * DAY_MS);
      const scan = scanOf(found, { ...change, metadata: { cwd } });
      entries.set({ found, stamp, scan, quickMetadata: null, isOutdated: false, hasBackup: false });
      files.stamps.set(found.path, stamp);
      return found.path;
    };
    return { alarms, add, sent, state, clock, files, entries };
  }

  const last = (sent: readonly AlarmsSnapshot[]): AlarmsSnapshot => sent.at(-1) ?? assert.fail('Nothing was sent');

  it('name the sessions of open folders that expire within a week, and list those of all folders', async () => {
    const { alarms, add, sent, state } = scene();
    add('-open', 'young', 20, join(root, 'open'));
    const soon = add('-open', 'soon', 25, join(root, 'open'));
    const due = add('-open', 'due', 31, join(root, 'open'));
    add('-open', 'nothing-said', 31, join(root, 'open'), { result: { messageCount: 0 } });
    const far = add('-far', 'far', 29, join(root, 'far'));
    state.exempt.add(add('-open', 'desktop', 31, join(root, 'open')));
    await alarms.look();
    const { alarms: found, expiring } = last(sent);
    assert.deepEqual(
      expiring.map(({ path }) => path),
      [due, far, soon],
    );
    const [alarm] = found;
    assert.ok(alarm?.kind === 'expiring');
    assert.deepEqual(
      alarm.sessions.map(({ path }) => path),
      [due, soon],
    );
    assert.deepEqual(alarm.period, { days: 30, settingsPath: null });
    const sweep = await alarms.sweepOf(soon);
    assert.deepEqual([sweep?.period, expiring.at(-1)?.sweptMs], [alarm.period, sweep?.sweptMs]);
  });

  it('give shorter notice of a shorter period, and name the project that sets it', async () => {
    await settings('home', { cleanupPeriodDays: 365 });
    await settings('far', { cleanupPeriodDays: 4 });
    const { alarms, add, sent } = scene();
    add('-far', 'far', 1, join(root, 'far'));
    add('-open', 'later', 2.9, join(root, 'open'));
    const soon = add('-open', 'soon', 3.1, join(root, 'open'));
    await alarms.look();
    const { alarms: found, expiring } = last(sent);
    assert.deepEqual(
      expiring.map(({ path }) => path),
      [soon],
    );
    const settingsPath = join(root, 'far', '.claude', 'settings.json');
    const short = found.find(({ kind }) => kind === 'short-retention');
    assert.ok(short?.kind === 'short-retention');
    assert.deepEqual([short.period, short.ownDays, short.isOfWindow], [{ days: 4, settingsPath }, 365, false]);
  });

  it('forget a session that was renewed or deleted', async () => {
    const { alarms, add, sent, clock, files } = scene();
    const [one, other] = ['one', 'other'].map((id) => add('-open', id, 29, join(root, 'open')));
    await alarms.look();
    assert.equal(last(sent).expiring.length, 2);
    clock.advance(60_000);
    files.stamps.set(one ?? '', stampOf(clock.now()));
    files.stamps.delete(other ?? '');
    await alarms.look();
    assert.deepEqual(last(sent).expiring, []);
  });

  it('read the settings every hour, and when those of an open folder change', async () => {
    const { alarms, add, state, clock, files } = scene();
    add('-open', 'a', 1, join(root, 'open'));
    const look = async (ms: number): Promise<number> => {
      clock.advance(ms);
      await alarms.look();
      return state.reads;
    };
    assert.equal(await look(0), 1);
    for (let time = 0; time < 20; time++) assert.equal(await look(60_000), 1);
    files.stamps.set(join(root, 'open', '.claude', 'settings.json'), stampOf(5));
    assert.equal(await look(60_000), 2);
    assert.equal(await look(3_600_000), 3);
  });

  it('are sent when they change, and not otherwise', async () => {
    const { alarms, sent, state, clock } = scene();
    const look = (): Promise<void> => {
      clock.advance(1_600);
      return alarms.look();
    };
    await look();
    await look();
    assert.deepEqual(sent, [{ revision: 1, alarms: [], expiring: [] }]);
    const { path, id } = transcript('-open', 'a');
    const session = { provider: 'claude', id, path } as const;
    const cwd = join(root, 'open');
    state.savings = {
      unsaved: [{ cause: 'deleted', session, pid: 4, cwd, startedMs: 5 }],
      shared: [{ session, pids: [4, 7], cwd: join(root, 'far') }],
    };
    await look();
    await look();
    assert.equal(sent.length, 2);
    assert.deepEqual(
      last(sent).alarms.map(({ kind, keys, isOfWindow }) => [kind, keys[0]?.id, keys[0]?.topic, isOfWindow]),
      [
        ['unsaved', 'unsaved/deleted/a/4-5', 'unsaved/deleted/a', true],
        ['two-writers', 'two-writers/a/4-7', 'two-writers/a', true],
      ],
    );
    state.savings = NOTHING;
    await look();
    assert.deepEqual(last(sent).alarms, []);
    alarms.close();
    state.savings = { unsaved: [{ cause: 'deleted', session, pid: 4, cwd, startedMs: 5 }], shared: [] };
    await look();
    assert.equal(sent.length, 3);
  });
});

describe('What the person was told', () => {
  const key = (id: string, topic = id, pauseMs = 0): AlarmKey => ({ id, topic, pauseMs });
  let folder: string;
  let nowMs = 0;

  beforeEach(async () => {
    nowMs = 1_000_000;
    folder = await mkdtemp(join(tmpdir(), 'rethread-told-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const open = (warnings: string[] = []): ToldAlarms =>
    new ToldAlarms({ folder, now: () => nowMs, warn: (message) => void warnings.push(message) });

  it('is told by one of several windows, once, also after a restart', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => open().claim([key('a'), key('b')])));
    assert.deepEqual(answers.flat().sort(), ['a', 'b']);
    assert.deepEqual(await open().claim([key('a'), key('c')]), ['c']);
  });

  it('is not told again once its topic was dismissed', async () => {
    await open().dismiss('deleted');
    assert.deepEqual(await open().claim([key('1', 'deleted'), key('2', 'other')]), ['2']);
  });

  it('is told together, and then not again for a while', async () => {
    const told = open();
    assert.deepEqual(await told.claim([key('1', 'old', DAY_MS), key('2', 'old', DAY_MS)]), ['1', '2']);
    nowMs += DAY_MS - 1;
    assert.deepEqual(await told.claim([key('3', 'old', DAY_MS)]), []);
    nowMs += 1;
    assert.deepEqual(await told.claim([key('3', 'old', DAY_MS)]), ['3']);
  });

  it('is told without a folder, with a damaged file, and with a file of a later version, which stays', async () => {
    const none = new ToldAlarms({ folder: null, now: () => nowMs, warn: (message) => assert.fail(message) });
    assert.deepEqual(await none.claim([key('a')]), ['a']);
    assert.deepEqual(await none.claim([key('a')]), []);
    const file = join(folder, 'alarms.json');
    await writeFile(file, '{"version":1,"told":{"a":[1');
    assert.deepEqual(await open().claim([key('a')]), ['a']);
    const later = '{"version":2,"told":{"a":true}}';
    await writeFile(file, later);
    const warnings: string[] = [];
    const told = open(warnings);
    assert.deepEqual([await told.claim([key('a')]), await told.claim([key('a')])], [['a'], []]);
    assert.equal(await readFile(file, 'utf8'), later);
    assert.equal(warnings.length, 1);
  });
});

import assert from 'node:assert/strict';
import { sessionRefOf } from '../../rooms/format';
import { SessionAlarms } from '../../rooms/sessions';
import type { Alarm, AlarmsSnapshot } from '../../../src/protocol/channels/alarms';
import { CONFIGURATION, createSessions, sessionsOf } from './createSessions';
import { CONFIG_DIR, settle } from './fakes';

const WORK = '/home/person/.claude-work';
const BOTH = { ...CONFIGURATION, extraConfigDirs: [WORK] };

const SHORT_RETENTION: Omit<Extract<Alarm, { kind: 'short-retention' }>, 'keys'> = {
  kind: 'short-retention',
  isOfWindow: false,
  folder: '/src/app',
  period: { days: 5, settingsPath: '/src/app/.claude/settings.json' },
  ownDays: 30,
};

/** A session in the main folder, and one in the folder of another account. */
async function createBoth() {
  const world = createSessions();
  world.events.configDirs = [CONFIG_DIR, WORK];
  const mine = world.add('-p', 'mine');
  const work = world.addConfigDir(WORK, 'work');
  await world.sessions.configure(BOTH);
  await world.sessions.current.scanAll();
  return { ...world, mine, work, atWork: `${WORK}/projects/-p/work.jsonl` };
}

const idsOf = (events: Parameters<typeof sessionsOf>[0]): string[] => sessionsOf(events).map(({ id }) => id);

describe('Sessions of several config folders', () => {
  it('are listed together, and each is scanned by the provider of its folder', async () => {
    const { events, engine, work, mine, atWork, configDirs } = await createBoth();
    assert.deepEqual(configDirs, [CONFIG_DIR, WORK]);
    assert.deepEqual(idsOf(events).sort(), ['mine', 'work']);
    assert.deepEqual([engine.scanned, work.scanned], [[mine], [atWork]]);
  });

  it('stay listed when another folder changes', async () => {
    const { sessions, events, work, atWork } = await createBoth();
    work.changes.set(atWork, { metadata: { title: 'Changed' } });
    await sessions.current.scanSession(sessionRefOf(atWork));
    assert.deepEqual(idsOf(events).sort(), ['mine', 'work']);
    assert.equal(sessionsOf(events).find(({ id }) => id === 'work')?.title, 'Changed');
  });

  it('run if the registry of their own folder says so', async () => {
    const { sessions, events, clock, work } = await createBoth();
    work.live = new Map([['work', 'busy']]);
    assert.deepEqual([...(await sessions.liveSessions())], ['work']);
    clock.advance(1000);
    await settle();
    clock.advance(1000);
    await settle();
    const states = sessionsOf(events).map(({ id, activity }) => [id, activity?.state ?? null]);
    assert.deepEqual(states.sort(), [
      ['mine', null],
      ['work', 'busy'],
    ]);
  });

  it('are repaired by the provider of their folder', async () => {
    const { sessions, engine, work, atWork } = await createBoth();
    await sessions.current.repair(sessionRefOf(atWork));
    assert.ok(work.log.includes(`repair ends: ${atWork}`));
    assert.ok(!engine.log.includes(`repair ends: ${atWork}`));
  });

  it('are listed although the folder of another account cannot be', async () => {
    const { sessions, events, engine, work } = await createBoth();
    work.findProblem = new Error('EACCES: permission denied');
    await sessions.current.scanAll();
    assert.ok(idsOf(events).includes('mine'));
    assert.equal(events.last.problem, null);
    assert.deepEqual(
      events.last.extraProblems?.map(({ configDir }) => configDir),
      [WORK],
    );
    work.findProblem = null;
    engine.findProblem = new Error('EACCES: permission denied');
    await sessions.current.scanAll();
    assert.ok(idsOf(events).includes('work'));
    assert.notEqual(events.last.problem, null);
    assert.deepEqual(events.last.extraProblems, []);
  });

  it('are listed although the folder of another account does not exist', async () => {
    const { sessions, events, add } = createSessions();
    events.configDirs = [CONFIG_DIR, WORK];
    add('-p', 'mine');
    await sessions.configure(BOTH);
    await sessions.current.scanAll();
    assert.deepEqual(idsOf(events), ['mine']);
    assert.deepEqual(events.last.extraProblems, [{ configDir: WORK, problem: null }]);
  });

  it('are looked for only in its projects, and a folder without any is said to be none', async () => {
    const { sessions, events, files, add, addConfigDir } = createSessions();
    events.configDirs = [CONFIG_DIR, WORK];
    add('-p', 'mine');
    const work = addConfigDir(WORK, 'work');
    files.stamps.delete(`${WORK}/projects`);
    await sessions.configure(BOTH);
    await sessions.current.scanAll();
    assert.deepEqual(idsOf(events), ['mine']);
    assert.deepEqual(work.scanned, []);
    const [{ configDir, problem } = { configDir: '', problem: null }] = events.last.extraProblems ?? [];
    assert.equal(configDir, WORK);
    assert.match(problem ?? '', /no folder “projects”/);
  });

  it('are neither listed nor missing while their folder is gone, as with a disk that was unplugged', async () => {
    const { sessions, events, files, work } = await createBoth();
    const before = [...files.stamps];
    for (const path of files.stamps.keys()) if (path.startsWith(WORK)) files.stamps.delete(path);
    const found = work.found.splice(0);
    await sessions.current.scanAll();
    assert.deepEqual(idsOf(events), ['mine']);
    assert.deepEqual(events.last.extraProblems, [{ configDir: WORK, problem: null }]);
    for (const [path, stamp] of before) files.stamps.set(path, stamp);
    work.found.push(...found);
    await sessions.current.scanAll();
    assert.deepEqual(idsOf(events).sort(), ['mine', 'work']);
  });

  it('are listed once if a folder is another one by a symbolic link, or has its projects', async () => {
    const { sessions, events, files, add, addConfigDir, configDirs } = createSessions();
    add('-p', 'mine');
    addConfigDir('/link', 'mine');
    addConfigDir('/shared', 'mine');
    files.links.set('/link', CONFIG_DIR);
    files.links.set('/shared/projects', `${CONFIG_DIR}/projects`);
    await sessions.configure({ ...CONFIGURATION, extraConfigDirs: ['/link', '/shared', CONFIG_DIR] });
    await sessions.current.scanAll();
    assert.deepEqual(configDirs, [CONFIG_DIR]);
    assert.deepEqual(idsOf(events), ['mine']);
  });

  it('of a folder that was added are listed without scanning the others again', async () => {
    const { sessions, events, engine, add, addConfigDir } = createSessions();
    events.configDirs = [CONFIG_DIR, WORK];
    add('-p', 'mine');
    addConfigDir(WORK, 'work');
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    engine.scanned.length = 0;
    await sessions.configure(BOTH);
    await sessions.current.scanAll();
    assert.deepEqual(idsOf(events).sort(), ['mine', 'work']);
    assert.deepEqual(engine.scanned, []);
  });

  it('of a folder that was removed send no more updates', async () => {
    const { sessions, events, clock, work } = await createBoth();
    await sessions.configure(CONFIGURATION);
    const count = events.updates.length;
    work.live = new Map([['work', 'busy']]);
    clock.advance(1000);
    await settle();
    assert.deepEqual(
      events.updates.slice(count).filter(({ configDir }) => configDir === WORK),
      [],
    );
    assert.deepEqual(sessions.configDirs, [CONFIG_DIR]);
  });

  it('are all judged anew when the client changes', async () => {
    const { sessions, installed, engine, work, mine, atWork } = await createBoth();
    installed.client = '2.1.200';
    engine.scanned.length = 0;
    work.scanned.length = 0;
    await sessions.configure(BOTH);
    await settle();
    assert.deepEqual([engine.scanned, work.scanned], [[mine], [atWork]]);
  });

  it('have alarms of their own, which are told together and end with their folder', async () => {
    const sent: ((snapshot: AlarmsSnapshot) => void)[] = [];
    const dirs: string[] = [];
    const { sessions, events } = createSessions({
      createAlarms: (context, send) => {
        dirs.push(context.configDir);
        sent.push((snapshot) => void send(snapshot));
        return new SessionAlarms({
          ...context,
          savings: { look: () => Promise.resolve({ unsaved: [], shared: [] }) },
          readRetention: () => assert.fail('It is not time to'),
          readExemption: () => assert.fail('It is not time to'),
          send,
        });
      },
    });
    await sessions.configure({ ...BOTH, cacheDir: null });
    assert.deepEqual(dirs, [CONFIG_DIR, WORK]);
    const snapshot = (id: string, sweptMs: number): AlarmsSnapshot => ({
      revision: 0,
      alarms: [{ ...SHORT_RETENTION, keys: [{ id: 'same', topic: 'same', pauseMs: 0 }] }],
      expiring: [{ provider: 'claude', id, path: `/${id}.jsonl`, alarmId: id, sweptMs }],
    });
    sent[0]?.(snapshot('mine', 2));
    sent[1]?.(snapshot('work', 1));
    assert.deepEqual(
      events.alarms.at(-1)?.expiring.map(({ id }) => id),
      ['work', 'mine'],
    );
    assert.equal(events.alarms.at(-1)?.alarms.length, 1);
    await sessions.configure({ ...CONFIGURATION, cacheDir: null });
    assert.deepEqual(
      events.alarms.at(-1)?.expiring.map(({ id }) => id),
      ['mine'],
    );
    assert.deepEqual(await sessions.current.claim([{ id: 'one', topic: 't', pauseMs: 0 }]), ['one']);
    await sessions.current.dismiss('t');
    assert.deepEqual(await sessions.current.claim([{ id: 'two', topic: 't', pauseMs: 0 }]), []);
  });

  it('keep their scans in the cache, each under its own path', async () => {
    const { cache, mine, atWork } = await createBoth();
    assert.deepEqual([...cache.scans.keys()].sort(), [mine, atWork].sort());
  });
});

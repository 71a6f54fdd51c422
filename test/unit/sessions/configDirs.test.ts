import assert from 'node:assert/strict';
import { sessionRefOf } from '../../rooms/format';
import { CONFIGURATION, createSessions, sessionsOf } from './createSessions';
import { CONFIG_DIR, settle } from './fakes';

const WORK = '/home/person/.claude-work';
const BOTH = { ...CONFIGURATION, extraConfigDirs: [WORK] };

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

  it('keep their scans in the cache, each under its own path', async () => {
    const { cache, mine, atWork } = await createBoth();
    assert.deepEqual([...cache.scans.keys()].sort(), [mine, atWork].sort());
  });
});

import assert from 'node:assert/strict';
import { closeGate, CONFIGURATION, createSessions, sessionsOf } from './createSessions';
import { CONFIG_DIR, settle, stampOf, transcript } from './fakes';

const HERE = { ...CONFIGURATION, workspaceFolders: ['/p'] };
const HERE_PROJECT = '-p';
const PROJECTS = `${CONFIG_DIR}/projects`;

/** A window on /p whose sessions were listed, with a session of that folder and one of another. */
async function watched(): Promise<
  ReturnType<typeof createSessions> & { readonly look: (ms: number) => Promise<void> }
> {
  const parts = createSessions();
  parts.add(HERE_PROJECT, 'here');
  parts.add('-elsewhere', 'far');
  for (const folder of [PROJECTS, `${PROJECTS}/${HERE_PROJECT}`, `${PROJECTS}/-elsewhere`]) touch(parts, folder, 1);
  await parts.sessions.configure(HERE);
  await parts.sessions.current.scanAll();
  parts.engine.scanned.length = 0;
  return { ...parts, look: (ms) => advance(parts, ms) };
}

/** A second at a time. */
async function advance({ clock }: Pick<ReturnType<typeof createSessions>, 'clock'>, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1000) {
    clock.advance(Math.min(left, 1000));
    await settle();
  }
}

function touch({ files }: ReturnType<typeof createSessions>, path: string, mtimeMs: number): void {
  files.stamps.set(path, { ...stampOf(mtimeMs), isFolder: true });
}

/** How often transcripts of running sessions were read. */
function readingsIn({ log, scannedGrowing }: ReturnType<typeof createSessions>['engine']): number {
  return scannedGrowing.length + log.filter((line) => line.startsWith('followed: ')).length;
}

describe('Sessions that nobody asks for again', () => {
  it('are scanned within a second where the window shows them, and within thirty elsewhere', async () => {
    const { engine, files, look } = await watched();
    const [here, far] = [transcript(HERE_PROJECT, 'here').path, transcript('-elsewhere', 'far').path];
    for (const path of [here, far]) files.stamps.set(path, stampOf(9));
    await look(1000);
    assert.deepEqual(engine.scanned, [here]);
    await look(29_000);
    assert.deepEqual(engine.scanned, [here, far]);
  });

  it('are asked a few at a time where the window does not show them, and all of them within thirty seconds', async () => {
    const parts = await watched();
    const paths = Array.from({ length: 300 }, (_, at) => parts.add('-elsewhere', `far${at}`));
    await parts.sessions.current.scanAll();
    await parts.look(1000);
    const asked: string[] = [];
    const stampNow = parts.files.stampNow.bind(parts.files);
    parts.files.stampNow = (path) => {
      asked.push(path);
      return stampNow(path);
    };
    let most = 0;
    for (let second = 0; second < 29; second++) {
      const before = asked.length;
      await parts.look(1000);
      most = Math.max(most, asked.length - before);
    }
    for (const path of paths) assert.ok(asked.includes(path), path);
    assert.ok(most < 40, `${most} questions in one look`);
  });

  it('are shown as missing within thirty seconds if transcripts elsewhere go, or whole folders', async () => {
    const parts = await watched();
    const { path } = transcript('-elsewhere', 'far');
    parts.files.stamps.delete(path);
    parts.engine.found = parts.engine.found.filter((each) => each.path !== path);
    await parts.look(29_000);
    assert.deepEqual(
      sessionsOf(parts.events).map(({ id, health }) => [id, health]),
      [
        ['here', 'healthy'],
        ['far', 'missing'],
      ],
    );
  });

  it('appear within thirty seconds if they are new elsewhere', async () => {
    const parts = await watched();
    await parts.look(29_000);
    parts.add('-elsewhere', 'new');
    touch(parts, `${PROJECTS}/-elsewhere`, 5);
    await parts.look(29_000);
    assert.ok(sessionsOf(parts.events).some(({ id }) => id === 'new'));
  });

  it('appear although they were new just after their folder was listed for the first time', async () => {
    const parts = await watched();
    for (const [name, folder] of [
      ['new', '-elsewhere'],
      ['newHere', HERE_PROJECT],
    ] as const) {
      parts.add(folder, name);
      touch(parts, `${PROJECTS}/${folder}`, parts.clock.now());
    }
    await parts.look(29_000);
    const ids = sessionsOf(parts.events).map(({ id }) => id);
    assert.deepEqual(ids.sort(), ['far', 'here', 'new', 'newHere']);
  });

  it('appear within thirty seconds in a folder without sessions, and within a second in that of an open folder', async () => {
    for (const [folder, ms] of [
      ['-empty', 29_000],
      ['-open', 1000],
    ] as const) {
      const parts = createSessions();
      parts.add('-elsewhere', 'far');
      for (const each of [PROJECTS, `${PROJECTS}/-elsewhere`, `${PROJECTS}/${folder}`]) touch(parts, each, 1);
      parts.files.folders.set(PROJECTS, ['-elsewhere', folder]);
      await parts.sessions.configure({ ...CONFIGURATION, workspaceFolders: ['/open'] });
      await parts.sessions.current.scanAll();
      await advance(parts, 29_000);
      parts.add(folder, 'first');
      touch(parts, `${PROJECTS}/${folder}`, 5);
      await advance(parts, ms);
      assert.ok(sessionsOf(parts.events).some(({ id }) => id === 'first'));
    }
  });

  it('appear within thirty seconds in a folder that was made without any', async () => {
    const parts = await watched();
    await parts.look(29_000);
    parts.files.folders.set(PROJECTS, [HERE_PROJECT, '-elsewhere', '-late']);
    for (const each of [PROJECTS, `${PROJECTS}/-late`]) touch(parts, each, parts.clock.now());
    await parts.look(5000);
    parts.add('-late', 'first');
    touch(parts, `${PROJECTS}/-late`, parts.clock.now());
    await parts.look(29_000);
    assert.ok(sessionsOf(parts.events).some(({ id }) => id === 'first'));
  });

  it('are scanned within thirty seconds although there were none at first', async () => {
    const parts = createSessions();
    touch(parts, PROJECTS, 1);
    await parts.sessions.configure(HERE);
    await parts.sessions.current.scanAll();
    await advance(parts, 5000);
    const path = parts.add('-elsewhere', 'first');
    parts.files.folders.set(PROJECTS, ['-elsewhere']);
    for (const each of [PROJECTS, `${PROJECTS}/-elsewhere`]) touch(parts, each, parts.clock.now());
    await advance(parts, 5000);
    assert.ok(sessionsOf(parts.events).some(({ id }) => id === 'first'));
    parts.engine.scanned.length = 0;
    parts.files.stamps.set(path, stampOf(9));
    await advance(parts, 29_000);
    assert.deepEqual(parts.engine.scanned, [path]);
  });

  it('are neither scanned nor sent while they do not change', async () => {
    const { engine, events, look } = await watched();
    // What they do, and what the API would refuse, is found out once.
    await look(10_000);
    assert.equal(engine.judged.length, 1);
    const sent = events.snapshots.length;
    await look(65_000);
    assert.deepEqual(engine.scanned, []);
    assert.equal(engine.judged.length, 1);
    assert.equal(events.snapshots.length, sent);
  });

  it('are looked at every eight seconds while no view is visible, those elsewhere not at all, and all at once afterwards', async () => {
    const { sessions, engine, files, look } = await watched();
    const focus = { active: [], visible: [], background: [] };
    const [here, far] = [transcript(HERE_PROJECT, 'here').path, transcript('-elsewhere', 'far').path];
    await sessions.prioritise({ ...focus, isHidden: true });
    await look(1000);
    for (const path of [here, far]) files.stamps.set(path, stampOf(9));
    await look(5000);
    assert.deepEqual(engine.scanned, []);
    await look(4000);
    assert.deepEqual(engine.scanned, [here]);
    await look(60_000);
    assert.deepEqual(engine.scanned, [here]);
    await sessions.prioritise(focus);
    await look(1000);
    assert.deepEqual(engine.scanned, [here, far]);
  });

  it('are looked at in turns where each question takes long, so that nothing waits', async () => {
    const parts = await watched();
    const names = Array.from({ length: 20 }, (_, at) => `slow${at}`);
    for (const name of names) parts.add(HERE_PROJECT, name);
    await parts.sessions.current.scanAll();
    await parts.look(2000);
    parts.engine.scanned.length = 0;
    const stampNow = parts.files.stampNow.bind(parts.files);
    let asked = 0;
    parts.files.stampNow = (path) => {
      if (path.endsWith('.jsonl')) {
        asked++;
        parts.clock.pass(50);
      }
      return stampNow(path);
    };
    const path = transcript(HERE_PROJECT, 'slow19').path;
    parts.files.stamps.set(path, stampOf(9));
    await parts.look(1000);
    assert.ok(asked > 0 && asked < 6, `${asked} questions in one look`);
    await parts.look(12_000);
    assert.deepEqual(parts.engine.scanned, [path]);
  });

  it('are all looked at when the person comes back to the window', async () => {
    const { sessions, engine, files, look } = await watched();
    const focus = { active: [], visible: [], background: [] };
    await sessions.prioritise({ ...focus, isAway: true });
    files.stamps.set(transcript('-elsewhere', 'far').path, stampOf(9));
    await look(2000);
    assert.deepEqual(engine.scanned, []);
    await sessions.prioritise({ ...focus, isAway: false });
    await look(1000);
    assert.deepEqual(engine.scanned, [transcript('-elsewhere', 'far').path]);
  });

  it('are listed again by one window only, which tells the others what has changed', async () => {
    const { engine, files, look, walk, add } = await watched();
    const far = transcript('-elsewhere', 'far').path;
    walk.isOwn = false;
    files.stamps.set(far, stampOf(9));
    await look(65_000);
    assert.deepEqual(engine.scanned, []);
    walk.tell([far, transcript(HERE_PROJECT, 'here').path]);
    await look(1000);
    assert.deepEqual(engine.scanned, [far]);
    const created = add('-elsewhere', 'new');
    walk.tell([created]);
    await look(1000);
    assert.deepEqual(engine.scanned, [far, created]);
    files.stamps.set(far, stampOf(10));
    walk.tell(null);
    await look(1000);
    assert.deepEqual(engine.scanned, [far, created, far]);
  });

  it('are left to the window that walks if they run elsewhere, until it calls, or for six seconds', async () => {
    const { engine, files, look, walk } = await watched();
    const [here, far] = [transcript(HERE_PROJECT, 'here').path, transcript('-elsewhere', 'far').path];
    engine.live = new Map([['far', 'busy']]);
    await look(1000);
    [walk.isOwn, walk.isFollowing] = [false, true];
    await look(8000);
    const before = readingsIn(engine);
    for (const path of [here, far]) files.stamps.set(path, stampOf(9));
    await look(1000);
    assert.deepEqual([engine.scanned, readingsIn(engine) - before], [[here], 0]);
    walk.isCalled = true;
    await look(1000);
    assert.equal(readingsIn(engine) - before, 1);
    files.stamps.set(far, stampOf(10));
    await look(7000);
    assert.deepEqual([engine.scanned, readingsIn(engine) - before], [[here], 2]);
  });

  it('are looked at by each window again as soon as none walks any more', async () => {
    const { engine, files, look, walk } = await watched();
    const far = transcript('-elsewhere', 'far').path;
    engine.live = new Map([['far', 'busy']]);
    [walk.isOwn, walk.isFollowing] = [false, true];
    await look(8000);
    const before = readingsIn(engine);
    walk.isFollowing = false;
    files.stamps.set(far, stampOf(9));
    await look(1000);
    assert.equal(readingsIn(engine) - before, 1);
  });

  it('make the window that walks call the others when one that runs has changed, or something else runs', async () => {
    const { engine, files, look, walk } = await watched();
    await look(2000);
    const before = walk.callCount;
    files.stamps.set(transcript(HERE_PROJECT, 'here').path, stampOf(9));
    await look(1000);
    assert.equal(walk.callCount, before, 'nobody else shows it');
    engine.live = new Map([['far', 'busy']]);
    await look(1000);
    assert.equal(walk.callCount, before + 1);
    files.stamps.set(transcript('-elsewhere', 'far').path, stampOf(9));
    await look(1000);
    assert.equal(walk.callCount, before + 2);
    engine.live = new Map();
    await look(1000);
    assert.equal(walk.callCount, before + 3);
  });

  it('are listed at once although a long scan is going on', async () => {
    const { sessions, engine, add, look, walk, files } = await watched();
    walk.isOwn = false;
    const open = closeGate(engine);
    const all = sessions.current.scanAll({ rescanUnchanged: true });
    await settle();
    add(HERE_PROJECT, 'new');
    files.stamps.set(`${PROJECTS}/${HERE_PROJECT}`, { ...stampOf(7), isFolder: true });
    await look(1000);
    assert.deepEqual(new Set(engine.scanned).has(transcript(HERE_PROJECT, 'new').path), false, 'all places are taken');
    open();
    await all;
    await look(1000);
    assert.ok(engine.scanned.includes(transcript(HERE_PROJECT, 'new').path));
  });

  it('are left to another window while no view is visible', async () => {
    const { sessions, walk } = await watched();
    await sessions.prioritise({ active: [], visible: [], background: [], isHidden: true });
    await sessions.prioritise({ active: [], visible: [], background: [], isHidden: true });
    assert.equal(walk.resignedCount, 1);
  });

  it('are told to other windows when this one has found a new state', async () => {
    const { files, look, walk } = await watched();
    await look(2000);
    walk.noted.length = 0;
    const here = transcript(HERE_PROJECT, 'here').path;
    files.stamps.set(here, stampOf(9));
    await look(1000);
    assert.deepEqual([...new Set(walk.noted)], [here]);
  });

  it('are looked at although the clock was set back by a day', async () => {
    const { engine, clock, files, look } = await watched();
    const [here, far] = [transcript(HERE_PROJECT, 'here').path, transcript('-elsewhere', 'far').path];
    files.stamps.set(here, stampOf(9));
    await look(1000);
    clock.setBack(24 * 3_600_000);
    files.stamps.set(here, stampOf(10));
    files.stamps.set(far, stampOf(10));
    await look(2000);
    assert.deepEqual(engine.scanned, [here, here, far]);
  });

  it('appear within a second if they are new, and show no progress', async () => {
    const parts = await watched();
    const before = parts.events.snapshots.length;
    parts.add(HERE_PROJECT, 'new');
    touch(parts, `${PROJECTS}/${HERE_PROJECT}`, 5);
    await parts.look(2000);
    assert.deepEqual(
      sessionsOf(parts.events)
        .map(({ id }) => id)
        .sort(),
      ['far', 'here', 'new'],
    );
    for (const { phase } of parts.events.snapshots.slice(before)) assert.equal(phase.kind, 'idle');
  });

  it('appear within a second if they are the first of a new project', async () => {
    const parts = await watched();
    parts.add('-p-below', 'first');
    touch(parts, PROJECTS, 5);
    await parts.look(2000);
    assert.ok(sessionsOf(parts.events).some(({ id }) => id === 'first'));
  });

  it('are shown as missing within a second if their transcripts go', async () => {
    const parts = await watched();
    const { path } = transcript(HERE_PROJECT, 'here');
    parts.files.stamps.delete(path);
    parts.engine.found = parts.engine.found.filter((each) => each.path !== path);
    touch(parts, `${PROJECTS}/${HERE_PROJECT}`, 5);
    await parts.look(2000);
    assert.deepEqual(
      sessionsOf(parts.events).map(({ id, health }) => [id, health]),
      [
        ['here', 'missing'],
        ['far', 'healthy'],
      ],
    );
  });

  it('rest after a scan of a large transcript', async () => {
    const { engine, files, look } = await watched();
    const { path } = transcript(HERE_PROJECT, 'here');
    const large = 500_000_000;
    for (let second = 1; second <= 20; second++) {
      files.stamps.set(path, stampOf(10 + second, large + second));
      await look(1000);
    }
    assert.equal(engine.scanned.length, 1);
    await look(40_000);
    assert.equal(engine.scanned.length, 2);
  });

  it('are left alone by a window that has ended', async () => {
    const { sessions, engine, files, look } = await watched();
    await sessions.drain();
    files.stamps.set(transcript(HERE_PROJECT, 'here').path, stampOf(9));
    await look(60_000);
    assert.deepEqual(engine.scanned, []);
  });
});

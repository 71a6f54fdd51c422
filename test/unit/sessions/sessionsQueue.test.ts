import assert from 'node:assert/strict';
import { Deferred } from '../../rooms/util';
import { closeGate, CONFIGURATION, createSessions, sessionsOf } from './createSessions';
import { scanOf, settle, stampOf, transcript } from './fakes';
import { sessionRefOf } from '../../rooms/format';

const WINDOW = { ...CONFIGURATION, workspaceFolders: ['/src/app'] };
const NOTHING = { active: [], visible: [], background: [] };

describe('The session queue under load', () => {
  it('shows and scans the sessions of the workspace before everything is listed', async () => {
    const { sessions, engine, events, add } = createSessions();
    const mine = add('-src-app', 'mine');
    const late = new Deferred<void>();
    engine.listingGates.set(add('-z', 'late'), late.promise);
    await sessions.configure(WINDOW);
    const scan = sessions.current.scanAll();
    await settle();
    assert.deepEqual(engine.scanned, [mine]);
    assert.equal(events.last.phase.kind, 'discovering');
    late.resolve();
    await scan;
    assert.equal(sessionsOf(events).length, 2);
  });

  it('answers at once about a session that is waiting or not yet listed', async () => {
    const { sessions, engine, add } = createSessions();
    const listed = add('-p', 'listed');
    const hidden = add('-z', 'hidden');
    engine.listingGates.set(hidden, new Promise(() => undefined));
    await sessions.configure(CONFIGURATION);
    void sessions.current.scanAll();
    await settle();
    assert.deepEqual(engine.scanned, []);
    assert.equal((await sessions.current.details(sessionRefOf(hidden))).metadata.title, 'Title of hidden');
    assert.equal((await sessions.current.details(sessionRefOf(listed))).metadata.title, 'Title of listed');
  });

  it('scans the rest of the disk, too, when the listing takes long', async () => {
    const { sessions, engine, clock, add } = createSessions();
    const listed = add('-p', 'listed');
    engine.listingGates.set(add('-z', 'late'), new Promise(() => undefined));
    await sessions.configure(CONFIGURATION);
    void sessions.current.scanAll();
    await settle();
    assert.deepEqual(engine.scanned, []);
    clock.advance(5000);
    await settle();
    assert.deepEqual(engine.scanned, [listed]);
  });

  it('brings a session forward when a person requests its details', async () => {
    const { sessions, engine, add } = createSessions();
    for (const [at, name] of ['a', 'b', 'c', 'd'].entries()) add('-p', name, 100 - at);
    const open = closeGate(engine);
    await sessions.configure({ ...CONFIGURATION, scanConcurrency: 1 });
    const scan = sessions.current.scanAll();
    await settle();
    const asked = sessions.current.details(sessionRefOf(transcript('-p', 'd').path));
    await settle();
    open();
    await Promise.all([scan, asked]);
    assert.deepEqual(
      engine.scanned,
      ['a', 'd', 'b', 'c'].map((name) => transcript('-p', name).path),
    );
  });

  it('re-prioritises jobs when the person switches to another session', async () => {
    const { sessions, engine, add } = createSessions();
    const paths = ['a', 'b', 'c', 'd'].map((name, at) => add('-p', name, 100 - at));
    const [a = '', b = '', c = '', d = ''] = paths;
    const open = closeGate(engine);
    await sessions.configure({ ...CONFIGURATION, scanConcurrency: 1 });
    await sessions.prioritise({ ...NOTHING, visible: [b] });
    const scan = sessions.current.scanAll();
    await settle();
    await sessions.prioritise({ ...NOTHING, active: [d], background: [c] });
    open();
    await scan;
    assert.deepEqual(engine.scanned, [b, d, c, a]);
  });

  it('scans the sessions of a newly opened folder first', async () => {
    const { sessions, engine, add } = createSessions();
    const [a, b] = [add('-p', 'a', 9), add('-p', 'b', 8)];
    const mine = add('-src-app', 'mine', 1);
    const open = closeGate(engine);
    await sessions.configure({ ...CONFIGURATION, scanConcurrency: 1 });
    const scan = sessions.current.scanAll();
    await settle();
    await sessions.configure({ ...WINDOW, scanConcurrency: 1 });
    open();
    await scan;
    assert.deepEqual(engine.scanned, [a, mine, b]);
  });

  it('never scans a session while it is being repaired', async () => {
    const { sessions, engine, files, add } = createSessions();
    const path = add('-p', 'a');
    await sessions.configure({ ...CONFIGURATION, scanConcurrency: 4 });
    await sessions.current.scanAll();
    engine.log.length = 0;
    const gate = new Deferred<void>();
    engine.repairGate = gate.promise;
    const repair = sessions.current.repair(sessionRefOf(path));
    await settle();
    files.stamps.set(path, stampOf(5));
    const others = [
      sessions.current.scanAll(),
      sessions.current.scanSession(sessionRefOf(path)),
      sessions.current.details(sessionRefOf(path)),
    ];
    await settle();
    gate.resolve();
    await Promise.all([repair, ...others]);
    assert.deepEqual(engine.log.slice(0, 2), [`repair begins: ${path}`, `repair ends: ${path}`]);
    const kinds = engine.log.map((line) => line.split(' ')[1]);
    assert.deepEqual(
      kinds,
      kinds.map((_, at) => (at % 2 === 0 ? 'begins:' : 'ends:')),
    );
  });

  it('runs no more scans at once than configured', async () => {
    const { sessions, engine, add } = createSessions();
    for (let at = 0; at < 20; at++) add('-p', `s${at}`);
    let most = 0;
    let running = 0;
    const scan = engine.scan.bind(engine);
    engine.scan = async (...args) => {
      most = Math.max(most, ++running);
      const result = await scan(...args);
      await settle();
      running--;
      return result;
    };
    await sessions.configure({ ...CONFIGURATION, scanConcurrency: 3 });
    await sessions.current.scanAll();
    assert.ok(most <= 3);
    assert.equal(engine.scanned.length, 20);
  });

  describe('before a session is scanned', () => {
    it('shows the metadata from the two ends of its transcript', async () => {
      const { sessions, engine, events, looks, add } = createSessions();
      const path = add('-p', 'a');
      looks.set(path, { title: 'Mend the login form', cwd: '/src/app', lastMessageMs: 77 });
      const open = closeGate(engine);
      await sessions.configure(CONFIGURATION);
      const scan = sessions.current.scanAll();
      await settle();
      await sessions.configure(CONFIGURATION);
      const [session] = sessionsOf(events);
      assert.deepEqual(
        [session?.title, session?.lastMessageMs, session?.health],
        ['Mend the login form', 77, 'unscanned'],
      );
      assert.equal(events.last.projects[0]?.cwd, '/src/app');
      open();
      await scan;
      assert.equal(sessionsOf(events)[0]?.title, 'Title of a');
    });

    it('treats it as urgent if its folder turns out to be in the workspace', async () => {
      const { sessions, engine, looks, add } = createSessions();
      const [a, b, c] = [add('-p', 'a', 9), add('-p', 'b', 8), add('-p', 'c', 7)];
      looks.set(c, { title: null, cwd: '/src/app/inside', lastMessageMs: null });
      const open = closeGate(engine);
      await sessions.configure({ ...WINDOW, scanConcurrency: 1 });
      const scan = sessions.current.scanAll();
      await settle();
      open();
      await scan;
      assert.deepEqual(engine.scanned, [a, c, b]);
    });
  });

  describe('with a cache', () => {
    it('does not scan unchanged sessions, and shows them at once', async () => {
      const { sessions, engine, events, cache, add } = createSessions();
      const [same, grown] = [add('-p', 'same'), add('-p', 'grown', 5)];
      cache.set(same, stampOf(1), scanOf(transcript('-p', 'same')));
      cache.set(grown, stampOf(4), scanOf(transcript('-p', 'grown')));
      await sessions.configure(CONFIGURATION);
      await sessions.current.scanAll();
      assert.deepEqual(engine.scanned, [grown]);
      assert.deepEqual(
        sessionsOf(events).map((session) => session.health),
        ['healthy', 'healthy'],
      );
    });

    it('keeps each result with the stamp from before the scan, and saves it', async () => {
      const { sessions, files, cache, engine, add } = createSessions();
      const path = add('-p', 'a');
      const open = closeGate(engine);
      await sessions.configure(CONFIGURATION);
      const scan = sessions.current.scanAll();
      await settle();
      files.stamps.set(path, stampOf(2, 2000));
      open();
      await scan;
      assert.deepEqual(cache.scans.get(path)?.stamp, stampOf(1));
      assert.equal(cache.saveCount, 1);
    });

    it('saves from time to time during a long scan', async () => {
      const { sessions, cache, engine, clock, add } = createSessions();
      add('-p', 'a');
      add('-p', 'b');
      await sessions.configure({ ...CONFIGURATION, scanConcurrency: 1 });
      const gate = new Deferred<void>();
      const scan = engine.scan.bind(engine);
      engine.scan = async (...args) => {
        if (engine.scanned.length > 0) await gate.promise;
        return scan(...args);
      };
      const all = sessions.current.scanAll();
      await settle();
      clock.advance(60_000);
      assert.equal(cache.saveCount, 1);
      gate.resolve();
      await all;
      assert.equal(cache.saveCount, 2);
    });

    it('drops deleted sessions', async () => {
      const { sessions, cache, engine, add } = createSessions();
      const path = add('-p', 'a');
      await sessions.configure(CONFIGURATION);
      await sessions.current.scanAll();
      engine.found = [];
      await sessions.current.scanSession(sessionRefOf(path));
      assert.equal(cache.scans.size, 0);
    });

    it('answers about a session that is not yet listed without a scan', async () => {
      const { sessions, cache, engine, add } = createSessions();
      const path = add('-p', 'a');
      cache.set(path, stampOf(1), scanOf(transcript('-p', 'a')));
      await sessions.configure(CONFIGURATION);
      assert.equal((await sessions.current.details(sessionRefOf(path))).metadata.title, 'Title of a');
      assert.deepEqual(engine.scanned, []);
    });

    it('keeps nothing if there is no cache folder', async () => {
      const { sessions, cache, add } = createSessions();
      add('-p', 'a');
      await sessions.configure({ ...CONFIGURATION, cacheDir: null });
      await sessions.current.scanAll();
      assert.equal(cache.scans.size, 0);
    });
  });

  describe('when it is drained', () => {
    it('lets a repair finish, answers its caller, keeps its results, and rejects all else', async () => {
      const { sessions, engine, cache, clock, add } = createSessions();
      const path = add('-p', 'a');
      const other = add('-p', 'b');
      await sessions.configure({ ...CONFIGURATION, scanConcurrency: 1 });
      await sessions.current.scanAll();
      const gate = new Deferred<void>();
      engine.repairGate = gate.promise;
      const ended: string[] = [];
      const repair = sessions.current.repair(sessionRefOf(path)).then(() => ended.push('repair'));
      const waiting = sessions.current.scanSession(sessionRefOf(other));
      await settle();
      const drained = sessions.drain().then(() => ended.push('drain'));
      await assert.rejects(waiting, /shutting down/);
      await assert.rejects(async () => sessions.current.scanAll(), /shutting down/);
      await assert.rejects(async () => sessions.current.repair(sessionRefOf(other)), /shutting down/);
      assert.deepEqual(ended, []);
      gate.resolve();
      await Promise.all([repair, drained]);
      assert.deepEqual(ended, ['repair', 'drain']);
      assert.equal(cache.saveCount, 2);
      const scanned = engine.scanned.length;
      engine.live = new Map([['b', 'busy']]);
      clock.advance(60_000);
      await settle();
      assert.equal(engine.scanned.length, scanned);
    });

    it('has nothing to do before it is configured', async () => {
      await createSessions().sessions.drain();
    });

    it('does not start the scans that a scan of everything has left', async () => {
      const { sessions, engine, add } = createSessions();
      for (const name of ['a', 'b', 'c']) add('-p', name);
      const open = closeGate(engine);
      await sessions.configure({ ...CONFIGURATION, scanConcurrency: 1 });
      const scan = sessions.current.scanAll();
      await settle();
      const drained = sessions.drain();
      open();
      await Promise.all([scan, drained]);
      assert.equal(engine.scanned.length, 1);
    });
  });

  it('aborts its scans, but not its repairs, when the config folder changes', async () => {
    const { sessions, engine, files, add } = createSessions();
    const [a, b] = [add('-p', 'a'), add('-p', 'b')];
    await sessions.configure({ ...CONFIGURATION, scanConcurrency: 4 });
    await sessions.current.scanAll();
    engine.log.length = 0;
    const open = closeGate(engine);
    const gate = new Deferred<void>();
    engine.repairGate = gate.promise;
    const scan = sessions.current.scanSession(sessionRefOf(a));
    const repair = sessions.current.repair(sessionRefOf(b));
    await settle();
    files.stamps.set('/elsewhere', { ...stampOf(0), isFolder: true });
    await sessions.configure({ ...CONFIGURATION, configDir: '/elsewhere' });
    open();
    gate.resolve();
    await assert.rejects(scan, { name: 'AbortError' });
    assert.equal((await repair).result.status, 'repaired');
    assert.ok(engine.log.includes(`repair ends: ${b}`));
    assert.ok(!engine.log.includes(`scan ends: ${a}`));
  });
});

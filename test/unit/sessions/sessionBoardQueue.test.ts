import assert from 'node:assert/strict';
import { Deferred } from '../../rooms/util';
import { closeGate, CONFIGURATION, createBoard, sessionsOf } from './createBoard';
import { scanOf, settle, stampOf, transcript } from './fakes';

const WINDOW = { ...CONFIGURATION, workspaceFolders: ['/src/app'] };
const NOTHING = { active: [], visible: [], background: [] };

describe('the session board, while there is much to do', () => {
  it('shows and scans what the window is about before everything is listed', async () => {
    const { board, engine, events, add } = createBoard();
    const mine = add('-src-app', 'mine');
    const late = new Deferred<void>();
    engine.listingGates.set(add('-z', 'late'), late.promise);
    await board.configure(WINDOW);
    const scan = board.current.scanAll();
    await settle();
    assert.deepEqual(engine.scanned, [mine]);
    assert.equal(events.last.phase.kind, 'discovering');
    late.resolve();
    await scan;
    assert.equal(sessionsOf(events).length, 2);
  });

  it('answers at once about a session that the listing has not come to, and that it has kept waiting', async () => {
    const { board, engine, add } = createBoard();
    const listed = add('-p', 'listed');
    const hidden = add('-z', 'hidden');
    engine.listingGates.set(hidden, new Promise(() => undefined));
    await board.configure(CONFIGURATION);
    void board.current.scanAll();
    await settle();
    assert.deepEqual(engine.scanned, []);
    assert.equal((await board.current.details(hidden)).metadata.title, 'Title of hidden');
    assert.equal((await board.current.details(listed)).metadata.title, 'Title of listed');
  });

  it('scans the rest of the disk, too, when the listing takes long', async () => {
    const { board, engine, clock, add } = createBoard();
    const listed = add('-p', 'listed');
    engine.listingGates.set(add('-z', 'late'), new Promise(() => undefined));
    await board.configure(CONFIGURATION);
    void board.current.scanAll();
    await settle();
    assert.deepEqual(engine.scanned, []);
    clock.advance(5000);
    await settle();
    assert.deepEqual(engine.scanned, [listed]);
  });

  it('brings forward what a person asks about', async () => {
    const { board, engine, add } = createBoard();
    for (const [at, name] of ['a', 'b', 'c', 'd'].entries()) add('-p', name, 100 - at);
    const open = closeGate(engine);
    await board.configure({ ...CONFIGURATION, scanConcurrency: 1 });
    const scan = board.current.scanAll();
    await settle();
    const asked = board.current.details(transcript('-p', 'd').filePath);
    await settle();
    open();
    await Promise.all([scan, asked]);
    assert.deepEqual(
      engine.scanned,
      ['a', 'd', 'b', 'c'].map((name) => transcript('-p', name).filePath),
    );
  });

  it('follows what the person turns to, and away from', async () => {
    const { board, engine, add } = createBoard();
    const paths = ['a', 'b', 'c', 'd'].map((name, at) => add('-p', name, 100 - at));
    const [a = '', b = '', c = '', d = ''] = paths;
    const open = closeGate(engine);
    await board.configure({ ...CONFIGURATION, scanConcurrency: 1 });
    await board.prioritise({ ...NOTHING, visible: [b] });
    const scan = board.current.scanAll();
    await settle();
    await board.prioritise({ ...NOTHING, active: [d], background: [c] });
    open();
    await scan;
    assert.deepEqual(engine.scanned, [b, d, c, a]);
  });

  it('scans first what belongs to a folder that is opened meanwhile', async () => {
    const { board, engine, add } = createBoard();
    const [a, b] = [add('-p', 'a', 9), add('-p', 'b', 8)];
    const mine = add('-src-app', 'mine', 1);
    const open = closeGate(engine);
    await board.configure({ ...CONFIGURATION, scanConcurrency: 1 });
    const scan = board.current.scanAll();
    await settle();
    await board.configure({ ...WINDOW, scanConcurrency: 1 });
    open();
    await scan;
    assert.deepEqual(engine.scanned, [a, mine, b]);
  });

  it('never scans a session while it repairs it', async () => {
    const { board, engine, files, add } = createBoard();
    const path = add('-p', 'a');
    await board.configure({ ...CONFIGURATION, scanConcurrency: 4 });
    await board.current.scanAll();
    engine.log.length = 0;
    const gate = new Deferred<void>();
    engine.repairGate = gate.promise;
    const repair = board.current.repair(path);
    await settle();
    files.stamps.set(path, stampOf(5));
    const others = [board.current.scanAll(), board.current.scanSession(path), board.current.details(path)];
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

  it('scans no more at once than it is told to', async () => {
    const { board, engine, add } = createBoard();
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
    await board.configure({ ...CONFIGURATION, scanConcurrency: 3 });
    await board.current.scanAll();
    assert.ok(most <= 3);
    assert.equal(engine.scanned.length, 20);
  });

  describe('before it has scanned a session', () => {
    it('shows what its two ends say', async () => {
      const { board, engine, events, looks, add } = createBoard();
      const path = add('-p', 'a');
      looks.set(path, { title: 'Mend the login form', cwd: '/src/app', lastMessageMs: 77 });
      const open = closeGate(engine);
      await board.configure(CONFIGURATION);
      const scan = board.current.scanAll();
      await settle();
      await board.configure(CONFIGURATION);
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

    it('takes one for urgent whose place turns out to be in the window', async () => {
      const { board, engine, looks, add } = createBoard();
      const [a, b, c] = [add('-p', 'a', 9), add('-p', 'b', 8), add('-p', 'c', 7)];
      looks.set(c, { title: null, cwd: '/src/app/inside', lastMessageMs: null });
      const open = closeGate(engine);
      await board.configure({ ...WINDOW, scanConcurrency: 1 });
      const scan = board.current.scanAll();
      await settle();
      open();
      await scan;
      assert.deepEqual(engine.scanned, [a, c, b]);
    });
  });

  describe('with what it kept', () => {
    it('scans nothing that has not changed since, and shows it at once', async () => {
      const { board, engine, events, cache, add } = createBoard();
      const [same, grown] = [add('-p', 'same'), add('-p', 'grown', 5)];
      cache.set(same, stampOf(1), scanOf(transcript('-p', 'same')));
      cache.set(grown, stampOf(4), scanOf(transcript('-p', 'grown')));
      await board.configure(CONFIGURATION);
      await board.current.scanAll();
      assert.deepEqual(engine.scanned, [grown]);
      assert.deepEqual(
        sessionsOf(events).map((session) => session.health),
        ['healthy', 'healthy'],
      );
    });

    it('keeps what it finds out, as the file was before its scan, and saves it', async () => {
      const { board, files, cache, engine, add } = createBoard();
      const path = add('-p', 'a');
      const open = closeGate(engine);
      await board.configure(CONFIGURATION);
      const scan = board.current.scanAll();
      await settle();
      files.stamps.set(path, stampOf(2, 2000));
      open();
      await scan;
      assert.deepEqual(cache.scans.get(path)?.stamp, stampOf(1));
      assert.equal(cache.saveCount, 1);
    });

    it('saves now and then while a scan goes on for long', async () => {
      const { board, cache, engine, clock, add } = createBoard();
      add('-p', 'a');
      add('-p', 'b');
      await board.configure({ ...CONFIGURATION, scanConcurrency: 1 });
      const gate = new Deferred<void>();
      const scan = engine.scan.bind(engine);
      engine.scan = async (...args) => {
        if (engine.scanned.length > 0) await gate.promise;
        return scan(...args);
      };
      const all = board.current.scanAll();
      await settle();
      clock.advance(60_000);
      assert.equal(cache.saveCount, 1);
      gate.resolve();
      await all;
      assert.equal(cache.saveCount, 2);
    });

    it('forgets what is gone', async () => {
      const { board, cache, engine, add } = createBoard();
      const path = add('-p', 'a');
      await board.configure(CONFIGURATION);
      await board.current.scanAll();
      engine.found = [];
      await board.current.scanSession(path);
      assert.equal(cache.scans.size, 0);
    });

    it('answers about a session that was not listed yet without a scan', async () => {
      const { board, cache, engine, add } = createBoard();
      const path = add('-p', 'a');
      cache.set(path, stampOf(1), scanOf(transcript('-p', 'a')));
      await board.configure(CONFIGURATION);
      assert.equal((await board.current.details(path)).metadata.title, 'Title of a');
      assert.deepEqual(engine.scanned, []);
    });

    it('keeps nothing where there is no place for it', async () => {
      const { board, cache, add } = createBoard();
      add('-p', 'a');
      await board.configure({ ...CONFIGURATION, cacheDir: null });
      await board.current.scanAll();
      assert.equal(cache.scans.size, 0);
    });
  });

  describe('when it is wound up', () => {
    it('lets a repair end, answers its caller, keeps what it found out, and refuses the rest', async () => {
      const { board, engine, cache, clock, add } = createBoard();
      const path = add('-p', 'a');
      const other = add('-p', 'b');
      await board.configure({ ...CONFIGURATION, scanConcurrency: 1 });
      await board.current.scanAll();
      const gate = new Deferred<void>();
      engine.repairGate = gate.promise;
      const ended: string[] = [];
      const repair = board.current.repair(path).then(() => ended.push('repair'));
      const waiting = board.current.scanSession(other);
      await settle();
      const drained = board.drain().then(() => ended.push('drain'));
      await assert.rejects(waiting, /wound up/);
      await assert.rejects(async () => board.current.scanAll(), /wound up/);
      await assert.rejects(async () => board.current.repair(other), /wound up/);
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
      await createBoard().board.drain();
    });

    it('begins nothing of what a scan of everything has left to do', async () => {
      const { board, engine, add } = createBoard();
      for (const name of ['a', 'b', 'c']) add('-p', name);
      const open = closeGate(engine);
      await board.configure({ ...CONFIGURATION, scanConcurrency: 1 });
      const scan = board.current.scanAll();
      await settle();
      const drained = board.drain();
      open();
      await Promise.all([scan, drained]);
      assert.equal(engine.scanned.length, 1);
    });
  });

  it('cuts its scans, and not its repairs, when the config folder is another one', async () => {
    const { board, engine, files, add } = createBoard();
    const [a, b] = [add('-p', 'a'), add('-p', 'b')];
    await board.configure({ ...CONFIGURATION, scanConcurrency: 4 });
    await board.current.scanAll();
    engine.log.length = 0;
    const open = closeGate(engine);
    const gate = new Deferred<void>();
    engine.repairGate = gate.promise;
    const scan = board.current.scanSession(a);
    const repair = board.current.repair(b);
    await settle();
    files.stamps.set('/elsewhere', { ...stampOf(0), isFolder: true });
    await board.configure({ ...CONFIGURATION, configDir: '/elsewhere' });
    open();
    gate.resolve();
    await assert.rejects(scan, { name: 'AbortError' });
    assert.equal((await repair).result.status, 'repaired');
    assert.ok(engine.log.includes(`repair ends: ${b}`));
    assert.ok(!engine.log.includes(`scan ends: ${a}`));
  });
});

import assert from 'node:assert/strict';
import { closeGate, CONFIGURATION, CORRUPTED, createBoard, sessionsOf } from './createBoard';
import { CONFIG_DIR, settle, stampOf } from './fakes';

describe('the session board', () => {
  it('lists everything before the first scan is done', async () => {
    const { board, engine, events, add } = createBoard();
    add('-p', 'a');
    const open = closeGate(engine);
    await board.configure(CONFIGURATION);
    const scan = board.current.scanAll();
    await settle();
    assert.deepEqual(events.last.phase, { kind: 'scanning', done: 0, total: 1 });
    assert.equal(sessionsOf(events)[0]?.health, 'unscanned');
    open();
    await scan;
    assert.deepEqual(events.last.phase, { kind: 'idle' });
    assert.equal(sessionsOf(events)[0]?.health, 'healthy');
  });

  it('scans workspace projects first, then the latest changed files', async () => {
    const { board, engine, add } = createBoard();
    const old = add('-other', 'old', 10);
    const late = add('-other', 'late', 900);
    const mine = add('-src-app', 'mine', 1);
    await board.configure({ ...CONFIGURATION, workspaceFolders: ['/src/app'], scanConcurrency: 1 });
    await board.current.scanAll();
    assert.deepEqual(engine.scanned, [mine, late, old]);
  });

  it('sends at most four snapshots a second while it scans, and the last one at once', async () => {
    const { board, events, add } = createBoard();
    for (let at = 0; at < 100; at++) add('-p', `s${at}`);
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    // The clock stands still: discovering, listed, idle.
    assert.deepEqual(
      events.snapshots.map((snapshot) => snapshot.phase.kind),
      ['discovering', 'scanning', 'idle'],
    );
    assert.equal(sessionsOf(events).filter((session) => session.health === 'healthy').length, 100);
  });

  it('numbers its snapshots upwards', async () => {
    const { board, events, add } = createBoard();
    add('-p', 'a');
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    await board.current.scanAll();
    const revisions = events.snapshots.map((snapshot) => snapshot.revision);
    assert.deepEqual(
      revisions,
      [...revisions].sort((a, b) => a - b),
    );
    assert.equal(new Set(revisions).size, revisions.length);
  });

  it('scans again only what changed, unless it is told to scan everything', async () => {
    const { board, engine, files, add } = createBoard();
    const same = add('-p', 'same');
    const grown = add('-p', 'grown');
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    engine.scanned.length = 0;
    files.stamps.set(grown, stampOf(2, 2000));
    await board.current.scanAll();
    assert.deepEqual(engine.scanned, [grown]);
    await board.current.scanAll({ rescanUnchanged: true });
    assert.deepEqual(engine.scanned.slice(1).sort(), [grown, same].sort());
  });

  it('scans again what was repaired elsewhere with its size and time kept', async () => {
    const { board, engine, files, add } = createBoard();
    const path = add('-p', 'a');
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    files.stamps.set(path, { ...stampOf(1), ctimeNs: 77n });
    await board.current.scanAll();
    assert.deepEqual(engine.scanned, [path, path]);
  });

  it('forgets sessions that are gone, and finds new ones', async () => {
    const { board, engine, events, add } = createBoard();
    add('-p', 'gone');
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    engine.found = [];
    add('-p', 'new');
    await board.current.scanAll();
    assert.deepEqual(
      sessionsOf(events).map((session) => session.sessionId),
      ['new'],
    );
  });

  it('forgets a session whose file vanished between the listing and its scan', async () => {
    const { board, engine, events, add } = createBoard();
    const path = add('-p', 'a');
    engine.changes.set(path, { result: { status: 'missing' } });
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    assert.deepEqual(sessionsOf(events), []);
  });

  it('lets a later scan of everything take the place of an earlier one', async () => {
    const { board, engine, files, events, add } = createBoard();
    const path = add('-p', 'a');
    const open = closeGate(engine);
    engine.changes.set(path, CORRUPTED);
    await board.configure(CONFIGURATION);
    const first = board.current.scanAll();
    await settle();
    engine.changes.delete(path);
    files.stamps.set(path, stampOf(2));
    const second = board.current.scanAll();
    await settle();
    open();
    await Promise.all([first, second]);
    assert.deepEqual(engine.scanned, [path, path]);
    assert.equal(sessionsOf(events)[0]?.health, 'healthy');
    assert.equal(events.snapshots.filter((snapshot) => snapshot.phase.kind === 'idle').length, 1);
  });

  it('waits for the scan that an earlier one began of a file that has not changed since', async () => {
    const { board, engine, events, add } = createBoard();
    const path = add('-p', 'a');
    const open = closeGate(engine);
    await board.configure(CONFIGURATION);
    const scans = [board.current.scanAll()];
    await settle();
    scans.push(board.current.scanAll());
    await settle();
    open();
    await Promise.all(scans);
    assert.deepEqual(engine.scanned, [path]);
    assert.equal(sessionsOf(events)[0]?.health, 'healthy');
  });

  it('scans a session once more that is asked for while its scan runs, and keeps what that one says', async () => {
    const { board, engine, events, add } = createBoard();
    const path = add('-p', 'a');
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    const open = closeGate(engine);
    engine.changes.set(path, CORRUPTED);
    const slow = board.current.scanSession(path);
    await settle();
    engine.changes.delete(path);
    const again = board.current.scanSession(path);
    open();
    assert.equal((await slow).result.status, 'corrupted');
    assert.equal((await again).result.status, 'healthy');
    assert.equal(sessionsOf(events)[0]?.health, 'healthy');
  });

  it('says why nothing could be listed, and keeps what it knew', async () => {
    const { board, engine, events, add } = createBoard();
    add('-p', 'a');
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    engine.findProblem = new Error('Failed to read the folder');
    await board.current.scanAll();
    assert.equal(events.last.problem, 'Failed to read the folder');
    assert.equal(sessionsOf(events).length, 1);
    assert.deepEqual(events.last.phase, { kind: 'idle' });
    engine.findProblem = null;
    await board.current.scanAll();
    assert.equal(events.last.problem, null);
  });

  it('tells a missing config folder from an empty one', async () => {
    const { board, files, events } = createBoard();
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    assert.equal(events.last.isFolderMissing, false);
    files.stamps.delete(CONFIG_DIR);
    await board.current.scanAll();
    assert.equal(events.last.isFolderMissing, true);
    assert.equal(events.last.problem, null);
  });

  it('says so when a file lies where the projects should', async () => {
    const { board, files, events } = createBoard();
    files.stamps.set(`${CONFIG_DIR}/projects`, stampOf(0));
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    assert.equal(events.last.problem, `${CONFIG_DIR}/projects is not a folder.`);
  });

  it('says why the projects cannot be listed', async () => {
    const { board, engine, events } = createBoard();
    const filePath = `${CONFIG_DIR}/projects`;
    engine.found = [{ filePath, sessionId: 'projects', projectFolder: CONFIG_DIR }];
    engine.changes.set(filePath, { result: { status: 'unreadable' }, problem: 'The folder may not be read.' });
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    assert.equal(events.last.problem, 'The folder may not be read.');
    assert.deepEqual(sessionsOf(events), []);
  });

  it('lists a project that cannot be listed as one that cannot be read, beside the others', async () => {
    const { board, engine, events, add } = createBoard();
    add('-p', 'a');
    const filePath = `${CONFIG_DIR}/projects/-secret`;
    engine.found.push({ filePath, sessionId: '-secret', projectFolder: `${CONFIG_DIR}/projects` });
    engine.changes.set(filePath, { result: { status: 'unreadable' }, metadata: { lastMessageMs: null } });
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    assert.deepEqual(
      events.last.projects.map((project) => [project.folder.split('/').at(-1), project.sessions[0]?.health]),
      [
        ['-p', 'healthy'],
        ['-secret', 'unreadable'],
      ],
    );
    assert.deepEqual(
      events.last.projects.map((project) => project.sessions[0]?.isProjectFolder),
      [undefined, true],
    );
  });

  it('shows a repaired session as repaired as soon as it is', async () => {
    const { board, engine, files, events, add } = createBoard();
    const path = add('-p', 'a');
    engine.changes.set(path, CORRUPTED);
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    assert.equal(sessionsOf(events)[0]?.health, 'corrupted');
    files.folders.set(`${CONFIG_DIR}/projects/-p`, ['a.jsonl', 'a.jsonl.backup-1750000000000']);
    await board.current.repair(path);
    assert.equal(sessionsOf(events)[0]?.health, 'repaired');
    assert.equal(sessionsOf(events)[0]?.hasBackup, true);
  });

  it('takes no other file beside a transcript for its backup', async () => {
    const { board, files, events, add } = createBoard();
    add('-p', 'a');
    const others = [
      'a.jsonl.backup-',
      'a.jsonl.backup-x',
      'b.jsonl.backup-1',
      'a.jsonl.backup-1.tmp',
      'a.backup-1',
      'a.jsonl',
    ];
    files.folders.set(`${CONFIG_DIR}/projects/-p`, others);
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    assert.equal(sessionsOf(events)[0]?.hasBackup, false);
  });

  it('answers details from what it knows, and scans first when the file changed', async () => {
    const { board, engine, files, add } = createBoard();
    const path = add('-p', 'a');
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    await board.current.details(path);
    assert.equal(engine.scanned.length, 1);
    files.stamps.set(path, stampOf(5));
    const details = await board.current.details(path);
    assert.equal(engine.scanned.length, 2);
    assert.equal(details.metadata.title, 'Title of a');
  });

  it('tells how a session ended that nobody runs', async () => {
    const { board, engine, ends, add } = createBoard();
    const [left, run] = [add('-p', 'left'), add('-p', 'run')];
    for (const path of [left, run]) ends.set(path, { kind: 'waitingOnTool', tools: ['Bash'] });
    engine.live = new Map([['run', 'busy']]);
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    assert.deepEqual((await board.current.details(left)).end, { kind: 'waitingOnTool', tools: ['Bash'] });
    const { live, end } = await board.current.details(run);
    assert.deepEqual([live, end], ['busy', null]);
  });

  it('sorts the projects anew when folders are opened, without a scan', async () => {
    const { board, engine, events, add } = createBoard();
    add('-src-app', 'a');
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    const isInWindow = () => events.last.projects[0]?.inWorkspace;
    assert.equal(isInWindow(), false);
    await board.configure({ ...CONFIGURATION, workspaceFolders: ['/src/app'] });
    assert.equal(isInWindow(), true);
    assert.equal(engine.scanned.length, 1);
  });

  it('starts from nothing when the config folder is another one', async () => {
    const { board, events, configDirs, files, engine, add } = createBoard();
    add('-p', 'a');
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    files.stamps.set('/elsewhere', { ...stampOf(0), isFolder: true });
    await board.configure({ ...CONFIGURATION, configDir: '/elsewhere' });
    engine.found = [];
    await board.current.scanAll();
    assert.deepEqual(configDirs, [CONFIG_DIR, '/elsewhere']);
    assert.deepEqual(sessionsOf(events), []);
  });

  it('drops a scan that still runs when the config folder changes', async () => {
    const { board, engine, events, add } = createBoard();
    add('-p', 'a');
    const open = closeGate(engine);
    await board.configure(CONFIGURATION);
    const scan = board.current.scanAll();
    await settle();
    const before = events.snapshots.length;
    await board.configure({ ...CONFIGURATION, configDir: '/elsewhere' });
    open();
    await scan;
    assert.equal(events.snapshots.length, before);
  });

  it('follows which sessions run, and reads on in one when its turn ends', async () => {
    const { board, engine, files, clock, events, add } = createBoard();
    const path = add('-p', 'a');
    engine.live = new Map([['a', 'busy']]);
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    assert.equal(sessionsOf(events)[0]?.live, 'busy');
    engine.live = new Map([['a', 'idle']]);
    files.stamps.set(path, stampOf(9));
    clock.advance(60_000);
    await settle();
    await settle();
    assert.equal(sessionsOf(events)[0]?.live, 'idle');
    assert.deepEqual(engine.log, [`followed: ${path}`, `followed: ${path}`]);
    assert.deepEqual(engine.scanned, []);
  });

  it('scans a session whole, and keeps what it says, once it runs no more', async () => {
    const { board, engine, files, clock, add } = createBoard();
    const path = add('-p', 'a');
    engine.live = new Map([['a', 'busy']]);
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    engine.live = new Map();
    files.stamps.set(path, stampOf(9));
    clock.advance(60_000);
    await settle();
    await settle();
    assert.deepEqual(engine.scanned, [path]);
  });

  it('scans a running session whole when it is too large to be followed', async () => {
    const { board, engine, files, add } = createBoard();
    const path = add('-p', 'a');
    files.stamps.set(path, { ...stampOf(1), size: 500 * 1024 * 1024 });
    engine.live = new Map([['a', 'busy']]);
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    assert.deepEqual(engine.scanned, [path]);
  });

  it('lists the sessions though nobody can tell which of them run', async () => {
    const { board, engine, events, add } = createBoard();
    add('-p', 'a');
    engine.liveSessions = () => Promise.reject(new Error('EACCES'));
    await board.configure(CONFIGURATION);
    await board.current.scanAll();
    assert.equal(sessionsOf(events).length, 1);
    assert.match(events.lines.join('\n'), /^warn: .*running/m);
  });

  it('refuses work before it is configured', async () => {
    const { board } = createBoard();
    await assert.rejects(async () => board.current.scanAll(), /config folder is not known/);
    await assert.rejects(async () => board.current.planRepair('/x.jsonl'), /config folder is not known/);
  });
});

import assert from 'node:assert/strict';
import { closeGate, CONFIGURATION, CORRUPTED, createSessions, sessionsOf } from './createSessions';
import { CONFIG_DIR, settle, stampOf } from './fakes';
import { sessionRefOf } from '../../rooms/format';

describe('Sessions', () => {
  it('lists everything before the first scan has finished', async () => {
    const { sessions, engine, events, add } = createSessions();
    add('-p', 'a');
    const open = closeGate(engine);
    await sessions.configure(CONFIGURATION);
    const scan = sessions.current.scanAll();
    await settle();
    assert.deepEqual(events.last.phase, { kind: 'scanning', done: 0, total: 1 });
    assert.equal(sessionsOf(events)[0]?.health, 'unscanned');
    open();
    await scan;
    assert.deepEqual(events.last.phase, { kind: 'idle' });
    assert.equal(sessionsOf(events)[0]?.health, 'healthy');
  });

  it('scans workspace projects first, then the most recently changed files', async () => {
    const { sessions, engine, add } = createSessions();
    const old = add('-other', 'old', 10);
    const late = add('-other', 'late', 900);
    const mine = add('-src-app', 'mine', 1);
    await sessions.configure({ ...CONFIGURATION, workspaceFolders: ['/src/app'], scanConcurrency: 1 });
    await sessions.current.scanAll();
    assert.deepEqual(engine.scanned, [mine, late, old]);
  });

  it('sends at most four snapshots a second while scanning, and the last one at once', async () => {
    const { sessions, events, add } = createSessions();
    for (let at = 0; at < 100; at++) add('-p', `s${at}`);
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    // The clock stands still: discovering, listed, idle.
    assert.deepEqual(
      events.snapshots.map((snapshot) => snapshot.phase.kind),
      ['discovering', 'scanning', 'idle'],
    );
    assert.equal(sessionsOf(events).filter((session) => session.health === 'healthy').length, 100);
  });

  it('numbers its snapshots in ascending order', async () => {
    const { sessions, events, add } = createSessions();
    add('-p', 'a');
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    await sessions.current.scanAll();
    const revisions = events.snapshots.map((snapshot) => snapshot.revision);
    assert.deepEqual(
      revisions,
      [...revisions].sort((a, b) => a - b),
    );
    assert.equal(new Set(revisions).size, revisions.length);
  });

  it('scans only changed sessions again, unless a scan of everything is requested', async () => {
    const { sessions, engine, files, add } = createSessions();
    const same = add('-p', 'same');
    const grown = add('-p', 'grown');
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    engine.scanned.length = 0;
    files.stamps.set(grown, stampOf(2, 2000));
    await sessions.current.scanAll();
    assert.deepEqual(engine.scanned, [grown]);
    await sessions.current.scanAll({ rescanUnchanged: true });
    assert.deepEqual(engine.scanned.slice(1).sort(), [grown, same].sort());
  });

  it('scans a session again after a repair elsewhere that kept its size and time', async () => {
    const { sessions, engine, files, add } = createSessions();
    const path = add('-p', 'a');
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    files.stamps.set(path, { ...stampOf(1), ctimeNs: 77n });
    await sessions.current.scanAll();
    assert.deepEqual(engine.scanned, [path, path]);
  });

  it('keeps deleted sessions on the list until they are taken off it, and finds new ones', async () => {
    const { sessions, engine, events, add } = createSessions();
    add('-p', 'gone');
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    engine.found = [];
    add('-p', 'new');
    await sessions.current.scanAll();
    assert.deepEqual(
      sessionsOf(events).map(({ id, health, activity, isAbsent = false }) => [id, health, activity?.state, isAbsent]),
      [
        ['gone', 'missing', 'missing', true],
        ['new', 'healthy', undefined, false],
      ],
    );
    const [gone] = sessionsOf(events);
    assert.ok(gone !== undefined);
    await sessions.current.forget(gone);
    assert.deepEqual(
      sessionsOf(events).map(({ id }) => id),
      ['new'],
    );
  });

  it('lists a session once whose transcript is found in another folder than its client works in', async () => {
    const { sessions, engine, events, clock, add } = createSessions();
    engine.unwritten.set('a', '/src/app');
    engine.live = new Map([['a', 'idle']]);
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    clock.advance(2_000);
    await settle();
    const path = add('-elsewhere', 'a');
    await sessions.current.scanAll();
    for (let second = 0; second < 3; second++) {
      clock.advance(1_000);
      await settle();
    }
    assert.deepEqual(
      sessionsOf(events).map((session) => session.path),
      [path],
    );
  });

  it('shows that a session of another folder has stopped', async () => {
    const { sessions, engine, events, clock, add } = createSessions();
    add('-elsewhere', 'far');
    engine.live = new Map([['far', 'busy']]);
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    const states: unknown[] = [];
    for (const live of [engine.live, new Map()]) {
      engine.live = live;
      for (let second = 0; second < 3; second++) {
        clock.advance(1_000);
        await settle();
      }
      states.push(sessionsOf(events)[0]?.activity?.state);
    }
    assert.deepEqual(states, ['busy', 'ended']);
  });

  it('goes on showing what the client of a session does whose transcript was deleted', async () => {
    const { sessions, engine, events, clock, add } = createSessions();
    add('-p', 'a');
    engine.live = new Map([['a', 'busy']]);
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    const shown = async () => {
      clock.advance(2_000);
      await settle();
      clock.advance(1_000);
      await settle();
      const [session] = sessionsOf(events);
      return [session?.health, session?.activity?.state];
    };
    assert.deepEqual(await shown(), ['healthy', 'busy']);
    engine.found = [];
    await sessions.current.scanAll();
    assert.deepEqual(await shown(), ['missing', 'busy']);
    engine.live = new Map();
    assert.deepEqual(await shown(), ['missing', 'missing']);
  });

  it('follows a transcript that moved to another folder instead of missing it', async () => {
    const { sessions, engine, events, add } = createSessions();
    add('-p', 'moved');
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    engine.found = [];
    const path = add('-other', 'moved');
    await sessions.current.scanAll();
    assert.deepEqual(
      sessionsOf(events).map((session) => [session.path, session.health]),
      [[path, 'healthy']],
    );
  });

  it('lists a running session before it has a transcript', async () => {
    const { sessions, engine, events, clock, add } = createSessions();
    engine.unwritten.set('new', '/src/app');
    engine.live = new Map([['new', 'idle']]);
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    clock.advance(2_000);
    await settle();
    const [listed] = sessionsOf(events);
    assert.deepEqual([listed?.id, listed?.activity?.state, listed?.isAbsent], ['new', 'idle', true]);
    engine.unwritten.clear();
    add('-src-app', 'new');
    await sessions.current.scanAll();
    assert.deepEqual(
      sessionsOf(events).map(({ id, health, isAbsent }) => [id, health, isAbsent]),
      [['new', 'healthy', undefined]],
    );
  });

  it('sees that a running session has written its transcript when its client tells before the folder is listed', async () => {
    const { sessions, engine, events, clock, add } = createSessions();
    engine.unwritten.set('new', '/src/app');
    engine.live = new Map([['new', 'idle']]);
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    clock.advance(2_000);
    await settle();
    engine.unwritten.clear();
    add('-src-app', 'new');
    engine.live = new Map([['new', 'busy']]);
    clock.advance(2_000);
    await settle();
    await sessions.current.scanAll();
    assert.deepEqual(
      sessionsOf(events).map(({ id, health, isAbsent }) => [id, health, isAbsent]),
      [['new', 'healthy', undefined]],
    );
  });

  it('does not take a transcript for unwritten that is listed while the running clients are asked', async () => {
    const { sessions, engine, events, clock, add } = createSessions();
    engine.unwritten.set('new', '/src/app');
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    engine.whileAsked = async () => {
      engine.whileAsked = () => Promise.resolve();
      add('-src-app', 'new');
      await sessions.current.scanAll();
    };
    engine.live = new Map([['new', 'idle']]);
    clock.advance(2_000);
    await settle();
    clock.advance(2_000);
    await settle();
    assert.deepEqual(
      sessionsOf(events).map(({ id, health, isAbsent }) => [id, health, isAbsent]),
      [['new', 'healthy', undefined]],
    );
  });

  it('drops a session whose client was killed before its first prompt, and left its record behind', async () => {
    const { sessions, engine, events, clock } = createSessions();
    engine.unwritten.set('new', '/src/app');
    engine.live = new Map([['new', 'idle']]);
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    clock.advance(2_000);
    await settle();
    const before = sessionsOf(events).length;
    engine.unwritten.clear();
    engine.live = new Map();
    engine.recorded = new Map([['new', 'killed']]);
    clock.advance(2_000);
    await settle();
    clock.advance(2_000);
    await settle();
    assert.deepEqual([before, sessionsOf(events)], [1, []]);
  });

  it('drops a session that ends without a prompt while the running clients are asked', async () => {
    const { sessions, engine, events, clock } = createSessions();
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    engine.whileAsked = async () => {
      engine.whileAsked = () => Promise.resolve();
      engine.unwritten.clear();
      engine.live = new Map();
      clock.advance(2_000);
      await settle();
    };
    engine.unwritten.set('new', '/src/app');
    engine.live = new Map([['new', 'idle']]);
    for (let times = 0; times < 6; times++) {
      clock.advance(2_000);
      await settle();
    }
    assert.deepEqual(sessionsOf(events), []);
  });

  it('drops a session whose file vanished between the listing and its scan', async () => {
    const { sessions, engine, events, add } = createSessions();
    const path = add('-p', 'a');
    engine.changes.set(path, { result: { status: 'missing' } });
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    assert.deepEqual(sessionsOf(events), []);
  });

  it('replaces an earlier scan of everything by a later one', async () => {
    const { sessions, engine, files, events, add } = createSessions();
    const path = add('-p', 'a');
    const open = closeGate(engine);
    engine.changes.set(path, CORRUPTED);
    await sessions.configure(CONFIGURATION);
    const first = sessions.current.scanAll();
    await settle();
    engine.changes.delete(path);
    files.stamps.set(path, stampOf(2));
    const second = sessions.current.scanAll();
    await settle();
    open();
    await Promise.all([first, second]);
    assert.deepEqual(engine.scanned, [path, path]);
    assert.equal(sessionsOf(events)[0]?.health, 'healthy');
    assert.equal(events.snapshots.filter((snapshot) => snapshot.phase.kind === 'idle').length, 1);
  });

  it('waits for a running scan of an unchanged file instead of starting another', async () => {
    const { sessions, engine, events, add } = createSessions();
    const path = add('-p', 'a');
    const open = closeGate(engine);
    await sessions.configure(CONFIGURATION);
    const scans = [sessions.current.scanAll()];
    await settle();
    scans.push(sessions.current.scanAll());
    await settle();
    open();
    await Promise.all(scans);
    assert.deepEqual(engine.scanned, [path]);
    assert.equal(sessionsOf(events)[0]?.health, 'healthy');
  });

  it('scans a session again if it is requested during its scan, and keeps the later result', async () => {
    const { sessions, engine, events, add } = createSessions();
    const path = add('-p', 'a');
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    const open = closeGate(engine);
    engine.changes.set(path, CORRUPTED);
    const slow = sessions.current.scanSession(sessionRefOf(path));
    await settle();
    engine.changes.delete(path);
    const again = sessions.current.scanSession(sessionRefOf(path));
    open();
    assert.equal((await slow).result.status, 'corrupted');
    assert.equal((await again).result.status, 'healthy');
    assert.equal(sessionsOf(events)[0]?.health, 'healthy');
  });

  it('reports why nothing could be listed, and keeps its sessions', async () => {
    const { sessions, engine, events, add } = createSessions();
    add('-p', 'a');
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    engine.findProblem = new Error('Failed to read the folder');
    await sessions.current.scanAll();
    assert.equal(events.last.problem, 'Failed to read the folder');
    assert.equal(sessionsOf(events).length, 1);
    assert.deepEqual(events.last.phase, { kind: 'idle' });
    engine.findProblem = null;
    await sessions.current.scanAll();
    assert.equal(events.last.problem, null);
  });

  it('distinguishes a missing config folder from an empty one', async () => {
    const { sessions, files, events } = createSessions();
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    assert.equal(events.last.isFolderMissing, false);
    files.stamps.delete(CONFIG_DIR);
    await sessions.current.scanAll();
    assert.equal(events.last.isFolderMissing, true);
    assert.equal(events.last.problem, null);
  });

  it('reports that the projects folder is a file', async () => {
    const { sessions, files, events } = createSessions();
    files.stamps.set(`${CONFIG_DIR}/projects`, stampOf(0));
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    assert.equal(events.last.problem, `${CONFIG_DIR}/projects is not a folder.`);
  });

  it('reports why the projects cannot be listed', async () => {
    const { sessions, engine, events } = createSessions();
    const filePath = `${CONFIG_DIR}/projects`;
    engine.found = [{ provider: 'claude', path: filePath, id: 'projects', projectFolder: CONFIG_DIR }];
    engine.changes.set(filePath, { result: { status: 'unreadable' }, problem: 'The folder may not be read.' });
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    assert.equal(events.last.problem, 'The folder may not be read.');
    assert.deepEqual(sessionsOf(events), []);
  });

  it('lists a project that cannot be listed as unreadable, beside the others', async () => {
    const { sessions, engine, events, add } = createSessions();
    add('-p', 'a');
    const filePath = `${CONFIG_DIR}/projects/-secret`;
    const folder = { projectFolder: filePath, isProjectFolder: true } as const;
    engine.found.push({ provider: 'claude', path: filePath, id: '-secret', ...folder });
    engine.changes.set(filePath, { result: { status: 'unreadable' }, metadata: { lastMessageMs: null } });
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
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

  it('shows a repaired session as repaired at once', async () => {
    const { sessions, engine, files, events, add } = createSessions();
    const path = add('-p', 'a');
    engine.changes.set(path, CORRUPTED);
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    assert.equal(sessionsOf(events)[0]?.health, 'corrupted');
    files.folders.set(`${CONFIG_DIR}/projects/-p`, ['a.jsonl', 'a.jsonl.backup-1750000000000']);
    await sessions.current.repair(sessionRefOf(path));
    assert.equal(sessionsOf(events)[0]?.health, 'repaired');
    assert.equal(sessionsOf(events)[0]?.hasBackup, true);
  });

  it('does not take another file beside a transcript for its backup', async () => {
    const { sessions, files, events, add } = createSessions();
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
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    assert.equal(sessionsOf(events)[0]?.hasBackup, false);
  });

  it('answers details from memory, and scans first if the file changed', async () => {
    const { sessions, engine, files, add } = createSessions();
    const path = add('-p', 'a');
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    await sessions.current.details(sessionRefOf(path));
    assert.equal(engine.scanned.length, 1);
    files.stamps.set(path, stampOf(5));
    const details = await sessions.current.details(sessionRefOf(path));
    assert.equal(engine.scanned.length, 2);
    assert.equal(details.metadata.title, 'Title of a');
  });

  it('reports how a session that is not running ended', async () => {
    const { sessions, engine, ends, add } = createSessions();
    const [left, run] = [add('-p', 'left'), add('-p', 'run')];
    for (const path of [left, run]) {
      const end = { kind: 'waitingOnTool', calls: [{ id: null, name: 'Bash', line: 1 }] } as const;
      ends.set(path, { end, isClosed: false, entrypoint: null, call: 'Bash' });
    }
    engine.live = new Map([['run', 'busy']]);
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    assert.deepEqual((await sessions.current.details(sessionRefOf(left))).end, {
      kind: 'waitingOnTool',
      tools: ['Bash'],
    });
    const { activity, end } = await sessions.current.details(sessionRefOf(run));
    assert.deepEqual([activity.state, end], ['busy', null]);
  });

  it('sorts the projects again when folders are opened, without a scan', async () => {
    const { sessions, engine, events, add } = createSessions();
    add('-src-app', 'a');
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    const isInWindow = () => events.last.projects[0]?.inWorkspace;
    assert.equal(isInWindow(), false);
    await sessions.configure({ ...CONFIGURATION, workspaceFolders: ['/src/app'] });
    assert.equal(isInWindow(), true);
    assert.equal(engine.scanned.length, 1);
  });

  it('starts empty when the config folder changes', async () => {
    const { sessions, events, configDirs, files, engine, add } = createSessions();
    add('-p', 'a');
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    files.stamps.set('/elsewhere', { ...stampOf(0), isFolder: true });
    await sessions.configure({ ...CONFIGURATION, configDir: '/elsewhere' });
    engine.found = [];
    await sessions.current.scanAll();
    assert.deepEqual(configDirs, [CONFIG_DIR, '/elsewhere']);
    assert.deepEqual(sessionsOf(events), []);
  });

  it('discards a running scan when the config folder changes', async () => {
    const { sessions, engine, events, add } = createSessions();
    add('-p', 'a');
    const open = closeGate(engine);
    await sessions.configure(CONFIGURATION);
    const scan = sessions.current.scanAll();
    await settle();
    const before = events.snapshots.length;
    await sessions.configure({ ...CONFIGURATION, configDir: '/elsewhere' });
    open();
    await scan;
    assert.equal(events.snapshots.length, before);
  });

  it('watches which sessions run, and reads the new rows of one when its turn ends', async () => {
    const { sessions, engine, files, clock, events, add } = createSessions();
    const path = add('-p', 'a');
    engine.live = new Map([['a', 'busy']]);
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    clock.advance(1_000);
    await settle();
    assert.equal(sessionsOf(events)[0]?.activity?.state, 'busy');
    engine.live = new Map([['a', 'idle']]);
    files.stamps.set(path, stampOf(9));
    clock.advance(60_000);
    await settle();
    await settle();
    clock.advance(1_000);
    await settle();
    assert.equal(sessionsOf(events)[0]?.activity?.state, 'idle');
    assert.deepEqual(engine.scannedGrowing, [path]);
    assert.deepEqual(
      engine.log.filter((line) => line.startsWith('followed: ')),
      [`followed: ${path}`],
    );
    assert.deepEqual(engine.scanned, []);
  });

  it('follows none of a hundred running sessions before one is read again', async () => {
    const { sessions, engine, add } = createSessions();
    const paths = Array.from({ length: 100 }, (_, at) => add('-p', `s${at}`));
    engine.live = new Map(paths.map((_, at) => [`s${at}`, 'idle']));
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    assert.deepEqual(new Set(engine.scannedGrowing), new Set(paths));
    assert.deepEqual(
      engine.log.filter((line) => line.startsWith('followed: ')),
      [],
    );
  });

  it('scans a session completely once it stops running, and keeps the result', async () => {
    const { sessions, engine, files, clock, add } = createSessions();
    const path = add('-p', 'a');
    engine.live = new Map([['a', 'busy']]);
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    engine.live = new Map();
    files.stamps.set(path, stampOf(9));
    clock.advance(60_000);
    await settle();
    await settle();
    assert.deepEqual(engine.scanned, [path]);
  });

  it('scans a running session each time that it grows if it is too large to be followed', async () => {
    const { sessions, engine, files, clock, add } = createSessions();
    const path = add('-p', 'a');
    files.stamps.set(path, { ...stampOf(1), size: 500 * 1024 * 1024 });
    engine.live = new Map([['a', 'busy']]);
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    files.stamps.set(path, { ...stampOf(9), size: 500 * 1024 * 1024 });
    clock.advance(1_000);
    await settle();
    await settle();
    assert.deepEqual([engine.scannedGrowing, engine.scanned], [[path, path], []]);
  });

  it('lists the sessions even if it cannot find out which of them run', async () => {
    const { sessions, engine, events, add } = createSessions();
    add('-p', 'a');
    engine.lookProblem = new Error('EACCES');
    await sessions.configure(CONFIGURATION);
    await sessions.current.scanAll();
    assert.equal(sessionsOf(events).length, 1);
    assert.match(events.lines.join('\n'), /^warn: .*running/m);
  });

  it('rejects requests before it is configured', async () => {
    const { sessions } = createSessions();
    await assert.rejects(async () => sessions.current.scanAll(), /config folder is not known/);
    await assert.rejects(
      async () => sessions.current.planRepair(sessionRefOf('/x.jsonl')),
      /config folder is not known/,
    );
  });
});

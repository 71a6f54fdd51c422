import assert from 'node:assert/strict';
import { Emitter } from '../../../src/extension/lifetime';
import { offerLostSessions } from '../../../src/extension/terminals/lostSessions';
import type { OpenTerminal } from '../../../src/extension/terminals/reconnecting';
import { SessionTerminals } from '../../../src/extension/terminals/sessionTerminals';
import type { SessionRef } from '../../../src/protocol/session';
import type { RememberedTerminal, RestoredMemory, RunningClient, WindowMemory } from '../../../src/protocol/terminals';
import { FakeDialogs } from './dialogFakes';
import { formats, RecordedLog, t } from './fakes';

const A = '44444444-4444-4444-8444-44444444444a';
const B = '44444444-4444-4444-8444-44444444444b';

function client(sessionId: string, shellPid: number, change: Partial<RunningClient> = {}): RunningClient {
  const found = { terminalId: null, tmux: null, jobId: null, cwd: '/src/app', entrypoint: 'cli' };
  return { pid: shellPid + 1, sessionId, ancestors: [shellPid, 1], ...found, ...change };
}

function terminalOf(id: string | null, pid: number | null): OpenTerminal & { shows: number } {
  return {
    id,
    pid,
    shows: 0,
    show() {
      this.shows++;
    },
  };
}

function remembered(sessionId: string, change: Partial<RememberedTerminal> = {}): RememberedTerminal {
  return {
    id: `terminal of ${sessionId}`,
    shellPid: 10,
    sessionId,
    filePath: null,
    title: null,
    cwd: '/src/app',
    configDir: '/c',
    state: 'running',
    startedMs: 1,
    changedMs: 1,
    endedMs: null,
    ...change,
  };
}

/** A window whose terminals and clients the test sets. */
function openWindow(before: Partial<RestoredMemory> | null = null) {
  const closing = new Emitter<{ readonly terminal: OpenTerminal; readonly isOver: boolean }>();
  const scene = {
    terminals: [] as OpenTerminal[],
    clients: [] as RunningClient[],
    files: new Map<string, string>(),
    titles: new Map<string, string>(),
    nowMs: 1000,
    memory: { terminals: [], panels: [], urgent: [] } as WindowMemory,
    saves: 0,
    waits: 0,
    restores: [] as Partial<RestoredMemory>[],
    active: null as OpenTerminal | null,
    onWait: (): void => undefined,
    closing,
  };
  if (before !== null) scene.restores.push(before);
  const sessions = new SessionTerminals({
    calls: {
      runningClients: () => Promise.resolve(scene.clients),
      locate: (ids) =>
        Promise.resolve(
          ids.flatMap((id): SessionRef[] => {
            const path = scene.files.get(id);
            return path === undefined ? [] : [{ provider: 'claude', id, path }];
          }),
        ),
      restore: () => {
        const nothing = { terminals: [], panels: [], urgent: [], hasCrashed: false, isOtherRunning: false };
        return Promise.resolve({ ...nothing, ...scene.restores.shift() });
      },
      remember: (_workspace, memory) => {
        scene.memory = memory;
        scene.saves++;
      },
    },
    window: {
      list: () => Promise.resolve(scene.terminals),
      get active() {
        return scene.active;
      },
      onChange: new Emitter<void>().event,
      onClose: closing.event,
    },
    workspace: 'w',
    hasStore: () => Promise.resolve(before !== null),
    known: (filePath) => {
      const title = scene.titles.get(filePath);
      return title === undefined ? null : { title, lastMessageMs: null };
    },
    configDir: () => '/c',
    surroundings: () => ({ panels: ['/panel'], urgent: [] }),
    newId: () => 'new id',
    wait: (ms) => {
      scene.nowMs += ms;
      scene.waits++;
      scene.onWait();
      return Promise.resolve();
    },
    log: new RecordedLog(),
    now: () => scene.nowMs,
  });
  const states = (): Record<string, string> =>
    Object.fromEntries(scene.memory.terminals.map(({ sessionId, state }) => [sessionId.slice(-1), state]));
  return { scene, sessions, states };
}

describe('The terminals of a window', () => {
  const START = { sessionId: A, filePath: null, title: null, cwd: '/src/app' };

  it('are remembered as soon as a session is started in one', async () => {
    const { scene, sessions, states } = openWindow();
    await sessions.restore();
    assert.equal(scene.saves, 0);
    sessions.started(terminalOf('t', 10), START);
    assert.deepEqual(states(), { a: 'running' });
    assert.deepEqual(scene.memory.panels, ['/panel']);
  });

  it('follow a session by its processes when its id changes, and by its id when it is moved', async () => {
    const { scene, sessions } = openWindow();
    await sessions.restore();
    const terminal = terminalOf('t', 10);
    scene.terminals = [terminal];
    sessions.started(terminal, START);
    scene.clients = [client(A, 10)];
    scene.files.set(A, '/c/projects/one/a.jsonl');
    await sessions.refresh();
    assert.equal(scene.memory.terminals[0]?.filePath, '/c/projects/one/a.jsonl');
    scene.files.set(A, '/c/projects/two/a.jsonl');
    scene.titles.set('/c/projects/two/a.jsonl', 'Moved');
    await sessions.refresh();
    assert.deepEqual(
      scene.memory.terminals.map(({ filePath, title }) => [filePath, title]),
      [['/c/projects/two/a.jsonl', 'Moved']],
    );
    // As after /clear.
    scene.clients = [client(B, 10)];
    await sessions.refresh();
    assert.deepEqual(
      scene.memory.terminals.map(({ sessionId, filePath, title }) => [sessionId, filePath, title]),
      [[B, null, null]],
    );
    assert.equal(await sessions.show(B), true);
    assert.equal(terminal.shows, 1);
    assert.equal(await sessions.show(A), false);
  });

  it('include one in which the person started a client by hand', async () => {
    const { scene, sessions, states } = openWindow();
    await sessions.restore();
    scene.terminals = [terminalOf(null, 10), terminalOf(null, 20)];
    scene.clients = [client(A, 20), client(B, 30)];
    await sessions.refresh();
    assert.deepEqual(states(), { a: 'running' });
  });

  it('do not host a session in tmux or in the background', async () => {
    const { scene, sessions, states } = openWindow();
    await sessions.restore();
    scene.terminals = [terminalOf('t', 10)];
    scene.clients = [client(A, 99, { tmux: 'main', terminalId: 't' }), client(B, 10, { jobId: '44444444' })];
    await sessions.refresh();
    assert.deepEqual(states(), {});
  });

  it('are forgotten when the person closes them, and kept when the window ends', async () => {
    const { scene, sessions, states } = openWindow();
    await sessions.restore();
    const [one, two] = [terminalOf('t', 10), terminalOf('u', 20)];
    sessions.started(one, START);
    sessions.started(two, { ...START, sessionId: B });
    scene.closing.fire({ terminal: one, isOver: false });
    scene.closing.fire({ terminal: two, isOver: true });
    assert.deepEqual(states(), { a: 'running' });
  });

  it('end with their client, but not before it has had time to start', async () => {
    const { scene, sessions, states } = openWindow();
    await sessions.restore();
    const terminal = terminalOf('t', 10);
    scene.terminals = [terminal];
    sessions.started(terminal, START);
    await sessions.refresh();
    assert.deepEqual(states(), { a: 'running' });
    scene.nowMs += 61_000;
    await sessions.refresh();
    assert.deepEqual(states(), { a: 'ended' });
    scene.clients = [client(A, 10)];
    await sessions.refresh();
    assert.deepEqual(states(), { a: 'running' });
    scene.clients = [];
    await sessions.refresh();
    assert.deepEqual(states(), { a: 'ended' });
  });

  it('come first in the queue, the active one before the others', async () => {
    const { scene, sessions } = openWindow();
    await sessions.restore();
    const [one, two] = [terminalOf('t', 10), terminalOf('u', 20)];
    scene.terminals = [one, two];
    scene.active = two;
    scene.clients = [client(A, 10), client(B, 20)];
    scene.files.set(A, '/a').set(B, '/b');
    await sessions.refresh();
    assert.deepEqual(sessions.shown, [
      { filePath: '/a', place: 'visible' },
      { filePath: '/b', place: 'active' },
    ]);
  });

  it('write nothing where no client ever ran', async () => {
    const { scene, sessions } = openWindow();
    await sessions.restore();
    scene.terminals = [terminalOf(null, 10)];
    await sessions.refresh();
    assert.equal(scene.saves, 0);
  });
});

describe('The terminals of before a restart', () => {
  it('are found again if they have survived', async () => {
    const { scene, sessions, states } = openWindow({ terminals: [remembered(A)] });
    scene.terminals = [terminalOf(null, 10)];
    scene.clients = [client(A, 10)];
    const seen: boolean[] = [];
    sessions.onRestoredChange(() => seen.push(sessions.isReconnecting(A)));
    const { lost } = await sessions.restore();
    assert.deepEqual([lost, states()], [[], { a: 'running' }]);
    assert.deepEqual([seen[0], sessions.isReconnecting(A)], [true, false]);
    assert.equal(sessions.reconnectedAt(A), 1000);
    assert.equal(await sessions.show(A), true);
  });

  it('are not said to be found again once their client has ended, has another session, or the terminal is closed', async () => {
    for (const end of ['client', 'session', 'terminal'] as const) {
      const { scene, sessions } = openWindow({ terminals: [remembered(A)] });
      const terminal = terminalOf(null, 10);
      scene.terminals = [terminal];
      scene.clients = [client(A, 10)];
      await sessions.restore();
      let changes = 0;
      sessions.onRestoredChange(() => changes++);
      if (end === 'client') scene.clients = [];
      if (end === 'session') scene.clients = [client(B, 10)];
      if (end === 'terminal') scene.closing.fire({ terminal, isOver: true });
      await sessions.refresh();
      assert.deepEqual([sessions.reconnectedAt(A), changes], [null, 1]);
    }
  });

  it('are found again if VS Code restores them a little later', async () => {
    const { scene, sessions, states } = openWindow({ terminals: [remembered(A)] });
    scene.clients = [client(A, 10)];
    scene.onWait = () => {
      if (scene.waits === 3) scene.terminals = [terminalOf(null, 10)];
    };
    await sessions.restore();
    assert.deepEqual(states(), { a: 'running' });
  });

  it('are lost if no client runs their session, and can be resumed again until the next restart', async () => {
    const { scene, sessions, states } = openWindow({ terminals: [remembered(A)], hasCrashed: true });
    const { lost, hasCrashed } = await sessions.restore();
    assert.deepEqual([lost.map(({ sessionId }) => sessionId), hasCrashed], [[A], true]);
    assert.deepEqual([states(), sessions.isLost(A), sessions.reconnectedAt(A)], [{ a: 'lost' }, true, null]);
    const next = openWindow({ terminals: scene.memory.terminals });
    assert.deepEqual((await next.sessions.restore()).lost, []);
    assert.equal(next.sessions.isLost(A), false);
    // Resumed, it is lost no more.
    sessions.started(terminalOf('t', 30), { sessionId: A, filePath: null, title: null, cwd: null });
    assert.deepEqual([sessions.isLost(A), states()], [false, { a: 'running' }]);
  });

  it('are not lost while their session runs elsewhere', async () => {
    const { scene, sessions, states } = openWindow({ terminals: [remembered(A), remembered(B, { shellPid: 20 })] });
    scene.clients = [client(A, 99, { tmux: 'main' })];
    const { lost } = await sessions.restore();
    assert.deepEqual(
      lost.map(({ sessionId }) => sessionId),
      [B],
    );
    assert.deepEqual(states(), { b: 'lost' });
  });

  it('are not brought back if they had ended', async () => {
    const { sessions, states } = openWindow({ terminals: [remembered(A, { state: 'ended', endedMs: 5 })] });
    assert.deepEqual((await sessions.restore()).lost, []);
    assert.equal(sessions.isLost(A), false);
    sessions.started(terminalOf('t', 30), { sessionId: B, filePath: null, title: null, cwd: null });
    assert.deepEqual(states(), { a: 'ended', b: 'running' });
  });

  it('are taken over from a window that is about to end', async () => {
    const { scene, sessions, states } = openWindow({ isOtherRunning: true });
    scene.restores.push({ isOtherRunning: true }, { terminals: [remembered(A)] });
    scene.terminals = [terminalOf(null, 10)];
    scene.clients = [client(A, 10)];
    await sessions.restore();
    assert.deepEqual(states(), { a: 'running' });
  });

  it('are each remembered once, however long the window before takes to end', async () => {
    const { scene, sessions } = openWindow({ isOtherRunning: true });
    scene.restores.push({ isOtherRunning: true }, { terminals: [remembered(A), remembered(B, { shellPid: 20 })] });
    const other = terminalOf(null, 20);
    scene.terminals = [terminalOf(null, 10), other];
    scene.clients = [client(A, 10), client(B, 20)];
    // As the list of sessions changes meanwhile.
    scene.onWait = () => void sessions.refresh();
    await sessions.restore();
    assert.deepEqual(scene.memory.terminals.map(({ sessionId }) => sessionId).sort(), [A, B]);
    scene.closing.fire({ terminal: other, isOver: true });
    assert.deepEqual(
      scene.memory.terminals.map(({ id }) => id),
      [`terminal of ${A}`],
    );
  });

  it('are each offered once, although an earlier version remembered some twice', async () => {
    const { scene, sessions } = openWindow({ terminals: [remembered(A), remembered(A, { id: 'twin' })] });
    assert.equal((await sessions.restore()).lost.length, 1);
    assert.equal(scene.memory.terminals.length, 1);
  });

  it('are saved only after what was remembered has been read', async () => {
    const { scene, sessions } = openWindow({ terminals: [remembered(A)] });
    sessions.started(terminalOf('t', 30), { sessionId: B, filePath: null, title: null, cwd: null });
    assert.equal(scene.saves, 0);
    await sessions.restore();
    assert.deepEqual(scene.memory.terminals.map(({ sessionId }) => sessionId).sort(), [A, B]);
  });
});

describe('The sessions of a window that crashed', () => {
  it('are offered together, once, and resumed one after the other', async () => {
    const dialogs = new FakeDialogs({ notify: { 'The window ended unexpectedly': 'Resume Again' } });
    const resumed: string[] = [];
    const settled: string[] = [];
    await offerLostSessions([remembered(A, { title: 'One' }), remembered(B, { title: 'Two' })], {
      locate: (ids) => Promise.resolve(ids.map((id) => ({ provider: 'claude', id, path: `/${id}` }))),
      judge: () => Promise.reject(new Error('unreadable')),
      repairMode: () => 'repair',
      repair: () => Promise.resolve(false),
      resume: ({ id, title }) => Promise.resolve(void resumed.push(`${id} ${title}`)),
      settle: (ids) => settled.push(...ids),
      log: new RecordedLog(),
      dialogs,
      formats,
      t,
    });
    assert.deepEqual(dialogs.reported, [
      'The window ended unexpectedly while Claude Code ran 2 sessions: “One”, “Two”.',
    ]);
    assert.deepEqual(resumed, [`${A} One`, `${B} Two`]);
    assert.equal(settled.length, 2);
  });

  it('are not mentioned if they were never saved', async () => {
    const dialogs = new FakeDialogs();
    await offerLostSessions([remembered(A)], {
      locate: () => Promise.resolve([]),
      judge: () => Promise.reject(new Error('unreadable')),
      repairMode: () => 'ask',
      repair: () => Promise.resolve(false),
      resume: () => Promise.resolve(),
      settle: () => undefined,
      log: new RecordedLog(),
      dialogs,
      formats,
      t,
    });
    assert.deepEqual(dialogs.reported, []);
  });
});

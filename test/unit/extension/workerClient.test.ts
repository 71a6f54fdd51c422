import assert from 'node:assert/strict';
import { RestartPolicy, WorkerClient } from '../../../src/extension/rpc/workerClient';
import { WorkerError } from '../../../src/extension/rpc/workerError';
import { type SessionFocus, sessionsChannel, type SessionsUpdate } from '../../../src/protocol/channels/sessions';
import { workerChannel, type WorkerConfiguration } from '../../../src/protocol/channels/worker';
import type { RepairOutcome } from '../../../src/protocol/repair';
import { sessionRefOf } from '../../rooms/format';
import { settle } from '../sessions/fakes';
import { head } from './conversationFakes';
import { FakeThread, RecordedLog, update } from './fakes';
import { overview } from './usageFakes';

const SESSION = sessionRefOf('/a.jsonl');
const CONFIGURATION: WorkerConfiguration = {
  configDir: '/c',
  workspaceFolders: ['/src/app'],
  scanConcurrency: 2,
  livePollMs: 200,
  clientVersion: null,
  extraConfigDirs: [],
  clientExtensionFolder: null,
  automaticRepair: 'off',
  backupRetentionDays: null,
  cacheDir: null,
};
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
const forEver = new AbortController().signal;

describe('WorkerClient', () => {
  let clients: WorkerClient[] = [];
  let threads: FakeThread[] = [];

  afterEach(() => {
    for (const client of clients) client.dispose();
    for (const thread of threads) void thread.end();
    clients = [];
    threads = [];
  });

  type Answers = ConstructorParameters<typeof FakeThread>[0];

  function createClient(answers: Answers = {}, restartDelaysMs: readonly number[] = [0, 0]) {
    const settings: { configuration: WorkerConfiguration | null } = { configuration: CONFIGURATION };
    const log = new RecordedLog();
    const client = new WorkerClient({
      startThread: () => {
        const thread = new FakeThread(answers);
        threads.push(thread);
        return thread;
      },
      readConfiguration: () => settings.configuration,
      log,
      now: () => 0,
      restarts: new RestartPolicy(restartDelaysMs),
    });
    clients.push(client);
    return { client, log, settings };
  }
  const methods = (at: number) => threads[at]?.calls.map((call) => call.method);
  const isDeath = (error: unknown) => error instanceof WorkerError && error.code === 'worker-died';
  const isUnavailable = (error: unknown) => error instanceof WorkerError && error.code === 'worker-unavailable';
  /** Resolves once a restarted thread is there. */
  const restarted = (client: WorkerClient) => new Promise<void>((resolve) => client.onRestarted(resolve));
  const callsArrive = async (at: number, count: number) => {
    while ((threads[at]?.calls.length ?? 0) < count) await new Promise((resolve) => setImmediate(resolve));
  };

  it('starts no thread before the first call', async () => {
    const { client } = createClient();
    await client.reconfigure();
    assert.equal(threads.length, 0);
  });

  it('sends a thread its configuration before anything else', async () => {
    const { client } = createClient();
    await Promise.all([client.sessions.scanSession(SESSION), client.sessions.scanAll({}, forEver)]);
    assert.equal(threads.length, 1);
    assert.deepEqual(threads[0]?.calls[0], { method: 'configure', args: [CONFIGURATION] });
    assert.deepEqual(methods(0)?.slice(1).sort(), ['scanAll', 'scanSession']);
  });

  it('sends a running thread a changed configuration ahead of later calls', async () => {
    const { client, settings } = createClient();
    await client.sessions.scanAll({}, forEver);
    settings.configuration = { ...CONFIGURATION, workspaceFolders: [] };
    void client.reconfigure();
    await client.sessions.scanAll({}, forEver);
    assert.deepEqual(methods(0), ['configure', 'scanAll', 'configure', 'scanAll']);
  });

  it('forwards updates and log lines', async () => {
    const { client, log } = createClient();
    const seen: SessionsUpdate[] = [];
    client.sessions.onSessionsChanged((each) => seen.push(each));
    await client.sessions.scanAll({}, forEver);
    await threads[0]?.events.sessionsChanged(update([]));
    void threads[0]?.events.log('warn', 'a line');
    while (log.lines.length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(seen, [update([])]);
    assert.deepEqual(log.lines, ['warn: a line']);
  });

  it('rejects with the error that the worker threw', async () => {
    const { client } = createClient({ scanSession: () => Promise.reject(new Error('Failed to plan')) });
    await assert.rejects(client.sessions.scanSession(SESSION), /Failed to plan/);
  });

  it('rejects pending calls when the thread dies', async () => {
    const { client, log } = createClient({ scanAll: never, repair: never });
    const calls = [client.sessions.scanAll({}, forEver), client.sessions.repair(SESSION)];
    await callsArrive(0, 3);
    threads[0]?.die('out of memory');
    for (const call of calls) await assert.rejects(call, isDeath);
    assert.match(log.lines.join('\n'), /out of memory/);
  });

  it('reports the thread’s death also to calls that waited for the configuration', async () => {
    const { client } = createClient({ configure: never });
    const call = client.sessions.scanSession(SESSION);
    await callsArrive(0, 1);
    const configured = client.reconfigure();
    threads[0]?.die('x');
    await Promise.all([assert.rejects(call, isDeath), assert.rejects(configured, isDeath)]);
  });

  it('starts another thread with the current settings, and reports it', async () => {
    const { client, settings } = createClient();
    await client.sessions.scanAll({}, forEver);
    const later = { ...CONFIGURATION, scanConcurrency: 9 };
    settings.configuration = later;
    const again = restarted(client);
    threads[0]?.die('x');
    await again;
    await client.sessions.scanSession(SESSION);
    assert.equal(threads.length, 2);
    assert.deepEqual(threads[1]?.calls[0], { method: 'configure', args: [later] });
  });

  it('lets a call during the pause wait for the new thread', async () => {
    const { client } = createClient();
    await client.sessions.scanAll({}, forEver);
    threads[0]?.die('x');
    await client.sessions.scanSession(SESSION);
    assert.deepEqual(methods(1), ['configure', 'scanSession']);
  });

  it('gives up after the last restart, and starts again when someone retries', async () => {
    const { client } = createClient({}, [0]);
    const reasons: string[] = [];
    client.onGaveUp((reason) => reasons.push(reason));
    await client.sessions.scanAll({}, forEver);
    const again = restarted(client);
    threads[0]?.die('first');
    await again;
    threads[1]?.die('second');
    assert.deepEqual(reasons, ['second']);
    await assert.rejects(client.sessions.details(SESSION), isUnavailable);
    assert.equal(threads.length, 2);
    assert.equal(client.hasGivenUp, true);
    const tried = restarted(client);
    client.tryAgain();
    await client.sessions.scanAll({}, forEver);
    await tried;
    assert.deepEqual(methods(2), ['configure', 'scanAll']);
    assert.equal(client.hasGivenUp, false);
  });

  it('gives up after two threads that ended before they accepted their configuration', async () => {
    const { client } = createClient({ configure: never }, [0, 0, 0, 0]);
    const reasons: string[] = [];
    client.onGaveUp((reason) => reasons.push(reason));
    const again = restarted(client);
    const scan = client.sessions.scanAll({}, forEver);
    await callsArrive(0, 1);
    threads[0]?.die('Cannot find module worker.mjs');
    await again;
    threads[1]?.die('Cannot find module worker.mjs');
    await assert.rejects(scan, isDeath);
    assert.deepEqual(reasons, ['Cannot find module worker.mjs']);
    await assert.rejects(client.sessions.scanSession(SESSION), isUnavailable);
    assert.equal(threads.length, 2);
  });

  it('starts again for a person who retries, but only if it had given up', async () => {
    const { client } = createClient({}, []);
    let restarts = 0;
    client.onRestarted(() => restarts++);
    await client.sessions.scanAll({}, forEver);
    client.tryAgain();
    assert.equal(threads.length, 1);
    threads[0]?.die('x');
    client.tryAgain();
    client.tryAgain();
    assert.equal(threads.length, 2);
    assert.equal(restarts, 1);
  });

  it('stops waiting when the caller aborts', async () => {
    const { client } = createClient({ scanAll: never });
    const controller = new AbortController();
    const scan = client.sessions.scanAll({}, controller.signal);
    controller.abort();
    await assert.rejects(scan, { name: 'AbortError' });
  });

  it('forwards events of conversations, searches, exports and tokens', async () => {
    const { client } = createClient();
    const reported: unknown[] = [];
    client.conversation.onConversationChanged((each) => reported.push(each));
    client.search.onSearchFound((news) => reported.push(news));
    client.exports.onExportProgress((news) => reported.push(news));
    client.usage.onUsageChanged((each) => reported.push(each));
    await client.conversation.openConversation('/a.jsonl', { kind: 'chain' });
    const progress = { sessionsDone: 1, sessionsTotal: 2, bytesDone: 3, bytesTotal: 4 };
    const events = threads[0]?.events;
    await events?.conversationChanged(head({ revision: 5 }));
    await events?.searchFound({ searchId: 's', matches: [], progress });
    await events?.exportProgress({ exportId: 'e', itemsDone: 1, itemsTotal: 2 });
    await events?.usageChanged(overview(7));
    assert.deepEqual(reported, [
      head({ revision: 5 }),
      { searchId: 's', matches: [], progress },
      { exportId: 'e', itemsDone: 1, itemsTotal: 2 },
      overview(7),
    ]);
  });

  it('makes the thread stop a search or an export that its caller aborts', async () => {
    const { client } = createClient({ searchSessions: never, exportConversation: never });
    const controller = new AbortController();
    const query = { text: 'x', isRegExp: false, isCaseSensitive: false, roles: [], limit: 1 };
    const view = { kind: 'chain' } as const;
    const request = {
      filePath: '/a.jsonl',
      view,
      format: 'json',
      isRedacted: true,
      isPossibleRedacted: false,
      target: '/a.json',
    } as const;
    const calls = [
      client.search.searchSessions(query, 's', controller.signal),
      client.exports.exportConversation(request, 'e', controller.signal),
    ];
    await callsArrive(0, 3);
    controller.abort();
    for (const call of calls) await assert.rejects(call, { name: 'AbortError' });
    await callsArrive(0, 5);
    assert.deepEqual(threads[0]?.calls.slice(3), [
      { method: 'cancel', args: [threads[0]?.calls[1]?.args[0]] },
      { method: 'cancel', args: [threads[0]?.calls[2]?.args[0]] },
    ]);
  });

  it('sends nothing if the caller aborted earlier', async () => {
    const { client } = createClient();
    await assert.rejects(client.sessions.scanAll({}, AbortSignal.abort()), { name: 'AbortError' });
    assert.equal(threads.length, 0);
  });

  it('rejects with a timeout when the thread does not answer within the limit of the channel', async () => {
    const limits = new Map(Object.entries(workerChannel.calls).map(([name, { timeoutMs }]) => [name, timeoutMs]));
    assert.deepEqual([limits.get('configure'), limits.get('drain')], [10_000, 4000]);
    const { client } = createClient({ scanSession: never });
    const real = globalThis.setTimeout;
    const waits: number[] = [];
    globalThis.setTimeout = ((run: () => void, ms: number) => {
      waits.push(ms);
      return real(run, 0);
    }) as typeof setTimeout;
    try {
      const call = client.sessions.scanSession(SESSION);
      await assert.rejects(call, (error) => error instanceof WorkerError && error.code === 'timeout');
    } finally {
      globalThis.setTimeout = real;
    }
    assert.ok(waits.includes(sessionsChannel.calls.scanSession.timeoutMs));
  });

  it('starts no thread until the settings name a folder, and keeps the last one if they stop naming one', async () => {
    const { client, settings } = createClient();
    settings.configuration = null;
    await assert.rejects(client.sessions.scanSession(SESSION), isUnavailable);
    assert.equal(threads.length, 0);
    settings.configuration = CONFIGURATION;
    await client.sessions.scanSession(SESSION);
    settings.configuration = null;
    await client.reconfigure();
    const again = restarted(client);
    threads[0]?.die('x');
    await again;
    await client.sessions.scanSession(SESSION);
    assert.deepEqual(
      threads.map(({ calls }) => calls[0]),
      [CONFIGURATION, CONFIGURATION].map((each) => ({ method: 'configure', args: [each] })),
    );
  });

  it('sends its initial messages to each thread, including a replacement', async () => {
    const { client } = createClient();
    const focus: SessionFocus = { active: ['/a.jsonl'], visible: [], background: [] };
    client.prioritise(focus);
    assert.equal(threads.length, 0);
    await client.sessions.scanAll({}, forEver);
    const later = { ...focus, active: ['/b.jsonl'] };
    client.prioritise(later);
    const again = restarted(client);
    await callsArrive(0, 4);
    threads[0]?.die('x');
    await again;
    await client.sessions.scanSession(SESSION);
    const reported = threads.map(({ calls }) =>
      calls.filter(({ method }) => method === 'prioritise').flatMap(({ args }) => args),
    );
    assert.deepEqual(reported, [[focus, later], [later]]);
  });

  it('ends its thread and refuses calls once it is disposed', async () => {
    const { client } = createClient({ repair: never });
    const repair = client.sessions.repair(SESSION);
    await callsArrive(0, 2);
    client.dispose();
    await assert.rejects(client.sessions.scanSession(SESSION), isUnavailable);
    await assert.rejects(client.sessions.scanAll({}, forEver), isUnavailable);
    await assert.rejects(repair, isUnavailable);
    assert.equal(threads[0]?.hasEnded, true);
    assert.equal(threads.length, 1);
  });

  it('lets a repair finish before it ends its thread', async () => {
    let endRepair: () => void = () => undefined;
    const repaired = new Promise<void>((resolve) => (endRepair = resolve));
    // SAFETY: the result of the repair is passed on unread.
    const outcome = { result: 'repaired' } as unknown as RepairOutcome;
    const repair = () => repaired.then(() => outcome);
    const { client } = createClient({ repair, drain: () => repaired.then(() => settle()) });
    const underWay = client.sessions.repair(SESSION);
    await callsArrive(0, 2);
    const ended = client.shutDown();
    await callsArrive(0, 3);
    assert.deepEqual(methods(0), ['configure', 'repair', 'drain']);
    assert.equal(threads[0]?.hasEnded, false);
    endRepair();
    assert.deepEqual(await underWay, outcome);
    await ended;
    assert.equal(threads[0].hasEnded, true);
  });

  it('starts no other thread when one dies during the shutdown', async () => {
    const { client } = createClient({ drain: never });
    await client.sessions.scanAll({}, forEver);
    const ended = client.shutDown();
    await callsArrive(0, 3);
    threads[0]?.die('out of memory');
    await ended;
    await assert.rejects(client.sessions.scanAll({}, forEver), isUnavailable);
    assert.equal(threads.length, 1);
  });

  it('has nothing to end before the first call, or while it waits to restart', async () => {
    const asleep = createClient().client;
    await asleep.shutDown();
    const { client } = createClient({}, [10_000]);
    await client.sessions.scanAll({}, forEver);
    threads[0]?.die('x');
    const waiting = client.sessions.scanSession(SESSION);
    await Promise.all([client.shutDown(), assert.rejects(waiting, isUnavailable)]);
    assert.equal(threads.length, 1);
  });
});

describe('The restart policy', () => {
  const life = (livedMs: number) => ({ livedMs, hasStarted: true });

  it('waits longer after each consecutive death, then gives up', () => {
    const policy = new RestartPolicy([1, 10]);
    assert.deepEqual(
      [0, 0, 0].map((livedMs) => policy.delayAfterDeath(life(livedMs))),
      [1, 10, null],
    );
  });
  it('starts again from the beginning after a thread that lived for a while', () => {
    const policy = new RestartPolicy([1, 10]);
    policy.delayAfterDeath(life(0));
    policy.delayAfterDeath(life(0));
    assert.equal(policy.delayAfterDeath(life(10 * 60_000)), 1);
  });
  it('gives up after two threads in a row that ended before they had started, and forgets them on a retry', () => {
    const policy = new RestartPolicy([1, 10, 100, 1000]);
    const failed = { livedMs: 20, hasStarted: false };
    const deaths = [failed, life(20), failed, failed].map((each) => policy.delayAfterDeath(each));
    assert.deepEqual(deaths, [1, 10, 100, null]);
    policy.reset();
    assert.equal(policy.delayAfterDeath(failed), 1);
  });
});

import assert from 'node:assert/strict';
import { RestartPolicy } from '../../../src/host/worker/restartPolicy';
import { WorkerClient } from '../../../src/host/worker/workerClient';
import { WorkerError } from '../../../src/host/worker/workerError';
import type { SessionsSnapshot, WorkerApi, WorkerConfiguration } from '../../../src/shared/api/worker';
import { FakeThread, RecordedLog, snapshot } from './fakes';

const CONFIGURATION: WorkerConfiguration = { configDir: '/c', workspaceFolders: ['/src/app'], scanConcurrency: 2 };
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
const forEver = new AbortController().signal;

describe('the worker client', () => {
  let clients: WorkerClient[] = [];
  let threads: FakeThread[] = [];

  afterEach(() => {
    for (const client of clients) client.dispose();
    for (const thread of threads) thread.terminate();
    clients = [];
    threads = [];
  });

  function createClient(answers: Partial<WorkerApi> = {}, restartDelaysMs: readonly number[] = [0, 0]) {
    const log = new RecordedLog();
    const client = new WorkerClient({
      startThread: () => {
        const thread = new FakeThread(answers);
        threads.push(thread);
        return thread;
      },
      log,
      now: () => 0,
      restarts: new RestartPolicy(restartDelaysMs),
    });
    clients.push(client);
    return { client, log };
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
    await client.configure(CONFIGURATION);
    assert.equal(threads.length, 0);
  });

  it('tells a thread its configuration before anything else', async () => {
    const { client } = createClient();
    await client.configure(CONFIGURATION);
    await Promise.all([client.planRepair('/a.jsonl'), client.scanAll({}, forEver)]);
    assert.equal(threads.length, 1);
    assert.deepEqual(threads[0]?.calls[0], { method: 'configure', args: [CONFIGURATION] });
    assert.deepEqual(methods(0)?.slice(1).sort(), ['planRepair', 'scanAll']);
  });

  it('sends a running thread the configuration when it changes, ahead of later calls', async () => {
    const { client } = createClient();
    await client.configure(CONFIGURATION);
    await client.scanAll({}, forEver);
    void client.configure({ ...CONFIGURATION, workspaceFolders: [] });
    await client.scanAll({}, forEver);
    assert.deepEqual(methods(0), ['configure', 'scanAll', 'configure', 'scanAll']);
  });

  it('passes on snapshots and log lines', async () => {
    const { client, log } = createClient();
    const seen: SessionsSnapshot[] = [];
    client.onSnapshot((each) => seen.push(each));
    await client.configure(CONFIGURATION);
    await client.scanAll({}, forEver);
    threads[0]?.events.sessionsChanged(snapshot([]));
    threads[0]?.events.log('warn', 'a line');
    while (log.lines.length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(seen, [snapshot([])]);
    assert.deepEqual(log.lines, ['warn: a line']);
  });

  it('rejects with what the worker threw', async () => {
    const { client } = createClient({ planRepair: () => Promise.reject(new Error('Failed to plan')) });
    await client.configure(CONFIGURATION);
    await assert.rejects(client.planRepair('/a.jsonl'), /Failed to plan/);
  });

  it('rejects the calls under way when the thread dies', async () => {
    const { client, log } = createClient({ scanAll: never, repair: never });
    await client.configure(CONFIGURATION);
    const calls = [client.scanAll({}, forEver), client.repair('/a.jsonl')];
    await callsArrive(0, 3);
    threads[0]?.die('out of memory');
    for (const call of calls) await assert.rejects(call, isDeath);
    assert.match(log.lines.join('\n'), /out of memory/);
  });

  it('starts another thread, with the last configuration, and says so', async () => {
    const { client } = createClient();
    await client.configure(CONFIGURATION);
    await client.scanAll({}, forEver);
    const later = { ...CONFIGURATION, scanConcurrency: 9 };
    await client.configure(later);
    const again = restarted(client);
    threads[0]?.die('x');
    await again;
    await client.planRepair('/a.jsonl');
    assert.equal(threads.length, 2);
    assert.deepEqual(threads[1]?.calls[0], { method: 'configure', args: [later] });
  });

  it('lets a call that comes during the pause wait for the new thread', async () => {
    const { client } = createClient();
    await client.configure(CONFIGURATION);
    await client.scanAll({}, forEver);
    threads[0]?.die('x');
    await client.planRepair('/a.jsonl');
    assert.deepEqual(methods(1), ['configure', 'planRepair']);
  });

  it('gives up after the last restart, and tries again when everything is to be scanned', async () => {
    const { client } = createClient({}, [0]);
    const reasons: string[] = [];
    client.onGaveUp((reason) => reasons.push(reason));
    await client.configure(CONFIGURATION);
    await client.scanAll({}, forEver);
    const again = restarted(client);
    threads[0]?.die('first');
    await again;
    threads[1]?.die('second');
    assert.deepEqual(reasons, ['second']);
    await assert.rejects(client.details('/a.jsonl'), isUnavailable);
    assert.equal(threads.length, 2);
    await client.scanAll({}, forEver);
    assert.deepEqual(methods(2), ['configure', 'scanAll']);
  });

  it('stops waiting when the caller gives up', async () => {
    const { client } = createClient({ scanAll: never });
    await client.configure(CONFIGURATION);
    const controller = new AbortController();
    const scan = client.scanAll({}, controller.signal);
    controller.abort();
    await assert.rejects(scan, { name: 'AbortError' });
  });

  it('ends its thread and refuses calls once it is disposed', async () => {
    const { client } = createClient({ repair: never });
    await client.configure(CONFIGURATION);
    const repair = client.repair('/a.jsonl');
    await callsArrive(0, 2);
    client.dispose();
    assert.equal(threads[0]?.isTerminated, true);
    await assert.rejects(repair, isUnavailable);
    await assert.rejects(client.planRepair('/a.jsonl'), isUnavailable);
    await assert.rejects(client.scanAll({}, forEver), isUnavailable);
    assert.equal(threads.length, 1);
  });
});

describe('the restart policy', () => {
  it('waits longer with each death in a row, then gives up', () => {
    const policy = new RestartPolicy([1, 10]);
    assert.deepEqual([policy.delayAfterDeath(0), policy.delayAfterDeath(0), policy.delayAfterDeath(0)], [1, 10, null]);
  });
  it('begins anew after a thread that lived for a while', () => {
    const policy = new RestartPolicy([1, 10]);
    policy.delayAfterDeath(0);
    policy.delayAfterDeath(0);
    assert.equal(policy.delayAfterDeath(10 * 60_000), 1);
  });
});

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { createBirpc } from 'birpc';
import {
  answeredEvent,
  call,
  cancellable,
  defineChannel,
  event,
  notice,
  type Channel,
} from '../../../src/protocol/channel';
import { createCalls, eventHandlers, withLimit } from '../../../src/protocol/rpcClient';
import { createEvents, RpcServer } from '../../../src/protocol/rpcServer';

const load = createRequire(__filename);
const CHANNELS = join(__dirname, '../../../src/protocol/channels');
/** No caller waits longer for one answer without a way to abort. */
const LONGEST_MS = 20 * 60_000;
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** Every channel that a file in the folder exports, so that none is left out. */
function allChannels(): Channel[] {
  const found: Channel[] = [];
  for (const file of readdirSync(CHANNELS)) {
    const exported = load(join(CHANNELS, file)) as Record<string, unknown>;
    const channels = Object.entries(exported).filter(([name]) => name.endsWith('Channel'));
    assert.equal(channels.length, 1, file);
    found.push(...channels.map(([, channel]) => channel as Channel));
  }
  return found;
}

describe('The channels', () => {
  it('have a limit for each call, either a time or a signal, unless it has no answer', () => {
    let calls = 0;
    for (const channel of allChannels()) {
      for (const [name, definition] of Object.entries(channel.calls)) {
        calls += 1;
        if (definition.kind !== 'timed') continue;
        const { timeoutMs } = definition;
        assert.ok(
          Number.isSafeInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= LONGEST_MS,
          `${channel.name}.${name}`,
        );
      }
    }
    assert.ok(calls > 40, String(calls));
  });

  it('have unique names, which are short enough for a page', () => {
    const channels = allChannels();
    assert.equal(new Set(channels.map(({ name }) => name)).size, channels.length);
    for (const { name, calls, events } of channels) {
      assert.match(name, /^[a-z]+$/i);
      for (const method of [...Object.keys(calls), ...Object.keys(events)])
        assert.ok(`${name}.${method}`.length <= 40, method);
    }
  });
});

describe('Both ends of a channel', () => {
  const sample = defineChannel(
    'sample',
    {
      add: call<(a: number, b: number) => number>({ timeoutMs: 20 }),
      work: cancellable<(what: string) => string>(),
      seen: notice<(what: string) => void>(),
    },
    { changed: answeredEvent<(what: string) => void>(), logged: event<(what: string) => void>() },
  );
  const ports: MessageChannel[] = [];
  afterEach(() => {
    for (const { port1 } of ports.splice(0)) port1.close();
  });

  function connect(implementation: Parameters<typeof serve>[0] = {}) {
    const channel = new MessageChannel();
    ports.push(channel);
    const { port1, port2 } = channel;
    const reported: string[] = [];
    const sent: string[] = [];
    const server = serve(implementation, reported);
    const over = (port: typeof port1) => ({
      post: (message: unknown) => {
        sent.push((message as { m?: string }).m ?? 'answer');
        port.postMessage(message);
      },
      on: (listener: (message: unknown) => void) => void port.on('message', listener),
      proxify: false as const,
      timeout: -1,
    });
    const serving = createBirpc<object, object, false>({}, { ...over(port2), resolver: server.handler });
    const taken = {
      changed: (what: string) => void reported.push(`changed ${what}`),
      logged: (what: string) => void reported.push(`logged ${what}`),
    };
    const rpc = createBirpc<object, object, false>(eventHandlers(sample, taken), over(port1));
    const calls = createCalls(sample, ({ method, args, limit }) =>
      withLimit(
        rpc.$callRaw({ method, args: [...args], event: limit === null }),
        limit,
        (ms) => new Error(`late after ${ms}`),
      ),
    );
    return { calls, events: createEvents(sample, serving), rpc, reported, sent };
  }

  function serve(
    { work = () => never<string>() }: { work?: (what: string, signal: AbortSignal) => Promise<string> },
    reported: string[] = [],
  ): RpcServer {
    const server = new RpcServer();
    server.serve(sample, {
      add: (a, b) => (a < 0 ? never() : Promise.resolve(a + b)),
      work,
      seen: (what) => void reported.push(`seen ${what}`),
    });
    return server;
  }

  it('transfer arguments, answers and events', async () => {
    const { calls, events, reported } = connect();
    assert.equal(await calls.add(2, 3), 5);
    await calls.seen('it');
    await events.changed('it');
    await events.logged('it');
    while (reported.length < 3) await turn();
    assert.deepEqual(reported.sort(), ['changed it', 'logged it', 'seen it']);
  });

  it('stop waiting when an answer takes too long', async () => {
    await assert.rejects(connect().calls.add(-1, 0), /late after 20/);
  });

  it('reject a call that its caller aborts, and notify the implementation', async () => {
    const seen: AbortSignal[] = [];
    const work = (_what: string, signal: AbortSignal) => {
      seen.push(signal);
      return never<string>();
    };
    const { calls } = connect({ work });
    const [one, other] = [new AbortController(), new AbortController()];
    const rejected = assert.rejects(calls.work('one', one.signal), { name: 'AbortError' });
    calls.work('other', other.signal).catch(() => undefined);
    while (seen.length < 2) await turn();
    one.abort();
    await rejected;
    while (seen[0]?.aborted !== true) await turn();
    assert.equal(seen[1]?.aborted, false);
  });

  it('send nothing for a call that was aborted earlier, and cancel nothing that has ended', async () => {
    const { calls, sent } = connect({ work: (what) => Promise.resolve(what) });
    await assert.rejects(calls.work('x', AbortSignal.abort()), { name: 'AbortError' });
    const controller = new AbortController();
    assert.equal(await calls.work('y', controller.signal), 'y');
    controller.abort();
    await turn();
    assert.deepEqual(sent, ['sample.work', 'answer']);
  });

  it('answer only the calls of the channel', async () => {
    const { rpc } = connect();
    for (const method of ['sample.constructor', 'sample.changed', 'add', 'sample.', 'toString', '__proto__']) {
      await assert.rejects(rpc.$callRaw({ method, args: [] }), /not found/, method);
    }
  });

  it('load an implementation on its first call', async () => {
    let loads = 0;
    const server = new RpcServer();
    server.serve(sample, () => {
      loads += 1;
      return Promise.resolve({
        add: (a, b) => Promise.resolve(a * b),
        work: () => never<string>(),
        seen: () => undefined,
      });
    });
    assert.equal(loads, 0);
    assert.equal(await server.handler('sample.add')?.(2, 3), 6);
    assert.equal(loads, 1);
  });

  it('do not compile if a call has no implementation, or an implementation no call', () => {
    const server = new RpcServer();
    const [add, work, seen] = [() => never<number>(), () => never<string>(), () => undefined];
    // @ts-expect-error `seen` is missing.
    server.serve(sample, { add, work });
    // @ts-expect-error The channel has no `forget`.
    server.serve(sample, { add, work, seen, forget: seen });
    // @ts-expect-error The caller must state how long it waits.
    const send = (): unknown => createCalls(sample, () => never()).work('x');
    assert.equal(typeof send, 'function');
  });
});

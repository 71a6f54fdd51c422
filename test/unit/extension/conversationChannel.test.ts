import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBirpc } from 'birpc';
import { OpenConversations } from '../../../src/extension/conversation/openConversations';
import { PanelHost } from '../../../src/extension/conversation/panelHost';
import { Emitter } from '../../../src/extension/lifetime';
import { WorkerError } from '../../../src/extension/rpc/workerError';
import { PageChannel } from '../../../src/extension/webviews/page';
import type { ConversationCalls } from '../../../src/protocol/channels/conversation';
import {
  ALL_PARTS,
  type PanelAction,
  type PanelCalls,
  panelChannel,
  type PanelEvents,
  panelSchemas,
  type PanelStart,
} from '../../../src/protocol/channels/panel';
import type { ConversationHead } from '../../../src/protocol/conversation';
import { createCalls, eventHandlers } from '../../../src/protocol/rpcClient';
import { fakeConversations, head, SESSION_PATH } from './conversationFakes';

const AGENT = SESSION_PATH.replace('.jsonl', '/subagents/agent-a1.jsonl');
const OTHER = '/c/projects/-p/55555555-5555-4555-8555-555555555555.jsonl';
const CHAIN = { kind: 'chain' } as const;
const isRefusal = (error: unknown) => String(error).startsWith('It failed: Refused');
const isUnknown = (error: unknown) => String(error).endsWith('not found');
const QUERY = { text: 'rain', isRegExp: false, isCaseSensitive: false, roles: [], tool: null };

/** Both ends of a panel's channel. Messages between them are JSON, like those of VS Code. */
function openPanel(answers: Partial<ConversationCalls> = {}, reconnectedMs: number | null = null) {
  const worker = fakeConversations(answers);
  const acted: PanelAction[] = [];
  const failures: string[] = [];
  const heads: ConversationHead[] = [];
  const reported: string[] = [];
  const open = new OpenConversations(worker.api);
  const host = new PanelHost(
    { filePath: SESSION_PATH, view: CHAIN, at: null },
    {
      calls: worker.api,
      open,
      texts: () => ({ Copy: 'Kopieren' }),
      locale: 'de',
      act: (action) => {
        acted.push(action);
        return Promise.resolve();
      },
      onReady: () => reported.push('ready'),
      onNavigated: () => reported.push('navigated'),
      onShown: () => reported.push('shown'),
      usageOf: () => Promise.resolve(null),
      resumeOf: () => Promise.resolve({ preflight: null, findings: [] }),
      shownParts: () => ALL_PARTS,
      showParts: (parts) => reported.push(`shows ${JSON.stringify(parts)}`),
      note: () => undefined,
      onHead: (each) => heads.push(each),
      describe: (error) => `It failed: ${String(error)}`,
      stopped: () => null,
      reconnectedMs: () => reconnectedMs,
      tryAgain: () => {
        reported.push('try again');
        return Promise.resolve();
      },
      repairs: {
        seam: () => ({ lines: [7] }),
        proposal: () => Promise.resolve({ kind: 'nothing', why: 'Nothing needs a repair.' }),
        repair: (_scope, isInsisted) => {
          reported.push(`repair ${isInsisted ? 'anyway' : 'if nothing runs it'}`);
          return Promise.resolve({ kind: 'done' });
        },
        undo: () => Promise.resolve({ kind: 'done' }),
      },
    },
  );
  const incoming = new Emitter<unknown>();
  const outgoing = new Emitter<unknown>();
  const channel = new PageChannel({
    channel: panelChannel,
    calls: host,
    schemas: panelSchemas.calls,
    port: {
      post: (message) => {
        outgoing.fire(JSON.parse(JSON.stringify(message)));
      },
      onMessage: incoming.event,
    },
    describe: (error) => `It failed: ${error instanceof Error ? error.message : String(error)}`,
    onFailure: (call) => failures.push(call),
  });
  const page: PanelEvents = {
    started: (start) => void reported.push(`started at ${String(start.reveal)}`),
    changed: (each) => void reported.push(`changed ${String(each.revision)}`),
    subagentChanged: (path) => void reported.push(`subagent ${path}`),
    reveal: (line, find) => void reported.push(`reveal ${String(line)} ${find?.text ?? ''}`.trim()),
    openFind: () => void reported.push('openFind'),
    goToPrompt: (step) => void reported.push(`goToPrompt ${String(step)}`),
    foldAll: () => void reported.push('foldAll'),
    copyMessage: (line, as) => void reported.push(`copyMessage ${String(line)} ${as}`),
    offerRepair: () => void reported.push('offerRepair'),
    repaired: (seam) => void reported.push(`repaired ${String(seam?.lines.length)}`),
    reconnected: (atMs) => void reported.push(`reconnected ${String(atMs)}`),
    stopped: (why) => void reported.push(`stopped ${why}`),
  };
  const rpc = createBirpc<object, object, false>(eventHandlers(panelChannel, page), {
    post: (message: unknown) => {
      incoming.fire(JSON.parse(JSON.stringify(message)));
    },
    on: (listener) => outgoing.event(listener),
    proxify: false,
    timeout: -1,
  });
  const webview = createCalls(panelChannel, ({ method, args, limit }) =>
    rpc.$callRaw({ method, args: [...args], event: limit === null }),
  );
  return { rpc, webview, host, channel, worker, incoming, outgoing, acted, failures, heads, reported };
}

/** The start as the answer to a page. */
async function startOf(webview: PanelCalls): Promise<PanelStart> {
  const answer = await webview.ready();
  assert.ok(!('isSent' in answer), 'it was sent');
  return answer;
}

/** Calls as an untyped caller could make them. */
function rudely(panel: ReturnType<typeof openPanel>) {
  return (method: string, ...args: unknown[]): Promise<unknown> =>
    panel.rpc.$callRaw({ method: `panel.${method}`, args });
}

describe('The channel of a conversation panel', () => {
  it('starts with the panel’s position, the head, and the texts in the language of the window', async () => {
    const { webview, host, heads, reported } = openPanel();
    host.reveal = 12;
    const start = await webview.ready();
    assert.deepEqual(start, {
      navigation: { filePath: SESSION_PATH, view: CHAIN, at: null },
      reveal: 12,
      find: null,
      head: head(),
      pages: [{ revision: 1, from: 0, items: [] }],
      texts: { Copy: 'Kopieren' },
      locale: 'de',
      shown: ALL_PARTS,
      stopped: null,
      reconnectedMs: null,
      seam: { lines: [7] },
      offersRepair: null,
    });
    assert.deepEqual(heads, [head()]);
    assert.deepEqual(reported, ['ready']);
    assert.equal((await webview.ready()).reveal, null, 'a row is shown once');
  });

  it('offers a repair once, and repairs anyway only if the page says so', async () => {
    const { webview, host, reported } = openPanel();
    host.offersRepair = 'all';
    assert.deepEqual([(await webview.ready()).offersRepair, (await webview.ready()).offersRepair], ['all', null]);
    for (const isInsisted of [false, true]) assert.deepEqual(await webview.repair('all', isInsisted), { kind: 'done' });
    assert.deepEqual(reported.slice(-2), ['repair if nothing runs it', 'repair anyway']);
  });

  it('starts with the time at which the session was found again after a restart, however often it is loaded', async () => {
    const { webview } = openPanel({}, 1000);
    for (const times of [1, 2]) assert.equal((await startOf(webview)).reconnectedMs, 1000, String(times));
  });

  it('starts with the reason for showing the first row, once', async () => {
    const { webview, host } = openPanel();
    [host.reveal, host.pendingFind] = [12, QUERY];
    const { reveal, find } = await webview.ready();
    assert.deepEqual([reveal, find], [12, QUERY]);
    assert.equal((await webview.ready()).find, null);
  });

  it('starts with the pages of the last items, or of those around the row that is shown first', async () => {
    const { webview, host } = openPanel({
      openConversation: () => Promise.resolve(head({ count: 1000 })),
      indexOfLine: () => Promise.resolve(500),
    });
    const froms = async () => (await startOf(webview)).pages.map(({ from }) => from);
    assert.deepEqual(await froms(), [960]);
    host.reveal = 700;
    assert.deepEqual(await froms(), [480, 520]);
    await webview.navigated({ view: CHAIN, at: { line: 700, offsetPx: 0 } });
    assert.deepEqual(await froms(), [480, 520]);
  });

  it('starts without items if they cannot be loaded, and the page requests them', async () => {
    const { webview } = openPanel({ conversationItems: () => Promise.reject(new Error('busy')) });
    const { pages, head: reported } = await startOf(webview);
    assert.deepEqual([pages, reported.problem], [[], null]);
  });

  it('queries the worker before the page is loaded, and again if the transcript changes meanwhile', async () => {
    const { webview, host, worker } = openPanel();
    const opened = () => worker.calls.filter(({ method }) => method === 'openConversation').length;
    host.begin(() => undefined);
    assert.equal(opened(), 1);
    await webview.ready();
    assert.equal(opened(), 1);
    host.begin(() => undefined);
    host.forget();
    await webview.ready();
    assert.equal(opened(), 3);
  });

  it('sends the start before the page asks, and answers with what the person has asked for since', async () => {
    const { webview, host, channel, reported } = openPanel();
    host.reveal = 12;
    host.begin((start) => void channel.page.started(start));
    await nextTurn();
    [host.reveal, host.pendingFind, host.offersRepair] = [700, QUERY, 'all'];
    assert.deepEqual(reported, ['started at 12']);
    assert.deepEqual(await webview.ready(), { isSent: true, reveal: 700, find: QUERY, offersRepair: 'all' });
    assert.deepEqual(reported, ['started at 12', 'ready']);
  });

  it('sends the start before the answer to a page that asks while it is read', async () => {
    const { webview, host, channel, reported } = openPanel();
    host.begin((start) => void channel.page.started(start));
    assert.deepEqual(await webview.ready(), { isSent: true, reveal: null, find: null, offersRepair: null });
    assert.deepEqual(reported, ['started at null', 'ready']);
  });

  it('answers with the whole start if the page asks again, because it has missed what was sent or was loaded again', async () => {
    const { webview, host, channel, reported } = openPanel();
    host.begin((start) => void channel.page.started(start));
    await webview.ready();
    assert.equal((await startOf(webview)).head.count, head().count);
    assert.equal(reported.filter((each) => each.startsWith('started')).length, 1);
  });

  it('is notified when the first screen is painted', async () => {
    const panel = openPanel();
    const times = { beganMs: 1, ranMs: 2, answeredMs: 3, drawnMs: 4, paintedMs: 5 };
    await panel.webview.shown(times);
    assert.deepEqual(panel.reported, ['shown']);
    await assert.rejects(rudely(panel)('shown', { ...times, paintedMs: 'now' }), isRefusal);
  });

  it('starts where the page was when it was last seen', async () => {
    const { webview } = openPanel();
    await webview.ready();
    const at = { line: 40, offsetPx: 8 };
    await webview.navigated({ view: { kind: 'file' }, at });
    assert.deepEqual((await startOf(webview)).navigation, { filePath: SESSION_PATH, view: { kind: 'file' }, at });
  });

  it('starts even if the worker does not answer, with the reason in the head', async () => {
    const { webview } = openPanel({ openConversation: () => Promise.reject(new Error('no worker')) });
    const { head: reported } = await startOf(webview);
    assert.equal(reported.problem, 'It failed: Error: no worker');
    assert.equal(reported.count, 0);
    assert.equal(reported.id, '44444444-4444-4444-8444-444444444444');
  });

  it('repeats a request when the worker died during it, but only once', async () => {
    let deaths = 1;
    const conversationText = (): Promise<string> =>
      deaths-- > 0 ? Promise.reject(new WorkerError('worker-died', 'died')) : Promise.resolve('the whole text');
    const { webview } = openPanel({ conversationText });
    await webview.ready();
    assert.equal(await webview.text(SESSION_PATH, 3, ''), 'the whole text');
    deaths = 2;
    await assert.rejects(webview.text(SESSION_PATH, 3, ''), /died/);
  });

  it('forwards a request to try again', async () => {
    const { webview, reported } = openPanel();
    await webview.tryAgain();
    assert.deepEqual(reported, ['try again']);
  });

  it('forwards the worker’s answers', async () => {
    const { webview, worker } = openPanel();
    await webview.ready();
    assert.deepEqual(await webview.items(SESSION_PATH, CHAIN, 100, 50), { revision: 1, from: 100, items: [] });
    assert.equal(await webview.text(SESSION_PATH, 3, 'message.content.0.text'), 'the whole text');
    assert.equal(await webview.indexOfLine({ kind: 'file' }, 9), 3);
    await webview.find(CHAIN, QUERY);
    await webview.outline(CHAIN);
    assert.equal(await webview.image(SESSION_PATH, 3, 'message.content.0'), null);
    assert.equal(await webview.persisted(SESSION_PATH.replace('.jsonl', '/tool-results/a.txt')), 'the output');
    assert.deepEqual(
      worker.calls.map(({ method }) => method),
      [
        'openConversation',
        'conversationItems',
        'conversationItems',
        'conversationText',
        'indexOfLine',
        'findInConversation',
        'conversationOutline',
        'conversationImage',
        'persistedOutput',
      ],
    );
    assert.deepEqual(worker.calls[2]?.args, [SESSION_PATH, CHAIN, 100, 50]);
  });

  it('opens a subagent once, before its rows are requested, and closes all with the panel', async () => {
    const { webview, host, worker } = openPanel();
    await webview.ready();
    await Promise.all([webview.items(AGENT, CHAIN, 0, 50), webview.text(AGENT, 1, 'message')]);
    const opened = () => worker.calls.filter(({ method }) => method === 'openConversation').map(({ args }) => args[0]);
    assert.deepEqual(opened(), [SESSION_PATH, AGENT]);
    host.dispose();
    const closed = worker.calls.filter(({ method }) => method === 'closeConversation').map(({ args }) => args[0]);
    assert.deepEqual(closed.sort(), [AGENT, SESSION_PATH].sort());
  });

  it('knows which subagents it has shown, and notifies the page when one changed', async () => {
    const { webview, host, channel, reported } = openPanel();
    assert.deepEqual(host.subagents, []);
    await webview.ready();
    await webview.items(AGENT, CHAIN, 0, 10);
    assert.deepEqual(host.subagents, [AGENT]);
    channel.page.subagentChanged(AGENT).catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(reported.at(-1), `subagent ${AGENT}`);
    await host.reopen();
    assert.deepEqual(host.subagents, []);
  });

  it('opens a subagent again when a new worker has replaced the one that knew it', async () => {
    const { webview, host, worker } = openPanel();
    await webview.ready();
    await webview.items(AGENT, CHAIN, 0, 50);
    await host.reopen();
    await webview.items(AGENT, CHAIN, 0, 50);
    const opened = worker.calls.filter(({ method }) => method === 'openConversation').map(({ args }) => args[0]);
    assert.deepEqual(opened, [SESSION_PATH, AGENT, SESSION_PATH, AGENT]);
  });

  it('refuses other transcripts and outputs before they reach the worker', async () => {
    const panel = openPanel();
    const { webview, worker, acted } = panel;
    const outputs = ['/etc/passwd', '/c/.credentials.json'];
    for (const path of [OTHER, '/etc/passwd', `${SESSION_PATH}/../../../x.jsonl`]) {
      await assert.rejects(webview.items(path, CHAIN, 0, 1), isRefusal);
      await assert.rejects(webview.text(path, 1, 'x'), isRefusal);
      await assert.rejects(webview.image(path, 1, 'x'), isRefusal);
      await assert.rejects(webview.act({ kind: 'revealLine', filePath: path, line: 1 }), isRefusal);
      await assert.rejects(webview.act({ kind: 'openDiff', filePath: path, line: 1, path: 'x' }), isRefusal);
      await assert.rejects(webview.act({ kind: 'openConversation', filePath: path }), isRefusal);
    }
    for (const path of outputs) await assert.rejects(webview.persisted(path), isRefusal);
    assert.deepEqual(worker.calls, []);
    assert.deepEqual(acted, []);
  });

  it('refuses arguments of the wrong type', async () => {
    const panel = openPanel();
    const call = rudely(panel);
    const calls: readonly [string, ...unknown[]][] = [
      ['head'],
      ['head', 'chain'],
      ['head', { kind: 'branch', leafLine: 1.5 }],
      ['items', SESSION_PATH, CHAIN, -1, 10],
      ['items', SESSION_PATH, CHAIN, 0, 501],
      ['items', SESSION_PATH, CHAIN, 0, 0],
      ['items', SESSION_PATH, CHAIN, 0, '10'],
      ['items', [SESSION_PATH], CHAIN, 0, 10],
      ['text', SESSION_PATH, 0, 'x'],
      ['text', SESSION_PATH, 1e300, 'x'],
      ['text', SESSION_PATH, 1, 'x'.repeat(2000)],
      ['indexOfLine', CHAIN, NaN],
      ['find', CHAIN, { ...QUERY, text: 'x'.repeat(20_000) }],
      ['find', CHAIN, { ...QUERY, roles: ['root'] }],
      ['act', { kind: 'run', command: 'workbench.action.terminal.new' }],
      ['act', { kind: 'openLink', href: 5 }],
      ['act', null],
    ];
    for (const [method, ...args] of calls) {
      await assert.rejects(call(method, ...args), isRefusal, `${method} ${JSON.stringify(args)}`);
    }
    assert.deepEqual(panel.worker.calls, []);
    assert.equal(panel.failures.length, calls.length);
  });

  it('accepts only the calls of its contract', async () => {
    const call = rudely(openPanel());
    for (const method of ['constructor', 'toString', '__proto__', 'dispose', 'reopen', '$close', 'then']) {
      await assert.rejects(call(method), isUnknown, method);
    }
  });

  it('ignores messages that are not calls', async () => {
    const panel = openPanel();
    for (const message of [
      null,
      5,
      'ready',
      [],
      {},
      { t: 's', i: 'x', r: 1 },
      { t: 'q', m: 5, a: [] },
      { t: 'q', m: 'panel.ready' },
    ]) {
      panel.incoming.fire(message);
    }
    assert.deepEqual(panel.worker.calls, []);
    assert.ok(await panel.webview.ready());
  });

  it('reports to the page why a call failed, in words for people', async () => {
    const { webview, failures } = openPanel({ conversationText: () => Promise.reject(new Error('gone')) });
    await assert.rejects(webview.text(SESSION_PATH, 1, 'x'), (error) => error === 'It failed: gone');
    assert.deepEqual(failures, ['text']);
  });

  it('notifies the page of changes without waiting for it', async () => {
    const { channel, reported, outgoing } = openPanel();
    const sent: unknown[] = [];
    outgoing.event((message) => sent.push(message));
    await channel.page.changed(head({ revision: 2 }));
    await channel.page.reveal(7, QUERY);
    await channel.page.openFind();
    await channel.page.stopped('for good');
    assert.deepEqual(reported, ['changed 2', 'reveal 7 rain', 'openFind', 'stopped for good']);
    for (const message of sent) assert.ok(!('i' in (message as object)));
  });

  it('receives nothing once it is closed', async () => {
    const { channel, incoming, worker } = openPanel();
    channel.dispose();
    incoming.fire({ t: 'q', i: '1', m: 'panel.ready', a: [] });
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(worker.calls, []);
  });
});

describe('An open conversation', () => {
  it('is closed when the last panel that shows it releases it', () => {
    const { api, calls } = fakeConversations();
    const open = new OpenConversations(api);
    const [one, other] = [open.hold(SESSION_PATH), open.hold(SESSION_PATH)];
    one.dispose();
    one.dispose();
    assert.deepEqual(calls, []);
    other.dispose();
    assert.deepEqual(calls, [{ method: 'closeConversation', args: [SESSION_PATH] }]);
  });
});

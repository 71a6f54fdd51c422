import assert from 'node:assert/strict';
import { Emitter } from '../../../src/extension/lifetime';
import { CurrentSession, type ShownSession } from '../../../src/extension/sessions/currentSession';
import { type SessionFigures, SessionUsages } from '../../../src/extension/sessions/sessionUsages';
import { readTokensNavigation, todayIn } from '../../../src/extension/tokens/tokensModel';
import { type TokensViewCalls, tokensViewChannel, tokensViewSchemas } from '../../../src/protocol/channels/tokensView';
import { RpcServer } from '../../../src/protocol/rpcServer';
import { sessionUsage } from './usageFakes';

describe('The session of the views beside the tree', () => {
  function start() {
    const [shownChanged, selected] = [new Emitter<void>(), new Emitter<void>()];
    const state: { shown: ShownSession[]; selection: string[] } = { shown: [], selection: [] };
    const current = new CurrentSession({
      panels: {
        get shown() {
          return state.shown;
        },
        onShownChange: shownChanged.event,
      },
      selection: () => state.selection,
      onSelectionChange: selected.event,
    });
    let changes = 0;
    current.onChange(() => changes++);
    return { current, state, shownChanged, selected, changes: () => changes };
  }

  it('is that of the active conversation, else the selected one, else none', () => {
    const { current, state, shownChanged, selected, changes } = start();
    assert.equal(current.filePath, null);
    state.selection = ['/tree.jsonl', '/more.jsonl'];
    selected.fire();
    assert.equal(current.filePath, '/tree.jsonl');
    state.shown = [
      { filePath: '/behind.jsonl', place: 'background' },
      { filePath: '/beside.jsonl', place: 'visible' },
    ];
    shownChanged.fire();
    assert.equal(current.filePath, '/beside.jsonl');
    state.shown.push({ filePath: '/front.jsonl', place: 'active' });
    shownChanged.fire();
    assert.equal(current.filePath, '/front.jsonl');
    assert.equal(changes(), 3);
    shownChanged.fire();
    assert.equal(changes(), 3);
  });
});

describe('The calls that the page of the Tokens view may make', () => {
  const asked: unknown[] = [];
  const host: TokensViewCalls = {
    ready: () => Promise.reject(new Error('not asked for')),
    navigated: (navigation) => void asked.push(navigation),
    resized: (pixels) => void asked.push(pixels),
    act: (action) => Promise.resolve(void asked.push(action)),
    openSession: (filePath) => Promise.resolve(void asked.push(filePath)),
  };
  const server = new RpcServer();
  server.serve(tokensViewChannel, host, tokensViewSchemas.calls);
  const calls = { get: (name: string) => server.handler(`tokensView.${name}`) };

  it('are its own few calls with arguments of the right types', () => {
    calls.get('act')?.('1', 'export');
    calls.get('openSession')?.('/s.jsonl');
    calls.get('navigated')?.({ range: 'week', measure: 'tokens', tables: ['day'] });
    assert.deepEqual(asked, ['export', '/s.jsonl', { range: 'week', measure: 'tokens', tables: ['day'] }]);
    assert.deepEqual(Object.keys(tokensViewChannel.calls).sort(), [
      'act',
      'navigated',
      'openSession',
      'ready',
      'resized',
    ]);
  });

  it('are refused otherwise, without repeating the input', () => {
    const before = asked.length;
    for (const [call, ...args] of [
      ['act', '1', 'workbench.action.quit'],
      ['act', '1'],
      ['openSession', 7],
      ['openSession', 'x'.repeat(40_000)],
      ['navigated', { range: 'century', measure: 'cost', tables: [] }],
      ['navigated', { range: 'all', measure: 'cost', tables: Array.from({ length: 9 }, () => 'day') }],
    ] as const) {
      assert.throws(() => calls.get(call)?.(...args), /^Error: Refused: (?!.*(quit|century))/);
    }
    assert.equal(asked.length, before);
  });

  it('start with the person’s last selection, and with a week by default', () => {
    const kept = { range: 'all', measure: 'tokens', tables: ['model'] };
    assert.deepEqual(readTokensNavigation(kept), kept);
    for (const state of [undefined, null, 'all', { range: 'all' }, { ...kept, tables: ['x'] }]) {
      assert.equal(readTokensNavigation(state).range, 'week');
    }
  });
});

describe('The day of a time', () => {
  it('depends on the time zone', () => {
    const time = Date.UTC(2026, 9, 24, 23, 30);
    assert.equal(todayIn('UTC', time), '2026-10-24');
    assert.equal(todayIn('Europe/Berlin', time), '2026-10-25');
    assert.equal(todayIn('America/Los_Angeles', time), '2026-10-24');
    assert.equal(todayIn('Pacific/Kiritimati', time), '2026-10-25');
  });
});

describe('The tokens in tooltips', () => {
  const FIGURES: SessionFigures = { usage: sessionUsage(), preflight: null };

  it('are available at once if they are known', async () => {
    const usages = new SessionUsages(() => Promise.resolve(FIGURES), 10_000);
    assert.equal((await usages.soon('/a'))?.usage?.total.messages, 31);
  });

  it('are waited for only briefly, and are available on the next request', async () => {
    let answer: (figures: SessionFigures) => void = () => undefined;
    let asked = 0;
    const usages = new SessionUsages(() => {
      asked++;
      return new Promise((resolve) => (answer = resolve));
    }, 1);
    const late: string[] = [];
    const reported = new Promise<void>((resolve) => {
      usages.onLate((path) => {
        late.push(path);
        resolve();
      });
    });
    assert.equal(await usages.soon('/a'), null);
    assert.equal(await usages.soon('/a'), null);
    assert.equal(asked, 1);
    answer(FIGURES);
    await reported;
    assert.deepEqual(late, ['/a']);
    assert.equal((await usages.soon('/a'))?.usage?.total.messages, 31);
    assert.equal(asked, 1);
  });

  it('are empty if they cannot be counted', async () => {
    const usages = new SessionUsages(() => Promise.reject(new Error('no')), 10_000);
    assert.equal(await usages.soon('/a'), null);
  });
});

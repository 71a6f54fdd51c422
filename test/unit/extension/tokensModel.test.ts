import assert from 'node:assert/strict';
import { Emitter } from '../../../src/extension/lifetime';
import { WorkerError } from '../../../src/extension/rpc/workerError';
import { type ShownSession, TokensModel, type TokensSettings } from '../../../src/extension/tokens/tokensModel';
import type { TokensSnapshot } from '../../../src/protocol/channels/tokensView';
import type { UsageCalls, UsageView } from '../../../src/protocol/channels/usage';
import type { SessionUsage, UsageOverview } from '../../../src/protocol/usage';
import { overview, sessionUsage, spending, USAGE_PATH } from './usageFakes';

const VIEW: UsageView = { timeZone: 'Europe/Berlin', priceOverrides: {} };
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

describe('The model of the Tokens view', () => {
  const models: TokensModel[] = [];
  afterEach(() => {
    for (const model of models.splice(0)) model.dispose();
  });

  function start(answers: Partial<UsageCalls> = {}) {
    const [usageChanged, restarted, gaveUp] = [
      new Emitter<UsageOverview>(),
      new Emitter<void>(),
      new Emitter<string>(),
    ];
    const calls: string[] = [];
    const state: { shown: ShownSession | null; settings: TokensSettings; nowMs: number } = {
      shown: { path: USAGE_PATH, title: 'Mend the form', isRunning: false },
      settings: { view: VIEW, invalidPrices: [] },
      nowMs: Date.UTC(2026, 10, 22, 12),
    };
    const usage: UsageCalls = {
      watchUsage: (view) => {
        calls.push(view === null ? 'unwatch' : 'watch');
        return answers.watchUsage?.(view) ?? Promise.resolve(view === null ? null : overview(1));
      },
      sessionUsage: (filePath, view) => {
        calls.push(`session ${filePath.slice(-9)}`);
        return answers.sessionUsage?.(filePath, view) ?? Promise.resolve(sessionUsage());
      },
      exportUsage: () => Promise.reject(new Error('not asked for')),
    };
    const model = new TokensModel({
      client: {
        usage: { ...usage, onUsageChanged: usageChanged.event },
        onRestarted: restarted.event,
        onGaveUp: gaveUp.event,
      },
      readSettings: () => state.settings,
      shownSession: () => state.shown,
      labelOf: ({ folder }) => folder,
      describe: (error) => `It failed: ${String(error)}`,
      texts: {
        gaveUp: () => 'gave up',
        noFolder: () => 'no folder',
        gone: () => 'gone',
        invalidPrices: (invalid) => `no prices: ${invalid.join()}`,
      },
      now: () => state.nowMs,
    });
    models.push(model);
    const reported: TokensSnapshot[] = [];
    model.onChange((snapshot) => reported.push(snapshot));
    return { model, calls, reported, state, usageChanged, restarted, gaveUp };
  }

  it('requests nothing before the view is visible, and stops the watch when it is hidden', async () => {
    const { model, calls } = start();
    model.sessionMoved();
    await settle();
    assert.equal(calls.length, 0);
    model.setWatching(true);
    model.setWatching(true);
    await settle();
    assert.deepEqual(calls.slice(0, 2), ['watch', 'session 444.jsonl']);
    assert.equal(calls.filter((call) => call === 'watch').length, 1);
    model.setWatching(false);
    assert.equal(calls.at(-1), 'unwatch');
  });

  it('sends everything, with an increasing revision', async () => {
    const { model, reported } = start();
    model.setWatching(true);
    await settle();
    const last = reported.at(-1);
    assert.equal(last?.overview?.files.total, 3);
    assert.equal(last.session?.usage?.context?.tokens, 84_312);
    assert.deepEqual(
      reported.map(({ revision }) => revision),
      reported.map((_, at) => at + 1),
    );
    assert.deepEqual(model.snapshot, last);
  });

  it('sends nothing while the view is hidden', async () => {
    const { model, reported, usageChanged } = start();
    model.setWatching(true);
    await settle();
    model.setWatching(false);
    const before = reported.length;
    usageChanged.fire(overview(9));
    await settle();
    assert.equal(reported.length, before);
  });

  it('counts the session again when something changed on disk, one request at a time', async () => {
    const open: ((usage: SessionUsage) => void)[] = [];
    const { model, calls, usageChanged } = start({
      sessionUsage: () => new Promise((resolve) => open.push(resolve)),
    });
    model.setWatching(true);
    await settle();
    for (const revision of [2, 3, 4]) usageChanged.fire(overview(revision));
    await settle();
    assert.equal(open.length, 1);
    open[0]?.(sessionUsage());
    await settle();
    assert.equal(open.length, 2, calls.join());
    open[1]?.(sessionUsage({ total: spending(2) }));
    await settle();
    assert.equal(open.length, 2);
    assert.equal(model.snapshot.session?.usage?.total.messages, 62);
  });

  it('shows the session that the person switches to, and no answer about the previous one', async () => {
    const open = new Map<string, (usage: SessionUsage) => void>();
    const { model, state } = start({
      sessionUsage: (filePath) => new Promise((resolve) => open.set(filePath, resolve)),
    });
    model.setWatching(true);
    await settle();
    state.shown = { path: '/c/other.jsonl', title: 'Other', isRunning: true };
    model.sessionMoved();
    open.get(USAGE_PATH)?.(sessionUsage());
    await settle();
    assert.equal(model.snapshot.session?.title, 'Other');
    assert.equal(model.snapshot.session.usage, null);
    open.get('/c/other.jsonl')?.(sessionUsage({ filePath: '/c/other.jsonl' }));
    await settle();
    assert.equal(model.snapshot.session.filePath, '/c/other.jsonl');
    assert.notEqual(model.snapshot.session.usage, null);
    state.shown = null;
    model.sessionMoved();
    assert.equal(model.snapshot.session, null);
  });

  it('reports a deleted or uncountable transcript in place of figures', async () => {
    const gone = start({ sessionUsage: () => Promise.resolve(null) });
    gone.model.setWatching(true);
    await settle();
    assert.equal(gone.model.snapshot.session?.problem, 'gone');
    const failed = start({ sessionUsage: () => Promise.reject(new Error('no')) });
    failed.model.setWatching(true);
    await settle();
    assert.match(failed.model.snapshot.session?.problem ?? '', /It failed/);
  });

  it('queries the worker that replaces a dead one, and keeps the last figures until it answers', async () => {
    let isDead = false;
    const { model, calls, restarted } = start({
      watchUsage: () =>
        isDead ? Promise.reject(new WorkerError('worker-died', 'died')) : Promise.resolve(overview(5)),
    });
    model.setWatching(true);
    await settle();
    isDead = true;
    model.reconfigure();
    await settle();
    assert.equal(model.snapshot.problem, null);
    assert.notEqual(model.snapshot.overview, null);
    isDead = false;
    restarted.fire();
    await settle();
    assert.equal(calls.filter((call) => call === 'watch').length, 3);
    assert.equal(model.snapshot.problem, null);
  });

  it('accepts the figures of a worker whose revisions start again', async () => {
    const answers = [overview(50), overview(1, { files: { total: 4, waiting: 0 } })];
    const { model, restarted } = start({ watchUsage: (view) => Promise.resolve(view && (answers.shift() ?? null)) });
    model.setWatching(true);
    await settle();
    restarted.fire();
    await settle();
    assert.equal(model.snapshot.overview?.files.total, 4);
  });

  it('reports that the worker was given up, beside the last figures', async () => {
    const { model, gaveUp } = start();
    model.setWatching(true);
    await settle();
    gaveUp.fire('x');
    assert.equal(model.snapshot.problem, 'gave up');
    assert.notEqual(model.snapshot.overview, null);
    model.reconfigure();
    await settle();
    assert.equal(model.snapshot.problem, null);
  });

  it('requests nothing if the settings name no folder, and reports it', async () => {
    const { model, state, calls } = start();
    state.settings = { view: null, invalidPrices: [] };
    model.reconfigure();
    model.setWatching(true);
    await settle();
    assert.equal(model.snapshot.problem, 'no folder');
    assert.equal(calls.length, 0);
  });

  it('reports invalid prices', () => {
    const { model, state } = start();
    state.settings = { view: VIEW, invalidPrices: ['m.input'] };
    model.reconfigure();
    assert.equal(model.snapshot.priceProblem, 'no prices: m.input');
  });
});

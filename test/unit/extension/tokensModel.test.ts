import assert from 'node:assert/strict';
import { Emitter } from '../../../src/extension/lifetime';
import { WorkerError } from '../../../src/extension/rpc/workerError';
import { type ShownSession, TokensModel, type TokensSettings } from '../../../src/extension/tokens/tokensModel';
import type { TokensSnapshot } from '../../../src/protocol/channels/tokensView';
import type { UsageCalls, UsageView } from '../../../src/protocol/channels/usage';
import type { SessionResume, SessionUsage, UsageOverview } from '../../../src/protocol/usage';
import { overview, sessionUsage, spending, toolUsage, USAGE_PATH } from './usageFakes';

const VIEW: UsageView = { timeZone: 'Europe/Berlin', priceOverrides: {} };
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

const RESUME: SessionResume = {
  sessionId: 's',
  filePath: '/c/s.jsonl',
  title: 'Long ago',
  context: { tokens: 1000, model: 'm', window: null },
  resumeCost: { usd: 1, unpricedTokens: 0 },
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
    const state: { shown: ShownSession | null; hasSessions: boolean; settings: TokensSettings; nowMs: number } = {
      hasSessions: true,
      shown: { path: USAGE_PATH, title: 'Mend the form', isRunning: false },
      settings: { view: VIEW, invalidPrices: [] },
      nowMs: Date.UTC(2026, 10, 22, 12),
    };
    const usage: UsageCalls = {
      watchUsage: (view) => {
        calls.push(view === null ? 'unwatch' : 'watch');
        return answers.watchUsage?.(view) ?? Promise.resolve(view === null ? null : overview(1));
      },
      sessionTokens: () => Promise.resolve([]),
      resumeCosts: (view) => {
        calls.push('resumes');
        return answers.resumeCosts?.(view) ?? Promise.resolve([RESUME]);
      },
      toolUsage: (view) => {
        calls.push('tools');
        return answers.toolUsage?.(view) ?? Promise.resolve(toolUsage());
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
      hasSessions: () => state.hasSessions,
      labelOf: ({ folder }) => folder,
      describeResume: ({ title, ...resume }) => ({ ...resume, title: title ?? '', isRunning: true }),
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
    model.onChange(() => reported.push(model.snapshotFor('view')));
    return { model, calls, reported, state, usageChanged, restarted, gaveUp };
  }

  it('requests nothing before the view is visible, and stops the watch when it is hidden', async () => {
    const { model, calls } = start();
    model.sessionMoved();
    await settle();
    assert.equal(calls.length, 0);
    model.setWatching('view', true);
    model.setWatching('view', true);
    await settle();
    assert.deepEqual(calls.slice(0, 2), ['watch', 'session 444.jsonl']);
    assert.equal(calls.filter((call) => call === 'watch').length, 1);
    model.setWatching('view', false);
    assert.equal(calls.at(-1), 'unwatch');
  });

  it('sends everything, with an increasing revision', async () => {
    const { model, reported } = start();
    model.setWatching('view', true);
    await settle();
    const last = reported.at(-1);
    assert.equal(last?.overview?.files.total, 3);
    assert.equal(last.session?.usage?.context?.tokens, 84_312);
    assert.deepEqual(
      reported.map(({ revision }) => revision),
      reported.map((_, at) => at + 1),
    );
    assert.deepEqual(model.snapshotFor('view'), last);
  });

  it('sends nothing while the view is hidden', async () => {
    const { model, reported, usageChanged } = start();
    model.setWatching('view', true);
    await settle();
    model.setWatching('view', false);
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
    model.setWatching('view', true);
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
    assert.equal(model.snapshotFor('view').session?.usage?.total.messages, 62);
  });

  it('shows the session that the person switches to, and no answer about the previous one', async () => {
    const open = new Map<string, (usage: SessionUsage) => void>();
    const { model, state } = start({
      sessionUsage: (filePath) => new Promise((resolve) => open.set(filePath, resolve)),
    });
    model.setWatching('view', true);
    await settle();
    state.shown = { path: '/c/other.jsonl', title: 'Other', isRunning: true };
    model.sessionMoved();
    open.get(USAGE_PATH)?.(sessionUsage());
    await settle();
    assert.equal(model.snapshotFor('view').session?.title, 'Other');
    assert.equal(model.snapshotFor('view').session?.usage, null);
    open.get('/c/other.jsonl')?.(sessionUsage({ filePath: '/c/other.jsonl' }));
    await settle();
    assert.equal(model.snapshotFor('view').session?.filePath, '/c/other.jsonl');
    assert.notEqual(model.snapshotFor('view').session?.usage ?? null, null);
    state.shown = null;
    model.sessionMoved();
    assert.equal(model.snapshotFor('view').session, null);
  });

  it('reports a deleted or uncountable transcript in place of figures', async () => {
    const gone = start({ sessionUsage: () => Promise.resolve(null) });
    gone.model.setWatching('view', true);
    await settle();
    assert.equal(gone.model.snapshotFor('view').session?.problem, 'gone');
    const failed = start({ sessionUsage: () => Promise.reject(new Error('no')) });
    failed.model.setWatching('view', true);
    await settle();
    assert.match(failed.model.snapshotFor('view').session?.problem ?? '', /It failed/);
  });

  it('queries the worker that replaces a dead one, and keeps the last figures until it answers', async () => {
    let isDead = false;
    const { model, calls, restarted } = start({
      watchUsage: () =>
        isDead ? Promise.reject(new WorkerError('worker-died', 'died')) : Promise.resolve(overview(5)),
    });
    model.setWatching('view', true);
    await settle();
    isDead = true;
    model.reconfigure();
    await settle();
    assert.equal(model.snapshotFor('view').problem, null);
    assert.notEqual(model.snapshotFor('view').overview, null);
    isDead = false;
    restarted.fire();
    await settle();
    assert.equal(calls.filter((call) => call === 'watch').length, 3);
    assert.equal(model.snapshotFor('view').problem, null);
  });

  it('accepts the figures of a worker whose revisions start again', async () => {
    const answers = [overview(50), overview(1, { files: { total: 4, waiting: 0 } })];
    const { model, restarted } = start({ watchUsage: (view) => Promise.resolve(view && (answers.shift() ?? null)) });
    model.setWatching('view', true);
    await settle();
    restarted.fire();
    await settle();
    assert.equal(model.snapshotFor('view').overview?.files.total, 4);
  });

  it('reports that the worker was given up, beside the last figures', async () => {
    const { model, gaveUp } = start();
    model.setWatching('view', true);
    await settle();
    gaveUp.fire('x');
    assert.equal(model.snapshotFor('view').problem, 'gave up');
    assert.notEqual(model.snapshotFor('view').overview, null);
    model.reconfigure();
    await settle();
    assert.equal(model.snapshotFor('view').problem, null);
  });

  it('requests nothing if the settings name no folder, and reports it', async () => {
    const { model, state, calls } = start();
    state.settings = { view: null, invalidPrices: [] };
    model.reconfigure();
    model.setWatching('view', true);
    await settle();
    assert.equal(model.snapshotFor('view').problem, 'no folder');
    assert.equal(calls.length, 0);
  });

  it('counts for the page beside the view, without the session, until both are hidden', async () => {
    const { model, calls } = start();
    model.setWatching('page', true);
    await settle();
    assert.deepEqual(calls, ['watch', 'resumes', 'tools']);
    assert.equal(model.snapshotFor('page').overview?.page?.resumes?.[0]?.title, 'Long ago');
    assert.equal(model.snapshotFor('page').overview?.page?.ranges.length, 4);
    assert.equal(model.snapshotFor('page').session, null);
    model.setWatching('view', true);
    await settle();
    assert.ok(calls.includes('session 444.jsonl'));
    assert.notEqual(model.snapshotFor('view').session?.usage ?? null, null);
    assert.equal(model.snapshotFor('view').overview?.page, null);
    assert.equal(model.snapshotFor('view').overview?.today.messages, 31);
    model.setWatching('page', false);
    assert.ok(!calls.includes('unwatch'));
    model.setWatching('view', false);
    assert.equal(calls.at(-1), 'unwatch');
    assert.equal(calls.filter((call) => call === 'watch').length, 1);
  });

  it('lists the costs of resuming only for the page, and not while transcripts are being counted', async () => {
    const { model, calls, usageChanged } = start({
      watchUsage: (view) => Promise.resolve(view && overview(1, { files: { total: 3, waiting: 1 } })),
    });
    model.setWatching('view', true);
    model.setWatching('page', true);
    await settle();
    assert.ok(!calls.includes('resumes'));
    assert.equal(model.snapshotFor('page').overview?.page?.resumes, null);
    usageChanged.fire(overview(2));
    await settle();
    assert.equal(calls.filter((call) => call === 'resumes').length, 1);
    model.setWatching('page', false);
    usageChanged.fire(overview(3));
    await settle();
    assert.equal(calls.filter((call) => call === 'resumes').length, 1);
  });

  it('counts tools only for the page, and not before the tokens are counted', async () => {
    const { model, calls, usageChanged } = start({
      watchUsage: (view) => Promise.resolve(view && overview(1, { files: { total: 3, waiting: 1 } })),
    });
    model.setWatching('view', true);
    await settle();
    model.setWatching('page', true);
    await settle();
    assert.ok(!calls.includes('tools'));
    assert.deepEqual(model.snapshotFor('page').overview?.page?.tools, { kind: 'waiting' });
    usageChanged.fire(overview(2));
    await settle();
    assert.equal(calls.filter((call) => call === 'tools').length, 1);
    assert.deepEqual(model.snapshotFor('page').overview?.page?.tools, { kind: 'counted', ...toolUsage() });
    assert.equal(model.snapshotFor('view').overview?.page, null);
    model.setWatching('page', false);
    usageChanged.fire(overview(3));
    await settle();
    assert.equal(calls.filter((call) => call === 'tools').length, 1);
  });

  it('asks for the tools again while transcripts are left, until the page is hidden', async () => {
    const answers: (() => void)[] = [];
    let waiting = 5;
    const { model, calls } = start({
      toolUsage: () =>
        new Promise((resolve) => {
          answers.push(() => {
            resolve(toolUsage(--waiting));
          });
        }),
    });
    const files = () => {
      const tools = model.snapshotFor('page').overview?.page?.tools;
      return tools?.kind === 'counted' ? tools.files.waiting : null;
    };
    model.setWatching('page', true);
    for (const expected of [4, 3]) {
      await settle();
      answers.shift()?.();
      await settle();
      assert.equal(files(), expected);
    }
    model.setWatching('page', false);
    answers.shift()?.();
    await settle();
    assert.deepEqual([answers.length, calls.filter((call) => call === 'tools').length], [0, 3]);
    model.setWatching('page', true);
    await settle();
    answers.shift()?.();
    await settle();
    assert.equal(files(), 1);
  });

  it('reports why tools cannot be counted, but not in place of figures', async () => {
    const results = [
      Promise.reject(new Error('no disk')),
      Promise.resolve(toolUsage()),
      Promise.reject(new Error('x')),
    ];
    for (const result of results) result.catch(() => undefined);
    const { model, usageChanged } = start({ toolUsage: () => results.shift() ?? Promise.resolve(toolUsage()) });
    const kind = () => model.snapshotFor('page').overview?.page?.tools;
    model.setWatching('page', true);
    await settle();
    assert.deepEqual(kind(), { kind: 'failed', problem: 'It failed: Error: no disk' });
    for (let revision = 2; revision < 4; revision++) {
      usageChanged.fire(overview(revision));
      await settle();
      assert.equal(kind()?.kind, 'counted');
    }
  });

  it('says in either place whether the list has a session, as soon as it has one', async () => {
    for (const place of ['view', 'page'] as const) {
      const { model, state, reported } = start();
      state.hasSessions = false;
      state.shown = null;
      model.setWatching(place, true);
      await settle();
      assert.equal(model.snapshotFor(place).hasSessions, false);
      const before = reported.length;
      model.listChanged();
      assert.equal(reported.length, before);
      state.hasSessions = true;
      model.listChanged();
      assert.equal(model.snapshotFor(place).hasSessions, true);
      assert.equal(reported.length, before + 1);
      model.setWatching(place, false);
      state.hasSessions = false;
      model.listChanged();
      assert.equal(reported.length, before + 1);
    }
  });

  it('reports invalid prices', () => {
    const { model, state } = start();
    state.settings = { view: VIEW, invalidPrices: ['m.input'] };
    model.reconfigure();
    assert.equal(model.snapshotFor('view').priceProblem, 'no prices: m.input');
  });
});

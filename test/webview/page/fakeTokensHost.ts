// Stands in for VS Code and the extension in the page of a test: the Tokens view's own bundle finds `acquireVsCodeApi`
// here.
import { createBirpc } from 'birpc';
import {
  tokensViewChannel,
  type TokensAction,
  type TokensNavigation,
  type TokensPlace,
  type TokensSnapshot,
  type TokensViewCalls,
} from '../../../src/protocol/channels/tokensView';
import { createEvents, RpcServer } from '../../../src/protocol/rpcServer';
import type { FakeTokens } from './fakeTokensApi';
import {
  emptyOverview,
  fullOverview,
  fullPage,
  fullSession,
  fullSnapshot,
  NOTHING,
  sessionUsage,
  spending,
} from './fakeUsage';

const ask = new URLSearchParams(location.search);
const actions: TokensAction[] = [];
const opened: string[] = [];
let kept: TokensNavigation | null = null;
let isRefusing = false;

const SCENARIOS: Readonly<Record<string, () => Partial<TokensSnapshot>>> = {
  full: () => ({}),
  starting: () => ({ overview: null, session: null }),
  listing: () => ({
    overview: { ...emptyOverview(0), files: { total: 0, waiting: 0, isListing: true } },
    session: null,
  }),
  'no-sessions': () => ({ overview: emptyOverview(0), session: null, hasSessions: false }),
  uncounted: () => ({ overview: emptyOverview(0), session: null }),
  unused: () => ({ overview: emptyOverview(3), session: null }),
  counting: () => ({
    overview: { ...fullOverview(), files: { total: 10_000, waiting: 6123 } },
    session: fullSession({ usage: null }),
  }),
  failed: () => ({ problem: 'What counts the tokens has stopped several times in a row.' }),
  'failed-at-once': () => ({
    overview: null,
    session: null,
    problem: 'The setting rethread.claudeConfigDir has to be an absolute path.',
  }),
  notices: () => ({
    overview: { ...fullOverview(), problem: '2 transcripts could not be read.' },
    priceProblem: 'The prices of “my-model” in the settings cannot be used: “input” is no number.',
  }),
  'no-price': () => ({
    overview: {
      ...fullOverview(),
      today: spending(3, false),
      page: {
        ...fullPage(),
        ranges: fullPage().ranges.map((range) => ({
          ...range,
          total: spending(3, false),
          models: [{ model: 'someone/else-1', hasPrice: false, ...spending(3, false) }],
          cache: range.cache.slice(3),
          projects: range.projects.map((project) => ({ ...project, ...spending(3, false) })),
        })),
        days: fullPage().days.map((day) => ({
          ...day,
          ...spending(1, false),
          models: [{ model: 'someone/else-1', hasPrice: false, ...spending(1, false) }],
        })),
        resumes: (fullPage().resumes ?? []).slice(3),
        calendar: { ...fullPage().calendar, usd: fullPage().calendar.messages.map(() => null) },
      },
    },
    session: fullSession({
      usage: {
        ...sessionUsage(),
        total: spending(1, false),
        subagents: NOTHING,
        shared: NOTHING,
        models: [{ model: 'someone/else-1', hasPrice: false, ...spending(1, false) }],
        context: { tokens: 84_312, model: 'someone/else-1', window: null },
        resumeCost: { usd: null, unpricedTokens: 84_312 },
        clientTally: null,
      },
    }),
  }),
  'nearly-full': () => ({
    session: fullSession({ usage: { ...sessionUsage(), context: { tokens: 191_004, model: 'm', window: 200_000 } } }),
  }),
  hostile: () => hostile(),
};

/** Names that look like markup or styles, or are too wide. */
function hostile(): Partial<TokensSnapshot> {
  const names = [
    '<img src=x onerror="document.title=1">',
    '"><script>document.title=2</script>',
    '\u202Egnp.elif\u0000\u0007',
    'x'.repeat(4000),
    "' style='position:fixed;inset:0;background:red",
    '',
    '__proto__',
  ];
  const full = fullPage();
  const models = names.map((model) => ({ model, hasPrice: true, ...spending(3) }));
  return {
    overview: {
      ...fullOverview(),
      problem: '<b>not bold</b>',
      page: {
        ...full,
        days: full.days.map((day) => ({ ...day, ...spending(21), models })),
        ranges: full.ranges.map((range) => ({
          ...range,
          models,
          cache: names.map((model) => ({
            model,
            others: 0,
            promptTokens: 9e15,
            readTokens: 9.9e15,
            savedUsd: -1e12,
            writeExtraUsd: 1e12,
          })),
          projects: names.map((label, at) => ({ label, cwd: label, folder: `${at}`, ...spending(1e9 * (at + 1)) })),
        })),
        resumes: names.map((title, at) => ({
          title,
          filePath: `/${at}`,
          isRunning: at % 2 === 0,
          context: { tokens: 9e15, model: title, window: at % 2 === 0 ? 0 : 1 },
          resumeCost: { usd: -1e12, unpricedTokens: 0 },
        })),
        tools: {
          kind: 'counted',
          ranges: full.ranges.map(({ range: each }) => ({
            range: each,
            tools: names.map((name, at) => ({ name, calls: 9e15, failed: at * 2e15, resultCharacters: 9e15 })),
            others: { calls: 0, failed: 1, resultCharacters: -1 },
          })),
          files: { total: 1, waiting: 2, unreadable: 9e15 },
        },
        calendar: {
          ...full.calendar,
          messages: full.calendar.messages.map((each, at) => (at % 3 === 0 ? -each : each * 1e12)),
          tokens: full.calendar.tokens.map((each, at) => (at % 5 === 0 ? -each : each * 1e9)),
          usd: full.calendar.usd.map((each, at) => (each ?? 0) * (at % 2 === 0 ? -1e9 : 1e9)),
        },
      },
    },
    session: fullSession({ title: names.join(' '), usage: { ...sessionUsage(), models } }),
  };
}

const place: TokensPlace = ask.get('place') === 'page' ? 'page' : 'view';
let snapshot = forPlace({ ...fullSnapshot(), ...SCENARIOS[ask.get('scenario') ?? 'full']?.() });
const range = ask.get('range') as TokensNavigation['range'] | null;

/** The part of a snapshot that the extension sends to the page. */
function forPlace(whole: TokensSnapshot): TokensSnapshot {
  if (place === 'page') return { ...whole, session: null };
  return { ...whole, overview: whole.overview && { ...whole.overview, page: null } };
}

const hostApi: TokensViewCalls = {
  ready: () =>
    Promise.resolve({
      place,
      navigation: { range: range ?? 'month', measure: 'cost', tables: [] },
      snapshot,
      texts: {},
      locale: ask.get('locale') ?? 'en',
    }),
  navigated: () => undefined,
  resized: () => undefined,
  act: (action) => {
    actions.push(action);
    return isRefusing ? Promise.reject(new Error('That did not work.')) : Promise.resolve();
  },
  openSession: (filePath) => {
    opened.push(filePath);
    return isRefusing ? Promise.reject(new Error('That did not work.')) : Promise.resolve();
  },
};

const listeners: ((message: unknown) => void)[] = [];
const server = new RpcServer();
server.serve(tokensViewChannel, hostApi);
const view = createEvents(
  tokensViewChannel,
  createBirpc<object, object, false>(
    {},
    {
      post: (message: unknown) => {
        setTimeout(() => window.dispatchEvent(new MessageEvent('message', { data: structuredClone(message) })));
      },
      on: (listener) => {
        listeners.push(listener);
      },
      resolver: server.handler,
      proxify: false,
    },
  ),
);

const fake: FakeTokens = {
  change: (change) => {
    snapshot = forPlace({ ...snapshot, revision: snapshot.revision + 1, ...change });
    void view.changed(snapshot);
  },
  snapshot: () => snapshot,
  actions: () => actions,
  opened: () => opened,
  kept: () => kept,
  refuse: () => {
    isRefusing = true;
  },
};
Object.assign(window, {
  tokens: fake,
  acquireVsCodeApi: () => ({
    postMessage: (message: unknown) => {
      const copy: unknown = structuredClone(message);
      setTimeout(() => {
        for (const listener of listeners) listener(copy);
      });
    },
    getState: () => undefined,
    setState: (state: TokensNavigation) => {
      kept = state;
    },
  }),
});

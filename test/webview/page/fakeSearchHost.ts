// Stands in for VS Code and the extension in the page of a test: the Search view's own bundle finds `acquireVsCodeApi` here.
import { createBirpc } from 'birpc';
import {
  EMPTY_FORM,
  type FoundHit,
  type FoundSession,
  type HitAuthor,
  type SearchedProject,
  type SearchForm,
  type SearchNavigation,
  type SearchStart,
  searchViewChannel,
  type SearchViewCalls,
} from '../../../src/protocol/channels/searchView';
import { createEvents, RpcServer } from '../../../src/protocol/rpcServer';
import type { FakeSearch, SearchAsk } from './fakeSearchApi';

const ask = new URLSearchParams(location.search);
const asked: SearchAsk[] = [];
let form: SearchForm | null = null;
let navigation: SearchNavigation | null = null;

const STATION: SearchedProject = { folder: '/c/projects/-home-mo-station', label: 'weather-station', around: '~/work' };
const BOX: SearchedProject = { folder: '/c/projects/-home-mo-box', label: 'recipe-box', around: '~' };
const OTHER_BOX: SearchedProject = { folder: '/c/projects/-srv-box', label: 'recipe-box', around: '/srv' };

function hit(line: number, author: HitAuthor, before: string, found: string, after: string): FoundHit {
  const position = { start: before.length, end: before.length + found.length };
  return { line, author, timeMs: Date.UTC(2026, 10, 3, 17, line % 60), excerpt: before + found + after, hit: position };
}

const RAIN: FoundSession = {
  filePath: `${STATION.folder}/1.jsonl`,
  title: 'Draw the rain of a day',
  age: '2h',
  project: STATION,
  hits: [
    hit(3, 'you', 'Count the ', 'rain', ' of each hour, from the tips of the bucket.'),
    hit(
      9,
      'claude',
      '…the gauge empties itself whenever 0.2 mm of ',
      'rain',
      ' have fallen, so each tip is worth that much.',
    ),
    hit(
      12,
      'tools',
      'export function drawBars(',
      'rain',
      ': readonly Hour[]): string { return rain.map(bar).join("") }',
    ),
    hit(30, 'client', 'The file src/', 'rain', '.ts was changed.'),
  ],
};
const WIND: FoundSession = {
  filePath: `${STATION.folder}/2.jsonl`,
  title: 'Show the wind on a map, with an arrow for each hour and the gusts of the day beside them',
  age: '3d',
  project: STATION,
  hits: [hit(7, 'claude', 'It has nothing to do with ', 'rain', '.')],
};
const SOUP: FoundSession = {
  filePath: `${BOX.folder}/3.jsonl`,
  title: 'Import the soups',
  age: '5w',
  project: BOX,
  hits: [
    hit(4, 'tools', 'D', 'rain', ' the beans, and rinse them.'),
    hit(8, 'you', 'Is “d', 'rain', '” a step of its own?'),
  ],
};

const BASE: SearchStart = {
  form: { ...EMPTY_FORM, text: 'rain' },
  navigation: { hasFilters: false, folded: [], scrollTop: 0 },
  sessions: [RAIN, WIND, SOUP],
  status: { kind: 'done', sessionsTotal: 120, isCut: false, unreadable: [] },
  current: null,
  projects: [STATION, BOX, OTHER_BOX],
  hasFolder: true,
  focusInput: false,
  texts: {},
  locale: ask.get('locale') ?? 'en',
};

const SCENARIOS: Readonly<Record<string, () => Partial<SearchStart>>> = {
  found: () => ({}),
  empty: () => ({ form: EMPTY_FORM, sessions: [], status: { kind: 'idle' }, focusInput: true }),
  current: () => ({ current: { filePath: RAIN.filePath, line: 9 } }),
  filters: () => ({
    form: { ...EMPTY_FORM, text: 'rain', author: 'tools', tool: 'Bash', place: { kind: 'workspace' }, isRegExp: true },
    navigation: { hasFilters: true, folded: [WIND.filePath], scrollTop: 0 },
  }),
  searching: () => ({
    sessions: [RAIN],
    status: { kind: 'searching', sessionsDone: 40, sessionsTotal: 120 },
  }),
  restored: () => ({
    navigation: { hasFilters: false, folded: [], scrollTop: 900 },
    sessions: [RAIN],
    status: { kind: 'searching', sessionsDone: 1, sessionsTotal: 31 },
  }),
  nothing: () => ({
    form: { ...EMPTY_FORM, text: 'rain', date: 'today' },
    sessions: [],
    status: { kind: 'done', sessionsTotal: 3, isCut: false, unreadable: [] },
  }),
  problem: () => ({
    form: { ...EMPTY_FORM, text: '(', isRegExp: true },
    sessions: [],
    status: { kind: 'failed', problem: 'This is no regular expression: Unterminated group.' },
  }),
  unreadable: () => ({
    status: {
      kind: 'done',
      sessionsTotal: 120,
      isCut: true,
      unreadable: [
        { name: '11111111-1111-4111-8111-111111111111.jsonl', problem: 'It may not be read.' },
        { name: '22222222-2222-4222-8222-222222222222.jsonl', problem: 'It is gone.' },
      ],
    },
  }),
  many: () => ({
    sessions: manySessions(100, 10),
    status: { kind: 'done', sessionsTotal: 2000, isCut: true, unreadable: [] },
  }),
  hostile: () => hostile(),
};

function manySessions(count: number, hits: number, folder = '/c/projects/many'): readonly FoundSession[] {
  const project = { folder, label: folder.slice(folder.lastIndexOf('/') + 1), around: '~' };
  return Array.from({ length: count }, (_, at) => ({
    filePath: `${folder}/${at}.jsonl`,
    title: `Session ${at}`,
    age: `${at + 1}d`,
    project,
    hits: Array.from({ length: hits }, (_unused, line) =>
      hit(line + 1, 'claude', `Message ${line} of session ${at} tells about `, 'rain', ' and whatever comes after it.'),
    ),
  }));
}

/** Texts that look like markup or reorder the line, or are too wide. */
function hostile(): Partial<SearchStart> {
  const names = [
    '<img src=x onerror="document.title=1">',
    '"><script>document.title=2</script>',
    '\u202Egnp.elif\u0000\u0007',
    'x'.repeat(3000),
    "' style='position:fixed;inset:0;background:red",
  ];
  const sessions = names.map((name, at) => ({
    filePath: `/c/projects/${at}/ "'&.jsonl`,
    title: name,
    age: name.slice(0, 9),
    project: { folder: `/c/projects/${at}`, label: name, around: name },
    hits: names.map((text, line) => hit(line + 1, 'you', text.slice(0, 60), text.slice(0, 120), text.slice(0, 20))),
  }));
  return {
    form: { ...EMPTY_FORM, text: names.join(' '), tool: names.join(' ').slice(0, 400) },
    navigation: { hasFilters: true, folded: [], scrollTop: 0 },
    projects: sessions.map(({ project }) => project),
    sessions,
  };
}

let start: SearchStart = { ...BASE, ...SCENARIOS[ask.get('scenario') ?? 'found']?.() };

const note =
  (call: string) =>
  (...args: readonly unknown[]): void => {
    asked.push([call, ...args]);
  };

const hostApi: SearchViewCalls = {
  ready: () => {
    asked.push(['ready']);
    return Promise.resolve(start);
  },
  search: (searched) => {
    asked.push(['search', searched]);
    form = searched;
  },
  navigated: (changed) => {
    navigation = changed;
  },
  open: note('open'),
  focused: note('focused'),
  resized: () => undefined,
};

const listeners: ((message: unknown) => void)[] = [];
const server = new RpcServer();
server.serve(searchViewChannel, hostApi);
const view = createEvents(
  searchViewChannel,
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

let hits = start.sessions.reduce((sum, session) => sum + session.hits.length, 0);
const fake: FakeSearch = {
  tell: (news) => {
    if (news.kind === 'started') hits = 0;
    void view.changed(news);
  },
  find: (sessions) => {
    void view.changed({ kind: 'found', hits, sessions });
    hits += sessions.reduce((sum, session) => sum + session.hits.length, 0);
  },
  sessions: manySessions,
  focusInput: () => {
    void view.focusInput();
  },
  asked: () => asked,
  form: () => form,
  navigation: () => navigation,
  start: (change) => {
    start = { ...start, ...change };
  },
};
Object.assign(window, {
  search: fake,
  acquireVsCodeApi: () => ({
    postMessage: (message: unknown) => {
      const copy: unknown = structuredClone(message);
      setTimeout(() => {
        for (const listener of listeners) listener(copy);
      });
    },
    getState: () => undefined,
    setState: () => undefined,
  }),
});

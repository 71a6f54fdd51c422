// Stands in for VS Code and the extension in the page of a test: the rewind page's own bundle finds `acquireVsCodeApi` here.
import { createBirpc } from 'birpc';
import {
  type ChosenFiles,
  type KeptRewindPage,
  type ListedFile,
  type NoteGroup,
  type RewindNavigation,
  rewindViewChannel,
  type RewindView,
  type RewindViewCalls,
} from '../../../src/protocol/channels/rewindView';
import type { FileComparison } from '../../../src/protocol/history';
import { createEvents, RpcServer } from '../../../src/protocol/rpcServer';
import type { FakeRewind, RewindAsk } from './fakeRewindApi';

const ask = new URLSearchParams(location.search);
const asked: RewindAsk[] = [];
let chosen: ChosenFiles | null = null;
let navigation: RewindNavigation | null = null;
let kept: KeptRewindPage | null = null;
let isRefusing = false;

function file(path: string, change: Partial<ListedFile> = {}): ListedFile {
  return {
    path: `/home/mo/weather-station/${path}`,
    name: path,
    group: 'changing',
    change: 'restore',
    insertions: 2,
    deletions: 3,
    facts: '',
    why: null,
    ...change,
  };
}

const FILES: readonly ListedFile[] = [
  file('docs/notes.md', { insertions: 0, deletions: 1 }),
  file('src/format.ts'),
  file('src/oldGauge.ts', { change: 'create', facts: 'comes back', insertions: 4, deletions: 0 }),
  file('src/rainChart.ts', { change: 'delete', facts: 'is deleted', insertions: 0, deletions: 11 }),
  file('media/logo.png', { facts: 'no text, 3 kB', insertions: 0, deletions: 0 }),
  file('src/axis.ts', {
    group: 'doubtful',
    why: 'The copy of src/axis.ts is not what the transcript says the file was.',
  }),
  file('station.conf', {
    path: '/home/mo/station.conf',
    name: '/home/mo/station.conf',
    group: 'outside',
    why: 'It is outside of the folders that may be changed.',
  }),
  file('.git/hooks/pre-commit', { group: 'sensitive', why: 'It is in a .git folder: Git runs programs from there.' }),
  file('docs/latest.md', {
    group: 'left',
    change: null,
    insertions: 0,
    deletions: 0,
    why: 'It is a symbolic link, which is not followed.',
  }),
];

const NOTES: readonly NoteGroup[] = [
  {
    heading: 'Commands that ran since',
    explanation: 'What a command did to files that Claude did not edit itself stays as it is.',
    notes: [
      { words: 'npm run build -- --all', target: { kind: 'message', line: 12 } },
      { words: 'npm test', target: { kind: 'message', line: 20 } },
    ],
  },
  {
    heading: 'Changes by hand',
    explanation: 'These changes go, too. The safety copy keeps them.',
    notes: [
      {
        words: 'src/format.ts was changed after Claude’s last change of it, which a rewind takes back, too.',
        target: { kind: 'file', path: '/home/mo/weather-station/src/format.ts' },
        onlyWith: '/home/mo/weather-station/src/format.ts',
      },
      {
        words: '/home/mo/station.conf was changed after Claude’s last change of it, which a rewind takes back, too.',
        target: { kind: 'file', path: '/home/mo/station.conf' },
        onlyWith: '/home/mo/station.conf',
      },
    ],
  },
];

const PROMPTS = [
  {
    promptUuid: 'c',
    words: 'Tell people about it in the notes.',
    facts: '2 hours ago · +1 −2 in 1 file',
    isPossible: true,
  },
  {
    promptUuid: 'b',
    words: 'Draw it as bars, and call the units by their names.',
    facts: '3 hours ago · +7 −18 in 5 files',
    isPossible: true,
  },
  {
    promptUuid: 'a',
    words: 'Count the rain of each hour, from the tips of the bucket.',
    facts: 'yesterday · Claude Code keeps 100 checkpoints of a session; this one is gone.',
    isPossible: false,
  },
];

const PLAN = { token: 'token 1', files: FILES, notRestored: NOTES, isLive: false };
const UNDO = {
  token: 'undo 1',
  rewoundAgo: '5 minutes ago',
  isLive: false,
  files: [
    file('src/format.ts', { change: null, insertions: 0, deletions: 0 }),
    file('src/rain.ts', { change: null, insertions: 0, deletions: 0 }),
    file('.git/hooks/pre-commit', {
      ...{ change: null, insertions: 0, deletions: 0, group: 'sensitive' as const },
      why: 'It is in a .git folder: Git runs programs from there.',
    }),
  ],
};

const BASE: RewindView = {
  revision: 1,
  title: 'Draw the rain of a day',
  prompts: PROMPTS,
  promptUuid: 'b',
  stage: { kind: 'plan', plan: PLAN },
  busy: null,
  notices: [],
  unsaved: [],
};

const SCENARIOS: Readonly<Record<string, () => Partial<RewindView>>> = {
  plan: () => ({}),
  looking: () => ({ stage: { kind: 'looking' } }),
  'many-notes': () => ({ stage: { kind: 'plan', plan: { ...PLAN, notRestored: manyNotes() } } }),
  'late-copies': () => ({ stage: { kind: 'plan', plan: { ...PLAN, notRestored: lateNotes() } } }),
  'late-among-many': () => ({ stage: { kind: 'plan', plan: { ...PLAN, notRestored: lateAmongMany() } } }),
  'many-files': () => ({ stage: { kind: 'plan', plan: { ...PLAN, files: manyFiles(), notRestored: [] } } }),
  live: () => ({
    stage: { kind: 'plan', plan: { ...PLAN, isLive: true } },
    unsaved: ['/home/mo/weather-station/src/format.ts', '/home/mo/weather-station/docs/notes.md'],
  }),
  left: () => ({ stage: { kind: 'plan', plan: { ...PLAN, files: FILES.slice(-1) } } }),
  nothing: () => ({
    stage: { kind: 'nothing', message: 'Every file is what it was before “Draw it as bars”.', notRestored: NOTES },
  }),
  folder: () => ({
    prompts: [],
    stage: {
      kind: 'folder',
      suggestions: [
        { path: '/home/mo/weather-station', isOpen: false },
        { path: '/home/mo/library', isOpen: true },
      ],
    },
  }),
  failed: () => ({
    notices: [
      {
        kind: 'error',
        message: 'Something failed halfway, and not every file could be put back. The safety copy holds all of them.',
        buttons: ['showSafetyCopy', 'showLog'],
      },
      { kind: 'warning', message: 'The times of 1 file could not be set.', buttons: [] },
    ],
  }),
  done: () => ({ stage: { kind: 'done', message: 'Rewound 4 files to before “Draw it as bars”.', canUndo: true } }),
  undone: () => ({
    stage: { kind: 'done', message: 'The rewind was undone: 4 files are as they were before.', canUndo: false },
  }),
  undo: () => ({ promptUuid: null, stage: { kind: 'undo', undo: UNDO } }),
  busy: () => ({ busy: 'rewinding' }),
  hostile: () => hostile(),
};

function lateNotes(): readonly NoteGroup[] {
  const words =
    'The copies of 7 files were written later than the transcript says: they may not be what the files were.';
  const lateCopies = FILES.flatMap(({ path, group }) => (group === 'left' ? [] : [path]));
  return [{ heading: 'Other', explanation: null, notes: [{ words, target: null, lateCopies }] }];
}

/** What is said of single files comes first, as in a plan. */
function lateAmongMany(): readonly NoteGroup[] {
  const tooLarge = Array.from({ length: 6 }, (_, at) => ({
    words: `data/year-${at}.csv is larger than 16 MiB: its lines were not counted.`,
    target: { kind: 'file' as const, path: `/home/mo/weather-station/data/year-${at}.csv` },
  }));
  return [...manyNotes(), ...lateNotes().map((group) => ({ ...group, notes: [...tooLarge, ...group.notes] }))];
}

function manyNotes(): readonly NoteGroup[] {
  return NOTES.map((group) => ({
    ...group,
    notes: Array.from({ length: 80 }, (_, at) => ({
      words: `npm run step-${at}`,
      target: null,
      // Those that are left out belong to a file, too.
      ...(at >= 45 && { onlyWith: FILES[0]?.path ?? '' }),
    })),
  }));
}

function manyFiles(): readonly ListedFile[] {
  return Array.from({ length: 300 }, (_, at) => file(`src/some/folder/with/a/long/name/file-${at}.ts`));
}

/** Names and texts that look like markup or reorder the line, or are too wide. */
function hostile(): Partial<RewindView> {
  const names = [
    '<img src=x onerror="document.title=1">',
    '"><script>document.title=2</script>',
    '\u202Egnp.elif\u0000\u0007',
    'x'.repeat(3000),
    "' style='position:fixed;inset:0;background:red",
  ];
  const note = { heading: '<b>not bold</b>', explanation: names.join(' ') };
  return {
    title: names.join(' '),
    prompts: names.map((words, at) => ({ promptUuid: `${at}`, words, facts: words, isPossible: at !== 0 })),
    promptUuid: '1',
    notices: [{ kind: 'error', message: names.join(' '), buttons: [] }],
    stage: {
      kind: 'plan',
      plan: {
        ...PLAN,
        files: names.flatMap((name, at) => [
          file(name, { path: `/${at}` }),
          file(name, { path: `/left/${at}`, group: 'left', why: name, facts: name }),
        ]),
        notRestored: [{ ...note, notes: names.map((words) => ({ words, target: { kind: 'message', line: 3 } })) }],
      },
    },
  };
}

function comparison(path: string): FileComparison {
  if (path.endsWith('.png')) return { kind: 'binary' };
  if (path.endsWith('notes.md')) {
    const lines = Array.from({ length: 60 }, (_, at) => ({ kind: 'context' as const, text: `Line ${at}` }));
    return { kind: 'lines', hunks: [{ oldStart: 1, newStart: 1, lines }], more: 12 };
  }
  return {
    kind: 'lines',
    hunks: [
      {
        oldStart: 1,
        newStart: 1,
        lines: [
          { kind: 'context', text: "import type { Tip } from './readings';" },
          { kind: 'removed', text: 'export const TIP_MILLIMETRES = 0.2;' },
          { kind: 'removed', text: `<b>not bold</b> ${'wide '.repeat(80)}` },
          { kind: 'added', text: 'const TIP_MM = 0.2;' },
          { kind: 'context', text: '' },
        ],
      },
    ],
    more: 0,
  };
}

let view: RewindView = { ...BASE, ...SCENARIOS[ask.get('scenario') ?? 'plan']?.() };

const note =
  (call: string) =>
  (...args: readonly unknown[]): void => {
    asked.push([call, ...args]);
  };
const act =
  (call: string) =>
  (...args: readonly unknown[]): Promise<void> => {
    // Without the signal.
    asked.push([call, ...args.slice(0, -1)]);
    return isRefusing ? Promise.reject(new Error('That did not work.')) : Promise.resolve();
  };

const hostApi: RewindViewCalls = {
  ready: () =>
    Promise.resolve({
      view,
      navigation: null,
      texts: {},
      locale: ask.get('locale') ?? 'en',
      kept: { filePath: '/c/projects/p/s.jsonl', title: view.title, cwd: '/home/mo/weather-station' },
    }),
  navigated: (changed) => {
    navigation = changed;
  },
  choosePrompt: note('choosePrompt'),
  lookAgain: note('lookAgain'),
  allowFolder: note('allowFolder'),
  chooseFolder: act('chooseFolder'),
  compare: (path) => {
    asked.push(['compare', path]);
    return Promise.resolve(comparison(path));
  },
  rewind: (request, signal) => {
    chosen = request;
    return act('rewind')(request, signal);
  },
  undo: (request, signal) => {
    chosen = request;
    return act('undo')(request, signal);
  },
  act: note('act'),
};

const listeners: ((message: unknown) => void)[] = [];
const server = new RpcServer();
server.serve(rewindViewChannel, hostApi);
const page = createEvents(
  rewindViewChannel,
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

const fake: FakeRewind = {
  change: (change) => {
    view = { ...view, revision: view.revision + 1, ...change };
    void page.changed(view);
  },
  view: () => view,
  asked: () => asked,
  chosen: () => chosen,
  navigation: () => navigation,
  kept: () => kept,
  refuse: () => {
    isRefusing = true;
  },
};
Object.assign(window, {
  rewind: fake,
  acquireVsCodeApi: () => ({
    postMessage: (message: unknown) => {
      const copy: unknown = structuredClone(message);
      setTimeout(() => {
        for (const listener of listeners) listener(copy);
      });
    },
    getState: () => undefined,
    setState: (state: KeptRewindPage) => {
      kept = state;
    },
  }),
});

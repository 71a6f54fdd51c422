// Stands in for VS Code and the extension in the page of a test: the panel's own bundle finds `acquireVsCodeApi` here.
import { createBirpc } from 'birpc';
import {
  ALL_PARTS,
  type PanelAction,
  type PanelCalls,
  panelChannel,
  type PanelNavigation,
  type PanelStart,
  type PanelUsage,
  type SentStart,
  type ShownParts,
} from '../../../src/protocol/channels/panel';
import type { Finding } from '../../../src/protocol/repair';
import type {
  ConversationHead,
  ConversationView,
  FindQuery,
  FindResult,
  MemoryCounts,
  PanelItem,
} from '../../../src/protocol/conversation';
import { createEvents, RpcServer } from '../../../src/protocol/rpcServer';
import { linesOf } from '../../../src/webview/conversation/state/expandedRows';
import type { FakeHost, PageRepair } from './fakeHostApi';
import {
  BROKEN_LINE,
  breakItem,
  brokenItems,
  gluedItems,
  compactedItems,
  fakeItem,
  SUBAGENT_PATH,
  subagentItem,
} from './fakeItems';
import { foldedItems, WHOLE_TEXT } from './foldedItems';
import { turnItems } from './turnItems';

const ask = new URLSearchParams(location.search);
const isScene = ask.has('scenario');
let scene: readonly PanelItem[] =
  ask.get('scenario') === 'folded'
    ? foldedItems()
    : ask.get('scenario') === 'compacted'
      ? compactedItems(Number(ask.get('count') ?? 30))
      : ask.get('scenario') === 'turns'
        ? turnItems()
        : ask.get('scenario') === 'glued'
          ? gluedItems()
          : brokenItems(ask.has('breaks') ? [1] : []);
let count = isScene ? scene.length : Number(ask.get('count') ?? 60);
let revision = 1;
let problem: string | null = null;
let isStopped = false;
let inserted = 0;
/** Index of the break that the undo of a repair brought back; it is not a row of the file. */
let brokenAt: number | null = null;
let hasSubagent = false;
let subagentRows = 5;
let replacements = 0;
const actions: PanelAction[] = [];
const repairs: PageRepair[] = [];
let proposals = 0;
let usageCalls = 0;
const itemCalls: { from: number; count: number }[] = [];
let foundAlways: Pick<FindResult, 'items' | 'counts' | 'hits' | 'matched'> | null = null;
let navigation: PanelNavigation | null = null;
let shownParts: ShownParts = ALL_PARTS;

const itemAt = (index: number, view: ConversationView = { kind: 'chain' }): PanelItem => {
  if (hasSubagent && index === count - 1) return subagentItem(index);
  if (isScene) return scene[index] ?? fakeItem(index);
  // A branch has its own rows after its first five.
  if (view.kind === 'branch' && index >= 5) return { ...fakeItem(index + 3), line: 20_000_000 + index };
  if (brokenAt === index) return breakItem(index + 1);
  if (brokenAt !== null && index > brokenAt) return fakeItem(index - inserted - 1);
  // Rows inserted before all others: their line numbers are unused ones.
  return index < inserted ? { ...fakeItem(index), line: 10_000_000 + index } : fakeItem(index - inserted);
};
const total = (view: ConversationView): number =>
  problem !== null ? 0 : view.kind === 'branch' ? Math.min(count, 12) : count;
const branches = Array.from({ length: Number(ask.get('branches') ?? 0) }, (_, at) => ({
  leafLine: 1000 - at,
  rows: at + 1,
  messages: at + 1,
  label: `Another way ${at % 50}`,
  timeMs: Date.UTC(2026, 2, 2) - at * 3_600_000,
}));
const begin: ConversationView = ask.has('branch')
  ? { kind: 'branch', leafLine: Number(ask.get('branch')) }
  : { kind: 'chain' };
let shown: ConversationView = begin;
const usageOf = (wanted: string | null): PanelUsage | null => {
  if (wanted === null) return null;
  const isExpired = wanted !== 'expiring' || usageCalls > 1;
  const counts = { input: 1200, output: 41_000, cacheWrite5m: 90_000, cacheWrite1h: 0, cacheRead: 1_900_000 };
  return {
    total: {
      messages: 31,
      counts: { ...counts, webSearches: 0, webFetches: 0 },
      cost: { usd: 1.2375, unpricedTokens: wanted === 'unpriced' ? 5000 : 0 },
    },
    context: { tokens: wanted === 'full' ? 181_234 : 92_800, model: 'claude-opus-4-5', window: 200_000 },
    preflight: {
      request: `Resuming: about 92.8K tokens, ${isExpired ? 'all uncached (expired)' : 'about 4K uncached'}, about $0.58`,
      why: 'The cache is kept for 5 minutes; last use: 11:02 AM.',
      rearms: wanted === 'rearms' ? 'Starts again by itself: check the build (Every 10 minutes)' : null,
      changesAtMs: isExpired ? null : Date.now(),
    },
    findings: ask.has('close') && repairs.length === 0 ? [REFUSED] : [],
  };
};
const memoryOf = (): MemoryCounts => {
  if (ask.get('scenario') === 'compacted') return { remembered: 2, messages: scene.length - 2, hasSummary: true };
  return isScene
    ? { remembered: 14, messages: 21, hasSummary: false }
    : { remembered: count, messages: count, hasSummary: false };
};
const head = (view = shown): ConversationHead => ({
  revision,
  provider: 'claude',
  path: '/home/someone/.claude/projects/-home-someone-recipes/1f0c.jsonl',
  id: '1f0c',
  title: 'Import recipes from text files',
  cwd: '/home/someone/recipes',
  model: 'claude-opus-4-5',
  gitBranch: 'main',
  loads: isScene ? 14 : count,
  of: ask.has('spread') ? 0 : isScene ? 21 : count,
  ...(problem === null && { memory: memoryOf() }),
  findings:
    ask.has('offer') && repairs.length === 0
      ? (ask.get('offer') ?? '').split(' ').flatMap((kind) => OFFERS[kind] ?? [])
      : ask.has('spread')
        ? [SPREAD]
        : ask.has('refused') && repairs.length === 0
          ? [REFUSED]
          : isScene
            ? scene.flatMap((item) => (item.kind === 'row' || item.kind === 'steps' ? [] : item.findings))
            : [],
  view,
  count: total(view),
  branches: isScene
    ? scene.flatMap((item) => (item.kind === 'row' ? item.branches : []))
    : branches.filter(({ leafLine }, at) => at < 20 || (view.kind === 'branch' && view.leafLine === leafLine)),
  moreBranches: Math.max(0, branches.length - 20),
  fileSize: count * 1000,
  lineCount: count - inserted - (brokenAt === null ? 0 : 1),
  replacements,
  isLive: ask.has('live'),
  problem,
});

/** A finding about the request, at a message that is shown like any other. */
const REFUSED: Finding = {
  code: 'tool-input',
  severity: 'error',
  action: 'auto',
  lines: [12],
  uuids: ['uuid-12'],
  message:
    "The input of a tool call is not an object (line 12). Claude's API refuses every further prompt because of it.",
  isRefused: true,
};
/** A healthy session of which no message is counted. */
const SPREAD: Finding = {
  code: 'spread-row',
  severity: 'info',
  action: 'tell',
  lines: [1],
  uuids: [],
  message: 'In 40 places, a message spans several lines: Claude reads such messages only in files up to 5 MiB.',
};
/** Findings with something to choose. */
const OFFERS: Readonly<Record<string, Finding>> = {
  'choose-branch': {
    code: 'wrong-leaf',
    severity: 'warning',
    action: 'ask',
    lines: [53, 60],
    uuids: ['uuid-53', 'uuid-60'],
    message:
      'Claude resumes an older branch of this conversation: the newest messages, on lines 53 to 60, are not remembered.',
    offer: { kind: 'choose-branch', line: 60 },
  },
  'fork-newest': {
    code: 'wrong-leaf of a subagent',
    severity: 'error',
    action: 'ask',
    lines: [60],
    uuids: ['uuid-60'],
    message:
      'Claude Code does not resume this conversation: it would continue from a message of a subagent, and reports that no conversation was found.',
    offer: { kind: 'fork-newest', line: 60 },
  },
  'open-original': {
    code: 'ghost-stub',
    severity: 'info',
    action: 'tell',
    lines: [],
    uuids: [],
    message: 'This session was to continue another one, and nothing was written: open the session 2e0d.',
    offer: { kind: 'open-original', filePath: '/home/someone/.claude/projects/-home-someone-recipes/2e0d.jsonl' },
  },
  'fork-branch': {
    code: 'concurrent-writers',
    severity: 'info',
    action: 'tell',
    lines: [40, 48],
    uuids: ['uuid-40', 'uuid-48'],
    message: 'Two clients wrote into this session at the same time: their 2 conversations alternate in the file.',
    offer: { kind: 'fork-branch', lines: [48] },
  },
};
const BRANCH_CHANGE = [
  '1 edit. No other byte of the file changes.',
  '',
  '@@ Line 61 @@',
  '- leafUuid: "uuid-52"',
  '+ leafUuid: "uuid-60"',
].join('\n');
const CONTENT_CHANGE = [
  '1 edit. No other byte of the file changes.',
  '',
  '@@ Line 12, message uuid-12 @@',
  '  The API accepts only an object.',
  '- message.content.0.input: "ls -la"',
  '+ message.content.0.input: {"value":"ls -la"}',
].join('\n');
const CHANGE = [
  '1 edit. No other byte of the file changes.',
  '',
  `@@ Line ${BROKEN_LINE} @@`,
  '- parentUuid: "gone"',
  '+ parentUuid: "uuid-19"',
].join('\n');
const queryOf = (text: string): FindQuery => ({ text, isRegExp: false, isCaseSensitive: false, roles: [], tool: null });
const textOf = (item: PanelItem): string => {
  if (item.kind === 'steps') return item.rows.map(textOf).join('\n');
  if (item.kind !== 'row') return '';
  const [block] = item.blocks;
  // A search covers all of a cut text.
  return block?.kind === 'error' && block.body.more > 0
    ? WHOLE_TEXT
    : JSON.stringify(item.blocks).replace(/\\+"/g, '"');
};
const matches = (query: FindQuery): ((item: PanelItem) => readonly string[]) => {
  const source = query.isRegExp ? query.text : query.text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const expression = new RegExp(source, query.isCaseSensitive ? 'g' : 'gi');
  return (item) => {
    if (item.kind === 'steps') return item.rows.flatMap(matches(query));
    if (item.kind !== 'row' || (query.roles.length > 0 && !query.roles.includes(item.role))) return [];
    if (query.tool !== null && !item.blocks.some((block) => block.kind === 'tool' && block.name === query.tool))
      return [];
    return textOf(item).match(expression) ?? [];
  };
};

const target = (): Omit<SentStart, 'isSent'> => ({
  reveal: ask.has('reveal') ? Number(ask.get('reveal')) : null,
  find: ask.has('sought') ? queryOf(ask.get('sought') ?? '') : null,
  offersRepair: ask.has('offersRepair') ? 'all' : null,
});
const startOf = (): PanelStart => ({
  navigation: {
    filePath: head().path,
    view: begin,
    at: ask.has('at') ? { line: Number(ask.get('at')), offsetPx: 10 } : null,
  },
  head: head(),
  pages: [],
  texts: {},
  locale: 'en-GB',
  shown: shownParts,
  stopped: null,
  reconnectedMs: ask.has('reconnected') ? Number(ask.get('reconnected')) : null,
  seam: ask.has('seam') ? { lines: [Number(ask.get('seam'))] } : null,
  ...target(),
});
/** How often the page has asked what to show first. */
let asked = 0;

const hostApi: PanelCalls = {
  ready: () => {
    const isSent = ask.has('sent') && asked++ === 0;
    if (isSent && ask.get('sent') === 'early') {
      void panel.started({ ...startOf(), reveal: null, find: null, offersRepair: null });
    }
    return Promise.resolve(isSent ? { isSent, ...target() } : startOf());
  },
  head: (view) => {
    shown = view;
    return Promise.resolve(head());
  },
  items: async (filePath, view, from, length) => {
    itemCalls.push({ from, count: length });
    if (isStopped) throw new Error('nobody reads');
    await new Promise((done) => setTimeout(done, Number(ask.get('delay') ?? 0)));
    const size = filePath === head().path ? total(view) : subagentRows;
    return {
      revision,
      from,
      items: Array.from({ length: Math.max(0, Math.min(length, size - from)) }, (_, at) => itemAt(from + at, view)),
    };
  },
  outline: (view) => {
    const entries = [];
    for (let index = 0; index < total(view); index++) {
      const item = itemAt(index, view);
      if (item.kind !== 'row' || item.role !== 'user' || item.blocks[0]?.kind !== 'text') continue;
      const label = item.blocks[0].body.text.slice(0, 80);
      const { line, timeMs, isLoaded, forgottenAs } = item;
      const forgotten = forgottenAs === undefined ? {} : { forgottenAs };
      entries.push({ index, line, label, timeMs, isLoaded: isLoaded === true, ...forgotten });
    }
    return Promise.resolve(entries);
  },
  text: () => Promise.resolve(ask.get('scenario') === 'folded' ? WHOLE_TEXT : 'all of it'),
  image: () => Promise.resolve(null),
  persisted: () => Promise.resolve('all of the output'),
  find: (view, query) => {
    if (foundAlways !== null) return Promise.resolve({ revision, isCut: false, problem: null, ...foundAlways });
    try {
      const hitsOf = matches(query);
      const hits = Array.from({ length: total(view) }, (_, index) => hitsOf(itemAt(index, view)));
      const items = hits.flatMap(({ length }, index) => (length > 0 ? [index] : []));
      const texts = [...new Set(hits.flat())];
      return Promise.resolve({
        revision,
        items,
        counts: items.map((index) => hits[index]?.length ?? 0),
        hits: hits.flat().length,
        matched: query.isRegExp
          ? {
              texts: texts.map((text) => ({ text, before: 'any' as const, after: 'any' as const })),
              ofItems: items.map((index) => [...new Set(hits[index])].map((text) => texts.indexOf(text))),
            }
          : null,
        isCut: false,
        problem: null,
      });
    } catch (error) {
      return Promise.resolve({
        ...{ revision, items: [], counts: [], hits: 0, matched: null, isCut: false },
        problem: String(error),
      });
    }
  },
  indexOfLine: (view, line) => {
    let other: number | null = null;
    for (let index = 0; index < total(view); index++) {
      const item = itemAt(index, view);
      if (!linesOf(item).includes(line)) continue;
      if (item.kind === 'row' || item.kind === 'steps') return Promise.resolve(index);
      other = index;
    }
    return Promise.resolve(other);
  },
  navigated: () => undefined,
  showParts: (parts) => {
    shownParts = parts;
  },
  usage: () => {
    usageCalls++;
    return Promise.resolve(usageOf(ask.get('usage')));
  },
  shown: () => undefined,
  act: (action) => {
    actions.push(action);
    return Promise.resolve();
  },
  repairProposal: (scope) => {
    proposals++;
    if (scope === 'wrong-leaf') {
      const effect = 'Go on with the newest messages: Claude remembers 58 of 60 messages instead of 52.';
      const notes = ['Claude will forget the messages on lines 51, 52, which it remembers now.'];
      return Promise.resolve({ kind: 'repair', effect, changes: 'branch', notes, change: BRANCH_CHANGE });
    }
    if (ask.has('refused') || ask.has('close')) {
      const effect = 'Make Claude’s API accept the session again: Claude remembers 60 of 60 messages, as before.';
      return Promise.resolve({ kind: 'repair', effect, changes: 'content', notes: [], change: CONTENT_CHANGE });
    }
    return Promise.resolve({
      kind: 'repair',
      effect: 'Reconnect here: Claude remembers 21 of 21 messages instead of 14.',
      changes: 'links',
      notes: [],
      change: CHANGE,
    });
  },
  repair: (scope, isInsisted) => {
    if (ask.has('mayBeLive') && !isInsisted)
      return Promise.resolve({ kind: 'refused', why: 'Claude Code may still be running it.', canInsist: true });
    repairs.push(scope === 'all' ? 'repair' : `repair ${scope}`);
    void panel.repaired({ lines: ask.has('refused') || scope !== 'all' ? [] : [BROKEN_LINE] });
    change(() => {
      replacements++;
      scene = scene.filter(({ kind }) => kind !== 'break' && kind !== 'fault');
      count = scene.length;
    });
    return Promise.resolve({ kind: 'done' });
  },
  undoRepair: () => {
    repairs.push('undo');
    void panel.repaired(null);
    change(() => {
      replacements++;
      scene = ask.get('scenario') === 'glued' ? gluedItems() : brokenItems();
      count = scene.length;
    });
    return Promise.resolve({ kind: 'done' });
  },
  tryAgain: () => {
    isStopped = false;
    change(() => count++);
    return Promise.resolve();
  },
};

const listeners: ((message: unknown) => void)[] = [];
const server = new RpcServer();
server.serve(panelChannel, hostApi);
const panel = createEvents(
  panelChannel,
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

const change = (by: () => void): void => {
  by();
  revision++;
  void panel.changed(head());
};

const fake: FakeHost = {
  append: (rows) => {
    change(() => (count += rows));
  },
  insertBefore: (rows) => {
    change(() => {
      inserted += rows;
      count += rows;
    });
  },
  undoRepair: (index) => {
    change(() => {
      brokenAt = index;
      count += 1;
    });
  },
  startSubagent: () => {
    change(() => {
      hasSubagent = true;
      count += 1;
    });
  },
  appendToSubagent: (rows) => {
    subagentRows += rows;
    void panel.subagentChanged(SUBAGENT_PATH);
  },
  truncate: (to) => {
    fake.replace(to);
  },
  replace: (rows) => {
    change(() => {
      count = rows;
      replacements++;
    });
  },
  remove: (why) => {
    change(() => (problem = why));
  },
  bringBack: (rows) => {
    change(() => {
      problem = null;
      count = rows;
    });
  },
  changeOf: (view, rows) => {
    count += rows;
    revision++;
    void panel.changed(head(view));
  },
  restart: () => {
    change(() => (count += 1));
    revision = 1;
    void panel.changed(head());
  },
  stop: () => {
    isStopped = true;
    void panel.stopped('Nobody reads the transcripts.');
  },
  reconnect: (atMs) => void panel.reconnected(atMs),
  reveal: (line, text) => void panel.reveal(line, text === undefined ? null : queryOf(text)),
  openFind: () => void panel.openFind(),
  answerFind: (result) => {
    foundAlways = result;
  },
  goToPrompt: (step) => void panel.goToPrompt(step),
  foldAll: () => void panel.foldAll(),
  copyMessage: (line, as) => void panel.copyMessage(line, as),
  offerRepair: (scope) => void panel.offerRepair(scope),
  actions: () => actions,
  repairs: () => repairs,
  proposals: () => proposals,
  usageCalls: () => usageCalls,
  itemCalls: () => itemCalls,
  navigation: () => navigation,
  shownParts: () => shownParts,
};
Object.assign(window, {
  fake,
  acquireVsCodeApi: () => ({
    postMessage: (message: unknown) => {
      const copy: unknown = structuredClone(message);
      setTimeout(() => {
        for (const listener of listeners) listener(copy);
      });
    },
    setState: (state: PanelNavigation) => {
      navigation = state;
    },
    getState: () => navigation ?? (ask.has('left') ? {} : undefined),
  }),
});

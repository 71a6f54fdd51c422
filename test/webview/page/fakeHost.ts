// Stands in for VS Code and the extension in the page of a test: the panel's own bundle finds `acquireVsCodeApi` here.
import { createBirpc } from 'birpc';
import {
  type PanelAction,
  type PanelCalls,
  panelChannel,
  type PanelNavigation,
} from '../../../src/protocol/channels/panel';
import type {
  ConversationHead,
  ConversationItem,
  ConversationView,
  FindQuery,
  FindResult,
  MemoryCounts,
} from '../../../src/protocol/conversation';
import { createEvents, RpcServer } from '../../../src/protocol/rpcServer';
import { linesOf } from '../../../src/webview/conversation/state/expandedRows';
import type { FakeHost } from './fakeHostApi';
import { breakItem, brokenItems, compactedItems, fakeItem, SUBAGENT_PATH, subagentItem } from './fakeItems';
import { foldedItems, WHOLE_TEXT } from './foldedItems';

const ask = new URLSearchParams(location.search);
const isScene = ask.has('scenario');
const scene =
  ask.get('scenario') === 'folded'
    ? foldedItems()
    : ask.get('scenario') === 'compacted'
      ? compactedItems(Number(ask.get('count') ?? 30))
      : brokenItems();
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
const itemCalls: { from: number; count: number }[] = [];
let foundAlways: Pick<FindResult, 'items' | 'counts' | 'hits' | 'matched'> | null = null;
let navigation: PanelNavigation | null = null;

const itemAt = (index: number, view: ConversationView = { kind: 'chain' }): ConversationItem => {
  if (hasSubagent && index === count - 1) return subagentItem(index);
  if (isScene) return scene[index] ?? fakeItem(index);
  // A branch has its own rows after its first five.
  if (view.kind === 'branch' && index >= 5) return { ...fakeItem(index + 3), line: 20_000_000 + index };
  if (brokenAt === index) return breakItem(index + 1);
  if (brokenAt !== null && index > brokenAt) return fakeItem(index - inserted - 1);
  // Rows inserted before all others: their line numbers are unused ones.
  return index < inserted ? { ...fakeItem(index), line: 10_000_000 + index } : fakeItem(index - inserted);
};
const total = (view: ConversationView): number => (view.kind === 'branch' ? Math.min(count, 12) : count);
const branches = Array.from({ length: Number(ask.get('branches') ?? 0) }, (_, at) => ({
  leafLine: 1000 - at,
  rows: at + 1,
  label: `Another way ${at % 50}`,
  timeMs: Date.UTC(2026, 2, 2) - at * 3_600_000,
}));
const begin: ConversationView = ask.has('branch')
  ? { kind: 'branch', leafLine: Number(ask.get('branch')) }
  : { kind: 'chain' };
let shown: ConversationView = begin;
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
  of: isScene ? 21 : count,
  memory: memoryOf(),
  findings: isScene ? scene.flatMap((item) => (item.kind === 'row' ? [] : item.findings)) : [],
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

const queryOf = (text: string): FindQuery => ({ text, isRegExp: false, isCaseSensitive: false, roles: [], tool: null });
const textOf = (item: ConversationItem): string => {
  if (item.kind !== 'row') return '';
  const [block] = item.blocks;
  // A search covers all of a cut text.
  return block?.kind === 'error' && block.body.more > 0
    ? WHOLE_TEXT
    : JSON.stringify(item.blocks).replace(/\\+"/g, '"');
};
const matches = (query: FindQuery): ((item: ConversationItem) => readonly string[]) => {
  const source = query.isRegExp ? query.text : query.text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const expression = new RegExp(source, query.isCaseSensitive ? 'g' : 'gi');
  return (item) => {
    if (item.kind !== 'row' || (query.roles.length > 0 && !query.roles.includes(item.role))) return [];
    if (query.tool !== null && !item.blocks.some((block) => block.kind === 'tool' && block.name === query.tool))
      return [];
    return textOf(item).match(expression) ?? [];
  };
};

const hostApi: PanelCalls = {
  ready: () =>
    Promise.resolve({
      navigation: {
        filePath: head().path,
        view: begin,
        at: ask.has('at') ? { line: Number(ask.get('at')), offsetPx: 10 } : null,
      },
      reveal: ask.has('reveal') ? Number(ask.get('reveal')) : null,
      find: ask.has('sought') ? queryOf(ask.get('sought') ?? '') : null,
      head: head(),
      pages: [],
      texts: {},
      locale: 'en-GB',
      stopped: null,
      reconnectedMs: ask.has('reconnected') ? Number(ask.get('reconnected')) : null,
    }),
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
      if (item.kind === 'row') return Promise.resolve(index);
      other = index;
    }
    return Promise.resolve(other);
  },
  navigated: () => undefined,
  shown: () => undefined,
  act: (action) => {
    actions.push(action);
    return Promise.resolve();
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
  actions: () => actions,
  itemCalls: () => itemCalls,
  navigation: () => navigation,
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

// Runs in the browser: rows of blocks one below the other, on a bare page like that of a panel.
import { signal } from '@preact/signals';
import { h, type JSX, render } from 'preact';
import type { PanelAction } from '../../../src/protocol/channels/panel';
import type { ContentBlock, ItemRole, RowItem } from '../../../src/protocol/conversation';
import { BlockView } from '../../../src/webview/blocks/BlockView';
import type { BlockHost } from '../../../src/webview/blocks/blockHost';
import { loadedHighlighter } from '../../../src/webview/blocks/code/highlightCode';
import { createHighlighter } from '../../../src/webview/highlight/createHighlighter';
import type { HostAnswers } from '../hostile/hostileRow';
import { hostileRows } from '../hostileRows';
import { everyBlock } from './everyBlock';
import { type Seen, tryEverything } from './tryEverything';

export interface BlocksPage {
  readonly actions: PanelAction[];
  /** Paths of the texts that were requested. */
  readonly texts: string[];
  readonly violations: string[];
  readonly errors: string[];
  /** How often something of a transcript was executed. */
  trapped: number;
  tryEverything(): Promise<Seen>;
  show(blocks: readonly ContentBlock[], role?: ItemRole, answers?: HostAnswers): void;
  showEveryBlock(): void;
  showHostile(at: number): void;
  find(text: string | null): void;
  /** Removes the elements of the rows, and creates them again. */
  remake(): void;
}

declare global {
  interface Window {
    blocksPage: BlocksPage;
    /** What hostile rows try to call. */
    pwned: () => void;
  }
}

const root = document.getElementById('root')!;
loadedHighlighter.value = createHighlighter();
const expanded = signal<ReadonlyMap<string, boolean>>(new Map());
const looked = signal<string | null>(null);

let shown: () => JSX.Element[] = () => [];

const page: BlocksPage = {
  actions: [],
  texts: [],
  violations: [],
  errors: [],
  trapped: 0,
  tryEverything,
  show(blocks, role = 'assistant', answers = {}) {
    expanded.value = new Map();
    shown = () => rows(blocks, role, hostOf(answers));
    page.remake();
  },
  remake() {
    render(null, root);
    render(h('main', {}, shown()), root);
  },
  showEveryBlock() {
    expanded.value = new Map();
    const host = hostOf({ text: 'all of it', image: DOT, persisted: 'All of the output\n'.repeat(40) });
    shown = () => everyBlock.map(({ role, block }, at) => h(Row, { key: at, line: at + 1, role, block, host }));
    page.remake();
  },
  showHostile(at) {
    const { blocks, role, answers } = hostileRows[at]!;
    page.show([sentence('before'), ...blocks(), sentence('after')], role, answers);
  },
  find(text) {
    looked.value = text;
  },
};

const DOT =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC';

window.blocksPage = page;
window.pwned = (): void => {
  page.trapped += 1;
};
document.addEventListener('securitypolicyviolation', (event) => {
  page.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
});
window.addEventListener('error', (event) => {
  page.errors.push(event.message);
});
window.addEventListener('unhandledrejection', (event) => {
  page.errors.push(String(event.reason));
});

function hostOf(answers: HostAnswers): BlockHost {
  return {
    filePath: '/sessions/one.jsonl',
    folder: '/home/somebody/projects/shop',
    locale: 'en',
    t: (english, ...args) => english.replace(/\{(\d)\}/g, (_, at) => String(args[Number(at)])),
    text: (_, path) => {
      page.texts.push(path);
      return Promise.resolve(answers.text ?? null);
    },
    image: () => Promise.resolve(answers.image ?? null),
    persisted: () => Promise.resolve(answers.persisted ?? null),
    act: (action) => {
      page.actions.push(action);
    },
    expanded: {
      get: (line, path) => expanded.value.get(`${line} ${path}`) ?? null,
      getSinceFound: () => null,
      set: (line, path, isExpanded) => {
        expanded.value = new Map([...expanded.value, [`${line} ${path}`, isExpanded]]);
      },
    },
    subagent: (filePath, leafLine) =>
      h('p', {}, `Rows of ${filePath}${leafLine === null ? '' : ` up to line ${leafLine}`}`),
    reached: () => 1,
    found: () => {
      const text = looked.value;
      if (text === null) return null;
      return (within) => {
        const at = within.indexOf(text);
        return at === -1 ? [] : [{ start: at, end: at + text.length }];
      };
    },
  };
}

function sentence(text: string): ContentBlock {
  return { kind: 'note', title: text, path: text, body: null };
}

function rows(blocks: readonly ContentBlock[], role: ItemRole, host: BlockHost): JSX.Element[] {
  return blocks.map((block, at) => h(Row, { key: at, line: at + 1, role, block, host }));
}

function Row(props: { line: number; role: ItemRole; block: ContentBlock; host: BlockHost }): JSX.Element {
  const { line, role, block, host } = props;
  const item: RowItem = {
    kind: 'row',
    line,
    uuid: null,
    role,
    timeMs: null,
    isLoaded: true,
    isSidechain: false,
    continues: false,
    model: null,
    blocks: [block],
    branches: [],
  };
  return h('div', { class: 'row', 'data-line': line }, h(BlockView, { block, item, host }));
}

import { computed, effect } from '@preact/signals';
import { h, type JSX, render } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import {
  type PanelCalls,
  panelChannel,
  type PanelEvents,
  type PanelNavigation,
  type PanelStart,
  type SentStart,
} from '../../protocol/channels/panel';
import type { FindQuery, PanelItem } from '../../protocol/conversation';
import type { BlockHost } from '../blocks/blockHost';
import { loadHighlighter } from '../blocks/code/loadHighlighter';
import { connectHost, type HostPort, openVscodePort } from '../ui/connectHost';
import { createFigures, type Figures } from '../ui/createFigures';
import { Icon } from '../ui/Icon';
import { createFormats, createTranslate, dependOn } from '../ui/texts';
import { type ConversationApp, ProvideApp, SubagentChanges, useApp } from './conversationApp';
import { FindBar } from './find/FindBar';
import { FindState } from './find/findState';
import { Banners } from './header/Banners';
import { ConversationHeader } from './header/ConversationHeader';
import { ConversationList, ReconnectedLine } from './list/ConversationList';
import { rowsOf } from './list/pieces';
import { markdownOf, textOf } from './list/RowActions';
import { SubagentView } from './list/SubagentView';
import { OutlinePane } from './outline/OutlinePane';
import { OutlineState } from './outline/outlineState';
import { RepairState } from './repair/repairState';
import { ConversationStore } from './state/conversationStore';
import { ExpandedRows } from './state/expandedRows';
import { ShownState } from './state/shownState';
import { UsageState } from './state/usageState';
import '../ui/base.css';
import '../ui/menu.css';
import './styles/controls.css';
import './styles/list.css';
import './styles/break.css';
import './styles/panel.css';
import './styles/repair.css';

const ranMs = Date.now();

/**
 * Reports to the extension when the first screen was complete: every placeholder was filled, and the browser had painted
 * it. Deferred loading starts then, and the report is sent when it ends: after that, the page loads nothing by itself.
 */
function reportTimes(host: PanelCalls, answeredMs: number, loadRest: (then: () => void) => void): void {
  const checkScreen = (): void => {
    if (document.querySelector('.skeleton, .rows:empty') !== null) {
      requestAnimationFrame(checkScreen);
      return;
    }
    const drawnMs = Date.now();
    // The next frame begins after the one that shows the screen.
    requestAnimationFrame(() => {
      const paintedMs = Date.now();
      // After this frame: what is loaded now would delay it.
      setTimeout(() => {
        loadRest(() => {
          void host.shown({ beganMs: performance.timeOrigin, ranMs, answeredMs, drawnMs, paintedMs });
        });
      });
    });
  };
  requestAnimationFrame(checkScreen);
}

/** Navigation is sent only after scrolling has paused for this long, because it changes with every frame. */
const QUIET_MS = 250;

/** Sends the reader's position to the extension, for the next visit; a change of view at once, because the page may close. */
function keepNavigation(store: ConversationStore, host: PanelCalls, port: HostPort<PanelNavigation>): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sentView = store.view.peek();
  const send = (): void => {
    const position = store.position.peek();
    const view = store.view.peek();
    const line = store.readingLine();
    if (position.kind === 'item' && line === null && view === sentView) return;
    sentView = view;
    const at = position.kind === 'end' || line === null ? null : { line, offsetPx: position.offsetPx };
    const navigation = { view, at };
    port.saveState({ filePath: store.filePath, ...navigation });
    void host.navigated(navigation);
  };
  effect(() => {
    dependOn(store.position, store.view);
    clearTimeout(timer);
    timer = setTimeout(send, store.view.peek() === sentView ? QUIET_MS : 0);
  });
}

let app: ConversationApp | null = null;
let takeSent: (start: PanelStart) => void = () => undefined;
/** What the extension sends without being asked. */
const sent = new Promise<PanelStart>((resolve) => (takeSent = resolve));
const panel: PanelEvents = {
  started: (start) => {
    takeSent(start);
  },
  changed: (head) => {
    app?.store.changed(head);
    app?.subagentChanges.notify(head.path);
  },
  subagentChanged: (filePath) => {
    app?.subagentChanges.notify(filePath);
  },
  reveal: (line, find) => {
    void reveal(line, find);
  },
  openFind: () => {
    app?.find.open();
  },
  goToPrompt: (step) => {
    void app?.outline.goToPrompt(step);
  },
  foldAll: () => {
    app?.foldAll();
  },
  copyMessage: (line, as) => {
    if (app !== null) void copyMessage(line, as, app);
  },
  offerRepair: (scope) => {
    void app?.repair.offer(scope);
  },
  repaired: (seam) => {
    app?.repair.take(seam);
  },
  reconnected: (atMs) => {
    if (app !== null) app.store.reconnectedMs.value = atMs;
  },
  stopped: (why) => {
    if (app !== null) app.store.stopped.value = why;
  },
};
const port = openVscodePort<PanelNavigation>();
const host = connectHost(panelChannel, port, panel);

/** Of a message on the screen: its menu was opened there. */
async function copyMessage(line: number, as: 'text' | 'markdown', { store, act }: ConversationApp): Promise<void> {
  const { from, to } = store.items.shown;
  for (let index = from; index <= to; index++) {
    const item = store.items.item(index);
    const row = item === null ? undefined : rowsOf(item).find((each) => each.line === line);
    if (row === undefined) continue;
    act({ kind: 'copy', text: await (as === 'text' ? textOf : markdownOf)(row, host, store.filePath) });
    return;
  }
}

async function reveal(line: number, find: FindQuery | null): Promise<void> {
  await app?.store.reveal(line);
  if (find !== null) app?.find.findAt(find, line);
}

/** What to show first: what the extension has sent, or else what it answers. */
async function startOf(asked: Promise<PanelStart | SentStart>): Promise<PanelStart> {
  const first = await Promise.race([sent, asked]);
  if (!('isSent' in first)) return first;
  // What was sent before this answer is lost: VS Code gives a page its messages after a while even if its script has not run.
  const again = await host.ready();
  return 'isSent' in again ? sent : again;
}

/** What the person asked for after the start was sent. */
async function showTarget(answer: PanelStart | SentStart, { repair }: ConversationApp): Promise<void> {
  if (!('isSent' in answer)) return;
  if (answer.offersRepair !== null) await repair.offer(answer.offersRepair);
  else if (answer.reveal !== null) await reveal(answer.reveal, answer.find);
}

async function start(): Promise<void> {
  const asked = host.ready();
  const started = await startOf(asked);
  const answeredMs = Date.now();
  const { store, outline, repair } = (app = createApp(host, started));
  const { at } = started.navigation;
  if (started.offersRepair !== null) void repair.offer(started.offersRepair);
  else if (started.reveal !== null) await reveal(started.reveal, started.find);
  else if (at !== null) await store.restore(at.line, at.offsetPx);
  // A page that was hidden, or a window that was reloaded, comes back to the end if it was left there.
  else if (!port.hasState()) await store.goToBreak();
  outline.openIfShown();
  document.body.replaceChildren();
  render(
    <ProvideApp value={app}>
      <ConversationPanel />
    </ProvideApp>,
    document.body,
  );
  keepNavigation(store, host, port);
  const shown = app;
  asked.then((answer) => showTarget(answer, shown)).catch(() => undefined);
  reportTimes(host, answeredMs, (then) => {
    store.isShown.value = true;
    loadHighlighter(then);
  });
}

start().catch((error: unknown) => {
  document.body.textContent = error instanceof Error ? error.message : String(error);
});

/** Subagents can start subagents; deeper ones open in a separate panel. */
const MAX_SUBAGENT_DEPTH = 3;

function createApp(host: PanelCalls, start: PanelStart): ConversationApp {
  const store = new ConversationStore(host, start);
  const expanded = new ExpandedRows();
  const shown = new ShownState(host, start.shown);
  const find = new FindState(host, store, expanded);
  const t = createTranslate(start.texts);
  const act: ConversationApp['act'] = (action) => {
    host.act(action).catch((error: unknown) => {
      store.undone.value = error instanceof Error ? error.message : String(error);
    });
  };
  let figures: Figures | null = null;
  const blockHosts = new Map<string, BlockHost>();
  const createBlockHost = (filePath: string, depth: number): BlockHost => ({
    filePath,
    folder: start.head.cwd,
    locale: start.locale,
    t,
    text: (line, path) => host.text(filePath, line, path),
    image: (line, path) => host.image(filePath, line, path),
    persisted: (path) => host.persisted(path),
    act,
    expanded: expanded.of(filePath),
    subagent: (path, leafLine) =>
      depth < MAX_SUBAGENT_DEPTH ? h(SubagentView, { key: path, filePath: path, leafLine, depth: depth + 1 }) : null,
    found: depth === 0 ? (line) => find.found(line) : () => null,
    reached: () => find.reached.value,
  });
  return {
    host,
    store,
    find,
    outline: new OutlineState(host, store, shown),
    foldAll: () => {
      expanded.clear();
    },
    repair: new RepairState(host, store, start),
    shown,
    usage: new UsageState(host, store),
    get figures() {
      return (figures ??= createFigures(start.locale));
    },
    subagentChanges: new SubagentChanges(),
    t,
    formats: createFormats(start.locale),
    act,
    blockHost: (filePath, depth) => {
      const key = `${depth} ${filePath}`;
      const made = blockHosts.get(key) ?? createBlockHost(filePath, depth);
      blockHosts.set(key, made);
      return made;
    },
  };
}

/** In a narrower panel, the outline covers the conversation and is closed after a jump. */
const NARROW = '(max-width: 760px)';

export function ConversationPanel(): JSX.Element {
  const { store, find, outline, shown, t } = useApp();
  useEffect(() => {
    const keyDown = (event: KeyboardEvent): void => {
      const isFind = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'f';
      if (isFind) find.open();
      else if (event.key === 'F3') find.step(event.shiftKey ? -1 : 1);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', keyDown, { capture: true });
    return () => {
      window.removeEventListener('keydown', keyDown, { capture: true });
    };
  }, [find]);
  const { count, problem } = store.head.value;
  return (
    <div class={shown.parts.value.timestamps ? 'panel' : 'panel without-times'}>
      <ConversationHeader />
      <FindBar />
      <Banners />
      {outline.isOpen.value && (
        <OutlinePane
          onJump={() => {
            if (window.matchMedia(NARROW).matches) outline.isOpen.value = false;
          }}
        />
      )}
      <main class="main">
        {count === 0 ? (
          <>
            <p class="empty">{problem === null ? t('Nothing was said in this conversation.') : ''}</p>
            <ReconnectedLine />
          </>
        ) : (
          <ConversationList />
        )}
        <NewItems />
      </main>
      <LiveRegion />
    </div>
  );
}

/** Shown away from the end: a button back to the end, with the number of items added there. */
function NewItems(): JSX.Element | null {
  const { store, t, formats } = useApp();
  const unseen = store.unseen.value;
  if (store.position.value.kind === 'end' || (store.seesEnd.value && unseen === 0)) return null;
  return (
    <button
      type="button"
      class={unseen > 0 ? 'to-end has-new' : 'to-end'}
      title={t('Go to the end')}
      aria-label={unseen > 0 ? t('{0} new: go to the end', formats.number(unseen)) : t('Go to the end')}
      onClick={() => {
        store.goToEnd();
      }}
    >
      {unseen > 0 && <span>{t('{0} new', formats.number(unseen))}</span>}
      <Icon name="arrow-down" />
    </button>
  );
}

const SAID_CHARACTERS = 240;

/** Announces new replies while the reader follows a conversation. */
function LiveRegion(): JSX.Element {
  const { store, t } = useApp();
  const words = useMemo(
    () =>
      computed(() => {
        const reply = store.arrived.value.map(replyOf).findLast((text) => text !== null) ?? null;
        return reply === null ? '' : t('Claude: {0}', reply);
      }),
    [store, t],
  );
  return (
    <div class="visually-hidden" aria-live="polite" data-live-region>
      {words}
    </div>
  );
}

function replyOf(item: PanelItem): string | null {
  if (item.kind !== 'row' || item.role !== 'assistant') return null;
  const text = item.blocks.flatMap((block) => (block.kind === 'text' ? [block.body.text] : [])).join(' ');
  return text === '' ? null : text.slice(0, SAID_CHARACTERS);
}

import { effect } from '@preact/signals';
import { render } from 'preact';
import { type PanelCalls, panelChannel, type PanelEvents, type PanelNavigation } from '../../protocol/channels/panel';
import type { FindQuery } from '../../protocol/conversation';
import { type CodeHighlighter, HIGHLIGHTER_EVENT } from '../blocks/code/codeHighlighter';
import { loadedHighlighter } from '../blocks/code/highlightCode';
import { connectHost, type HostPort, openVscodePort } from '../ui/connectHost';
import { dependOn } from '../ui/texts';
import { ConversationPanel } from './ConversationPanel';
import { type ConversationApp, ProvideApp } from './conversationApp';
import { createApp } from './createApp';
import type { ConversationStore } from './state/conversationStore';
import './styles/controls.css';
import './styles/list.css';
import './styles/panel.css';

/** The script that runs while this module is loaded: the bundle beside it may be loaded under its nonce. */
const own = document.currentScript instanceof HTMLScriptElement ? document.currentScript : null;

/** Fetches what colours code. Until it is there, and where it cannot be had, code is plain. Calls `then` in either case. */
function loadHighlighter(then: () => void): void {
  if (own === null || loadedHighlighter.value !== null) {
    then();
    return;
  }
  window.addEventListener(
    HIGHLIGHTER_EVENT,
    (event) => {
      // SAFETY: told by the bundle that is loaded below; whatever else runs here is ours, too.
      loadedHighlighter.value = (event as CustomEvent<CodeHighlighter>).detail;
    },
    { once: true },
  );
  const script = document.createElement('script');
  script.src = new URL('highlight.js', own.src).href;
  script.nonce = own.nonce;
  script.onload = script.onerror = then;
  document.head.append(script);
}

const ranMs = Date.now();

/**
 * Tells the host when the first screen stood: every place on it was filled, and the browser had painted it. What may wait
 * for that is loaded then, and it is told when that is over: from there on, the page loads nothing by itself.
 */
function tellTimes(host: PanelCalls, answeredMs: number, loadRest: (then: () => void) => void): void {
  const look = (): void => {
    if (document.querySelector('.skeleton, .rows:empty') !== null) {
      requestAnimationFrame(look);
      return;
    }
    const drawnMs = Date.now();
    // The frame that begins next was preceded by the one that shows it.
    requestAnimationFrame(() => {
      const paintedMs = Date.now();
      loadRest(() => {
        void host.shown({ beganMs: performance.timeOrigin, ranMs, answeredMs, drawnMs, paintedMs });
      });
    });
  };
  requestAnimationFrame(look);
}

/** A reader who scrolls is somewhere else with every frame. */
const QUIET_MS = 250;

/** Tells the host where the reader is, for the next time; of another view at once: the page may be gone in a moment. */
function keepNavigation(store: ConversationStore, host: PanelCalls, port: HostPort<PanelNavigation>): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let told = store.view.peek();
  const tell = (): void => {
    const position = store.position.peek();
    const view = store.view.peek();
    const line = store.readingLine();
    if (position.kind === 'item' && line === null && view === told) return;
    told = view;
    const at = position.kind === 'end' || line === null ? null : { line, offsetPx: position.offsetPx };
    const navigation = { view, at };
    port.saveState({ filePath: store.filePath, ...navigation });
    void host.navigated(navigation);
  };
  effect(() => {
    dependOn(store.position, store.view);
    clearTimeout(timer);
    timer = setTimeout(tell, store.view.peek() === told ? QUIET_MS : 0);
  });
}

/** As wide as this, there is room for the prompts beside the conversation. */
const WIDE = '(min-width: 1100px)';

let app: ConversationApp | null = null;
const panel: PanelEvents = {
  changed: (head) => {
    app?.store.changed(head);
    app?.subagentNews.tell(head.filePath);
  },
  subagentChanged: (filePath) => {
    app?.subagentNews.tell(filePath);
  },
  reveal: (line, find) => {
    void reveal(line, find);
  },
  openFind: () => {
    app?.find.open();
  },
  stopped: (why) => {
    if (app !== null) app.store.stopped.value = why;
  },
};
const port = openVscodePort<PanelNavigation>();
const host = connectHost(panelChannel, port, panel);

async function reveal(line: number, find: FindQuery | null): Promise<void> {
  await app?.store.reveal(line);
  if (find !== null) app?.find.lookFor(find, line);
}

async function start(): Promise<void> {
  const said = await host.ready();
  const answeredMs = Date.now();
  const { store, outline } = (app = createApp(host, said));
  const { at } = said.navigation;
  if (said.reveal !== null) await reveal(said.reveal, said.find);
  else if (at !== null) await store.restore(at.line, at.offsetPx);
  outline.isOpen.value = window.matchMedia(WIDE).matches;
  document.body.replaceChildren();
  render(
    <ProvideApp value={app}>
      <ConversationPanel />
    </ProvideApp>,
    document.body,
  );
  keepNavigation(store, host, port);
  tellTimes(host, answeredMs, (then) => {
    store.isShown.value = true;
    loadHighlighter(then);
  });
}

start().catch((error: unknown) => {
  document.body.textContent = error instanceof Error ? error.message : String(error);
});

import { render } from 'preact';
import type { PanelApi } from '../../shared/api/conversation';
import type { FindQuery } from '../../shared/conversation';
import { ConversationPanel } from './ConversationPanel';
import { connectHost } from './connectHost';
import type { ConversationApp } from './conversationApp';
import { ProvideApp } from './conversationApp';
import { createApp } from './createApp';
import { openVscodeChannel } from './hostChannel';
import { keepNavigation } from './keepNavigation';
import { loadHighlighter } from './loadHighlighter';
import { tellTimes } from './tellTimes';
import './styles/panel.css';
import './styles/list.css';
import './styles/controls.css';

/** As wide as this, there is room for the prompts beside the conversation. */
const WIDE = '(min-width: 1100px)';

let app: ConversationApp | null = null;
const panel: PanelApi = {
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
const channel = openVscodeChannel();
const host = connectHost(channel, panel);

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
  keepNavigation(store, host, channel);
  tellTimes(host, answeredMs, (then) => {
    store.isShown.value = true;
    loadHighlighter(then);
  });
}

start().catch((error: unknown) => {
  document.body.textContent = error instanceof Error ? error.message : String(error);
});

import { effect, signal } from '@preact/signals';
import { render } from 'preact';
import { type TokensNavigation, tokensViewChannel } from '../../protocol/channels/tokensView';
import { connectHost, openVscodePort } from '../ui/connectHost';
import { createTranslate } from '../ui/texts';
import { watchWidth } from '../ui/watchWidth';
import { TokensPage } from './TokensPage';
import { TokensView } from './TokensView';
import { createFigures } from '../ui/createFigures';
import { ProvideApp, type TokensApp } from './tokensApp';
import '../ui/base.css';
import './styles/chart.css';
import './styles/page.css';
import './styles/view.css';

/** An action may wait for the person, so it has no time limit while the page is open. */
const whileOpen = new AbortController().signal;

let app: TokensApp | null = null;
const port = openVscodePort<TokensNavigation>();
const host = connectHost(tokensViewChannel, port, {
  changed: (snapshot) => {
    if (app !== null && snapshot.revision > app.snapshot.peek().revision) app.snapshot.value = snapshot;
  },
});

async function start(): Promise<void> {
  const { place, navigation, snapshot, texts, locale } = await host.ready();
  const failure = signal<string | null>(null);
  const attempt = (work: Promise<void>): void => {
    failure.value = null;
    work.catch((error: unknown) => {
      failure.value = error instanceof Error ? error.message : String(error);
    });
  };
  app = {
    snapshot: signal(snapshot),
    navigation: signal(navigation),
    failure,
    figures: createFigures(locale),
    t: createTranslate(texts),
    act: (action) => {
      attempt(host.act(action, whileOpen));
    },
    openSession: (filePath) => {
      attempt(host.openSession(filePath));
    },
  };
  document.body.replaceChildren();
  render(<ProvideApp value={app}>{place === 'view' ? <TokensView /> : <TokensPage />}</ProvideApp>, document.body);
  const kept = app.navigation;
  effect(() => {
    port.saveState(kept.value);
    void host.navigated(kept.value);
  });
  if (place === 'view') watchWidth((pixels) => void host.resized(pixels));
}

start().catch((error: unknown) => {
  document.body.textContent = error instanceof Error ? error.message : String(error);
});

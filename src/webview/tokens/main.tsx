import { effect, signal } from '@preact/signals';
import { render } from 'preact';
import { createTranslate } from '../ui/texts';
import { TokensView } from './TokensView';
import { connectHost } from './connectHost';
import { createFigures } from './createFigures';
import { ProvideApp, type TokensApp } from './tokensApp';
import './styles/chart.css';
import './styles/view.css';

let app: TokensApp | null = null;
const { calls, keep } = connectHost({
  changed: (snapshot) => {
    if (app !== null && snapshot.revision > app.snapshot.peek().revision) app.snapshot.value = snapshot;
  },
});

async function start(): Promise<void> {
  const { navigation, snapshot, texts, locale } = await calls.ready();
  const failure = signal<string | null>(null);
  app = {
    snapshot: signal(snapshot),
    navigation: signal(navigation),
    failure,
    figures: createFigures(locale),
    t: createTranslate(texts),
    act: (action) => {
      failure.value = null;
      calls.act(action).catch((error: unknown) => {
        failure.value = error instanceof Error ? error.message : String(error);
      });
    },
  };
  document.body.replaceChildren();
  render(
    <ProvideApp value={app}>
      <TokensView />
    </ProvideApp>,
    document.body,
  );
  const kept = app.navigation;
  effect(() => {
    keep(kept.value);
  });
}

start().catch((error: unknown) => {
  document.body.textContent = error instanceof Error ? error.message : String(error);
});

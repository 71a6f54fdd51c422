import { render } from 'preact';
import { searchViewChannel } from '../../protocol/channels/searchView';
import { connectHost, openVscodePort } from '../ui/connectHost';
import { watchWidth } from '../ui/watchWidth';
import { createFormats, createTranslate } from '../ui/texts';
import { ProvideApp } from './searchApp';
import { SearchState } from './searchState';
import { SearchView } from './SearchView';
import '../ui/base.css';
import './styles/search.css';
import './styles/form.css';

let isReady = false;
const host = connectHost(searchViewChannel, openVscodePort<never>(), {
  changed: (news) => {
    if (isReady && !state.change(news)) void beginAgain();
  },
  projectsChanged: (projects) => {
    state.projects.value = projects;
  },
  focusInput: () => {
    state.inputAsked.value++;
  },
});
const state = new SearchState(host);

async function start(): Promise<void> {
  const { texts, locale, ...started } = await host.ready();
  state.begin({ texts, locale, ...started });
  isReady = true;
  document.body.replaceChildren();
  render(
    <ProvideApp value={{ state, formats: createFormats(locale), t: createTranslate(texts) }}>
      <SearchView />
    </ProvideApp>,
    document.body,
  );
  const tellFocus = (): void => void host.focused(document.hasFocus());
  window.addEventListener('focus', tellFocus);
  window.addEventListener('blur', tellFocus);
  tellFocus();
  watchWidth((pixels) => void host.resized(pixels));
}

/** The results of the extension, after some news were lost. */
async function beginAgain(): Promise<void> {
  isReady = false;
  const started = await host.ready();
  state.sessions.value = started.sessions;
  state.status.value = started.status;
  isReady = true;
}

start().catch((error: unknown) => {
  document.body.textContent = error instanceof Error ? error.message : String(error);
});

import { batch, effect, signal } from '@preact/signals';
import { render } from 'preact';
import { type KeptRewindPage, type RewindView, rewindViewChannel } from '../../protocol/channels/rewindView';
import { loadHighlighter } from '../blocks/code/loadHighlighter';
import { connectHost, openVscodePort } from '../ui/connectHost';
import { createFormats, createTranslate } from '../ui/texts';
import { FileChoice, type FilesToChoose } from './fileChoice';
import { ProvideApp, type RewindApp } from './rewindApp';
import { RewindPage } from './RewindPage';
import '../ui/base.css';
import '../ui/menu.css';
import './styles/controls.css';
import './styles/page.css';
import './styles/files.css';
import './styles/narrow.css';

/** What changes files or waits for the person has no time limit while the page is open. */
const whileOpen = new AbortController().signal;

let app: RewindApp | null = null;
const port = openVscodePort<KeptRewindPage>();
const host = connectHost(rewindViewChannel, port, {
  changed: (view) => {
    if (app !== null && view.revision > app.view.peek().revision) take(view, app);
  },
});

/** Shows a view; a list of files in it comes with its boxes checked as they should be. */
function take(view: RewindView, { choice, view: shown }: Pick<RewindApp, 'choice' | 'view'>): void {
  batch(() => {
    const files = filesOf(view);
    if (files !== null) choice.take(files);
    shown.value = view;
  });
}

function filesOf({ stage, promptUuid }: RewindView): FilesToChoose | null {
  if (stage.kind === 'plan') return { about: promptUuid ?? 'rewind', ...stage.plan };
  return stage.kind === 'undo' ? { about: 'undo', ...stage.undo } : null;
}

/** The prompt whose plan is shown after a reload; null for the undoing of the newest rewind, also if that was just made here. */
function promptToComeBackTo({ stage, promptUuid }: RewindView): string | null {
  return stage.kind === 'done' && stage.canUndo ? null : promptUuid;
}

async function start(): Promise<void> {
  const { view, navigation, texts, locale, kept } = await host.ready();
  const failure = signal<string | null>(null);
  const orSay = (work: Promise<void>): void => {
    failure.value = null;
    work.catch((error: unknown) => {
      failure.value = error instanceof Error ? error.message : String(error);
    });
  };
  const created: RewindApp = {
    view: signal(view),
    choice: new FileChoice(navigation),
    failure,
    locale,
    formats: createFormats(locale),
    t: createTranslate(texts),
    choosePrompt: (promptUuid) => void host.choosePrompt(promptUuid),
    lookAgain: () => void host.lookAgain(),
    allowFolder: (folder) => void host.allowFolder(folder),
    chooseFolder: () => {
      orSay(host.chooseFolder(whileOpen));
    },
    compare: (path) => host.compare(path),
    rewind: (chosen) => {
      orSay(host.rewind(chosen, whileOpen));
    },
    undo: (chosen) => {
      orSay(host.undo(chosen, whileOpen));
    },
    act: (action) => void host.act(action),
  };
  take(view, created);
  app = created;
  document.body.replaceChildren();
  render(
    <ProvideApp value={created}>
      <RewindPage />
    </ProvideApp>,
    document.body,
  );
  // The page is complete without colours.
  loadHighlighter(() => undefined);
  effect(() => {
    const { value } = created.choice.navigation;
    if (value !== null) void host.navigated(value);
  });
  effect(() => {
    port.saveState({ ...kept, promptUuid: promptToComeBackTo(created.view.value) });
  });
}

start().catch((error: unknown) => {
  document.body.textContent = error instanceof Error ? error.message : String(error);
});

import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type {
  ListedFile,
  NoticeButton,
  RewindNotice,
  RewindStage,
  ShownPlan,
  ShownUndo,
} from '../../protocol/channels/rewindView';
import { Icon, IconButton } from '../ui/Icon';
import { Menu } from '../ui/Menu';
import { ActionBar } from './ActionBar';
import { DiffPane } from './DiffPane';
import { FileList } from './FileList';
import { NotRestored } from './NotRestored';
import { type RewindApp, useApp } from './rewindApp';

/** The page on which the files of a session are rewound, and on which that is undone. */
export function RewindPage(): JSX.Element {
  const { view } = useApp();
  const { stage } = view.value;
  return (
    <div class="page">
      <Head />
      <Notices />
      <main class="main">
        <Stage stage={stage} />
      </main>
      {(stage.kind === 'plan' || stage.kind === 'undo') && <ActionBar stage={stage} />}
    </div>
  );
}

/** The session, and the prompt to go back to, which can be changed. */
function Head(): JSX.Element {
  const { view, lookAgain, choosePrompt, t } = useApp();
  const { title, prompts, promptUuid, stage, busy } = view.value;
  const chosen = prompts.find((prompt) => prompt.promptUuid === promptUuid);
  const words = chosen?.words ?? t('Choose a prompt');
  return (
    <header class="head">
      <h1 class="title">
        {stage.kind === 'undo' ? t('Undo the rewind of “{0}”', title) : t('Rewind files of “{0}”', title)}
      </h1>
      {prompts.length > 0 && (
        <div class="goal">
          <span class="goal-label">{t('Go back to before')}</span>
          {busy === null ? (
            <Menu
              label={t('Go back to before: {0}', words)}
              buttonClass="goal-button"
              button={<GoalText words={words} facts={chosen?.facts ?? ''} hasMenu />}
              items={prompts.map((prompt) => ({
                label: prompt.words,
                ...(prompt.isPossible ? { detail: prompt.facts } : { disabledBecause: prompt.facts }),
                isChosen: prompt.promptUuid === promptUuid,
                onChoose: () => {
                  choosePrompt(prompt.promptUuid);
                },
              }))}
            />
          ) : (
            <GoalText words={words} facts={chosen?.facts ?? ''} hasMenu={false} />
          )}
          {busy === null && promptUuid !== null && (
            <IconButton icon="refresh" label={t('Look at the files again')} onPress={lookAgain} />
          )}
        </div>
      )}
    </header>
  );
}

function GoalText({ words, facts, hasMenu }: { words: string; facts: string; hasMenu: boolean }): JSX.Element {
  return (
    <>
      <span class="goal-text">
        <span class="goal-words">{words}</span>
        {facts !== '' && <span class="goal-facts">{facts}</span>}
      </span>
      {hasMenu && <Icon name="chevron-down" />}
    </>
  );
}

function Notices(): JSX.Element | null {
  const { view, failure, t } = useApp();
  const { notices } = view.value;
  if (notices.length === 0 && failure.value === null) return null;
  return (
    // Scrolled with the keyboard.
    <section class="notices" aria-label={t('What happened')} tabIndex={0}>
      {notices.map((notice, at) => (
        <Notice key={at} {...notice} />
      ))}
      {failure.value !== null && <Notice kind="error" message={t('That failed: {0}', failure.value)} buttons={[]} />}
    </section>
  );
}

function Notice({ kind, message, buttons }: RewindNotice): JSX.Element {
  const app = useApp();
  return (
    <div class={`notice is-${kind}`} role="alert">
      <Icon name={kind} />
      <div class="notice-text">
        <p>{message}</p>
        {buttons.map((button) => (
          <button
            key={button}
            type="button"
            class="text-button"
            onClick={() => {
              if (button === 'undo') app.undo(null);
              else app.act({ kind: button });
            }}
          >
            {buttonText(button, app.t)}
          </button>
        ))}
      </div>
    </div>
  );
}

function buttonText(button: NoticeButton, t: RewindApp['t']): string {
  switch (button) {
    case 'undo':
      return t('Undo Rewind');
    case 'showSafetyCopy':
      return t('Show Safety Copy');
    case 'showLog':
      return t('Show Log');
  }
}

function Stage({ stage }: { stage: RewindStage }): JSX.Element {
  const { t } = useApp();
  switch (stage.kind) {
    case 'looking':
      return (
        <p class="sentence" role="status">
          {t('Comparing the files…')}
        </p>
      );
    case 'folder':
      return <FolderQuestion suggestions={stage.suggestions} />;
    case 'plan':
      return <Plan plan={stage.plan} />;
    case 'nothing':
      return (
        <>
          <p class="sentence" role="status">
            {stage.message}
          </p>
          <NotRestored groups={stage.notRestored} files={NO_FILES} />
        </>
      );
    case 'undo':
      return <Undo undo={stage.undo} />;
    case 'done':
      return <Done {...stage} />;
  }
}

const NO_FILES: readonly ListedFile[] = [];

function FolderQuestion({ suggestions }: Pick<RewindStage & { readonly kind: 'folder' }, 'suggestions'>): JSX.Element {
  const { allowFolder, chooseFolder, t } = useApp();
  return (
    <div class="question">
      <p>{t('No folder of this session is open in the window. Which folder may the rewind change?')}</p>
      <ul class="folders">
        {suggestions.map(({ path, isOpen }) => (
          <li key={path}>
            <button
              type="button"
              class="button is-secondary"
              onClick={() => {
                allowFolder(path);
              }}
            >
              {t('Allow Changes in {0}', path)}
            </button>
            <span class="quiet">{isOpen ? t('open in this window') : t('the transcript names this folder')}</span>
          </li>
        ))}
        <li>
          <button type="button" class="button is-secondary" onClick={chooseFolder}>
            {t('Choose Folder…')}
          </button>
        </li>
      </ul>
    </div>
  );
}

function Plan({ plan: { token, files, notRestored } }: { plan: ShownPlan }): JSX.Element {
  const { choice } = useApp();
  const shown = files.find(({ path }) => path === choice.shownPath) ?? files[0];
  return (
    <>
      <NotRestored groups={notRestored} files={files} />
      <div class="columns">
        <FileList files={files} isUndo={false} />
        {shown !== undefined && <DiffPane key={shown.path} file={shown} token={token} />}
      </div>
    </>
  );
}

function Undo({ undo: { files, rewoundAgo } }: { undo: ShownUndo }): JSX.Element {
  const { t } = useApp();
  return (
    <>
      <p class="sentence">
        {t(
          'The latest rewind was made {0}. Undo it, and these files go back to what they were before it. Those that were changed since stay as they are.',
          rewoundAgo,
        )}
      </p>
      <FileList files={files} isUndo />
    </>
  );
}

/** The last action succeeded. What can be done next takes the focus from the button that was pressed and is gone. */
function Done({ message, canUndo }: RewindStage & { readonly kind: 'done' }): JSX.Element {
  const { undo, lookAgain, view, t } = useApp();
  const text = useRef<HTMLParagraphElement>(null);
  const showButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // Not the button that undoes what was just done: one more press of the same key would do that.
    (showButton.current ?? text.current)?.focus();
  }, [message]);
  return (
    <div class="done">
      <p ref={text} id={DONE_TEXT} class="done-text" role="status" tabIndex={-1}>
        <Icon name="check" />
        <span>{message}</span>
      </p>
      {canUndo ? (
        <button
          type="button"
          class="button is-secondary"
          aria-disabled={view.value.busy !== null}
          onClick={() => {
            if (view.peek().busy === null) undo(null);
          }}
        >
          {view.value.busy === null ? t('Undo') : t('Undoing…')}
        </button>
      ) : (
        <button
          ref={showButton}
          type="button"
          class="button is-secondary"
          aria-describedby={DONE_TEXT}
          onClick={lookAgain}
        >
          {t('Show Files Again')}
        </button>
      )}
    </div>
  );
}

const DONE_TEXT = 'done-text';

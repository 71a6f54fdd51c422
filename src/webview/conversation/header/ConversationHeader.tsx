import type { JSX } from 'preact';
import { Icon, IconButton } from '../../ui/Icon';
import { Menu, type MenuItem } from '../../ui/Menu';
import type { MemoryCounts } from '../../../protocol/conversation';
import type { Formats, Translate } from '../../ui/texts';
import { branchItem, branchName, moreItem } from '../branchMenu';
import { useApp } from '../conversationApp';

/** Describes the conversation, and what Claude remembers of it. */
export function ConversationHeader(): JSX.Element {
  const { store, t, find, outline } = useApp();
  const head = store.head.value;
  const title = head.title ?? t('Conversation without a title');
  return (
    <header class="header">
      <div class="header-line">
        <h1 class="title" title={title}>
          {title}
        </h1>
        <div class="header-buttons">
          <IconButton
            icon="search"
            label={t('Find in conversation')}
            onPress={() => {
              find.open();
            }}
          />
          <IconButton
            icon="list"
            label={t('Prompts')}
            isPressed={outline.isOpen.value}
            onPress={() => {
              outline.isOpen.value = !outline.isOpen.value;
            }}
          />
        </div>
      </div>
      <div class="facts">
        <Memory />
        <ViewSwitch />
        {head.isLive && (
          <span class="fact live">
            <span class="live-dot" aria-hidden="true" />
            {t('Running')}
          </span>
        )}
        {head.model !== null && <span class="fact">{head.model}</span>}
        {head.gitBranch !== null && (
          <span class="fact" title={t('Git branch')}>
            <Icon name="branch" />
            {head.gitBranch}
          </span>
        )}
      </div>
    </header>
  );
}

/** What Claude remembers, in a sentence, and what is wrong with it. A subagent is never resumed on its own. */
function Memory(): JSX.Element | null {
  const { store, t, formats } = useApp();
  const { memory, of, findings } = store.head.value;
  const hasMemory = memory !== undefined && memory.messages > 0 && of > 0;
  if (!hasMemory) return findings.length === 0 ? null : <Findings />;
  const hasError = findings.some(({ severity }) => severity === 'error');
  return (
    <>
      <span
        class={hasError ? 'memory has-error' : 'memory'}
        title={t('What Claude still has in its memory when the session is resumed.')}
      >
        {findings.length === 0 && <Icon name="check" />}
        {memorySentence(memory, t, formats)}
      </span>
      {findings.length > 0 && <Findings />}
    </>
  );
}

function memorySentence({ remembered, messages, hasSummary }: MemoryCounts, t: Translate, { number }: Formats): string {
  if (hasSummary) {
    if (remembered === 0) return t('Claude remembers the summary');
    if (remembered === 1) return t('Claude remembers the summary and the last message');
    return t('Claude remembers the summary and the last {0} messages', number(remembered));
  }
  if (messages === 1) return remembered === 1 ? t('Claude remembers 1 message') : t('Claude remembers nothing');
  if (remembered === messages) return t('Claude remembers all {0} messages', number(messages));
  if (remembered === 0) return t('Claude remembers none of the {0} messages', number(messages));
  return t('Claude remembers {0} of {1} messages', number(remembered), number(messages));
}

/** The findings; each leads to its first line. */
function Findings(): JSX.Element {
  const { store, t, act } = useApp();
  const { findings } = store.head.value;
  const errors = findings.filter(({ severity }) => severity === 'error');
  const worst =
    errors.length > 0 ? 'error' : findings.some(({ severity }) => severity === 'warning') ? 'warning' : null;
  return (
    <>
      <Menu
        label={t('Findings: {0}', words(findings.length, errors.length, t))}
        buttonClass={`health chip is-${worst ?? 'healthy'}`}
        button={
          <>
            <Icon name={worst ?? 'check'} />
            {words(findings.length, errors.length, t)}
            <Icon name="chevron-down" />
          </>
        }
        items={findings.map((finding) => ({
          label: finding.message,
          icon: finding.severity === 'error' ? 'error' : 'warning',
          onChoose: () => {
            const [line] = finding.lines;
            if (line !== undefined) void store.reveal(line);
          },
        }))}
      />
      {errors.some(({ action }) => action !== 'tell') && (
        <button
          type="button"
          class="button is-small"
          onClick={() => {
            act({ kind: 'repair' });
          }}
        >
          <Icon name="wrench" />
          {t('Repair…')}
        </button>
      )}
    </>
  );
}

function words(all: number, errors: number, t: Translate): string {
  if (errors > 0) return errors === 1 ? t('1 error') : t('{0} errors', errors);
  return all === 1 ? t('1 finding') : t('{0} findings', all);
}

/** Chooses the shown messages: the thread that is resumed, a branch, or the whole file. */
function ViewSwitch(): JSX.Element {
  const app = useApp();
  const { store, t } = app;
  const view = store.view.value;
  const { branches, moreBranches } = store.head.value;
  const name = {
    chain: () => t('Current thread'),
    file: () => t('Whole file'),
    branch: () => t('Branch: {0}', branchName(shown?.label ?? '', t)),
  };
  const leafLine = view.kind === 'branch' ? view.leafLine : null;
  const shown = branches.find((branch) => branch.leafLine === leafLine);
  const items: MenuItem[] = [
    {
      label: name.chain(),
      detail: t('What Claude continues from, and what came before it'),
      isChosen: view.kind === 'chain',
      onChoose: () => void store.switchView({ kind: 'chain' }),
    },
    {
      label: name.file(),
      detail: t('Every row in the order of the file'),
      isChosen: view.kind === 'file',
      onChoose: () => void store.switchView({ kind: 'file' }),
    },
    ...branches.map((branch) => ({ ...branchItem(branch, app), isChosen: branch.leafLine === leafLine })),
    ...moreItem(moreBranches, t('At the rows where they go off'), app),
  ];
  return (
    <Menu
      label={t('View: {0}', name[view.kind]())}
      buttonClass="chip view-switch"
      button={
        <>
          <span class="chip-text">{name[view.kind]()}</span>
          <Icon name="chevron-down" />
        </>
      }
      items={items}
    />
  );
}

import type { JSX } from 'preact';
import { Icon, IconButton, type IconName } from '../../ui/Icon';
import { Menu, type MenuItem } from '../../ui/Menu';
import type { MemoryCounts } from '../../../protocol/conversation';
import type { Finding } from '../../../protocol/repair';
import type { Formats, Translate } from '../../ui/texts';
import { branchItem, branchName, moreItem } from '../branchMenu';
import { useApp } from '../conversationApp';

/** What Claude remembers of the conversation, and what can be done with it. The tab of the panel has its title. */
export function ConversationHeader(): JSX.Element {
  const { store, t, outline } = useApp();
  const head = store.head.value;
  return (
    <header class="header">
      <h1 class="visually-hidden">{head.title ?? t('Conversation without a title')}</h1>
      <div class="header-line">
        <Memory />
        <div class="header-actions">
          <SessionActions />
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
        {head.findings.length > 0 && <Findings />}
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

/** A subagent is never resumed, forked or rewound on its own. */
function SessionActions(): JSX.Element {
  const { store, t, act, find } = useApp();
  const { of, problem, findings } = store.head.value;
  const view = store.view.value;
  const isSession = of > 0 && problem === null;
  const items: MenuItem[] = [
    {
      label: t('Find in conversation'),
      icon: 'search',
      onChoose: () => {
        find.open();
      },
    },
  ];
  const addAction = (label: string, icon: IconName, kind: 'export' | 'copySessionId'): void => {
    items.push({
      label,
      icon,
      onChoose: () => {
        act({ kind });
      },
    });
  };
  if (problem === null) addAction(t('Export…'), 'open', 'export');
  if (isSession) addAction(t('Copy session ID'), 'copy', 'copySessionId');
  return (
    <>
      {isRepairable(findings) && (
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
      {isSession && (
        <>
          <button
            type="button"
            class={isRepairable(findings) ? 'action' : 'button is-small'}
            onClick={() => {
              act({ kind: 'resume' });
            }}
          >
            <Icon name="play" />
            {t('Resume')}
          </button>
          <Action
            icon="fork"
            label={t('Fork')}
            onPress={() => {
              act(view.kind === 'branch' ? { kind: 'fork', line: view.leafLine } : { kind: 'forkSession' });
            }}
          />
          <Action
            icon="rewind"
            label={t('Rewind…')}
            onPress={() => {
              act({ kind: 'rewindFiles' });
            }}
          />
        </>
      )}
      <Menu label={t('More actions')} buttonClass="icon-button" button={<Icon name="more" />} items={items} />
    </>
  );
}

/** In a narrow panel, its word is only in the tooltip. */
function Action({ icon, label, onPress }: { icon: IconName; label: string; onPress: () => void }): JSX.Element {
  return (
    <button type="button" class="action" title={label} aria-label={label} onClick={onPress}>
      <Icon name={icon} />
      <span class="action-word">{label}</span>
    </button>
  );
}

function isRepairable(findings: readonly Finding[]): boolean {
  return findings.some(({ severity, action }) => severity === 'error' && action !== 'tell');
}

/** What Claude remembers, in a sentence. A subagent is never resumed on its own. */
function Memory(): JSX.Element {
  const { store, t, formats } = useApp();
  const { memory, of, findings } = store.head.value;
  if (memory === undefined || memory.messages === 0 || of === 0) return <span class="memory" />;
  const hasError = findings.some(({ severity }) => severity === 'error');
  return (
    <span
      class={hasError ? 'memory has-error' : 'memory'}
      title={t('What Claude still has in its memory when the session is resumed.')}
    >
      {findings.length === 0 && <Icon name="check" />}
      {memorySentence(memory, t, formats)}
    </span>
  );
}

function memorySentence({ remembered, messages, hasSummary }: MemoryCounts, t: Translate, formats: Formats): string {
  const number = (count: number): string => formats.number(count);
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
  const { store, t } = useApp();
  const { findings } = store.head.value;
  const errors = findings.filter(({ severity }) => severity === 'error');
  const worst =
    errors.length > 0 ? 'error' : findings.some(({ severity }) => severity === 'warning') ? 'warning' : null;
  return (
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

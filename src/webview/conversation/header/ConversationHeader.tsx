import type { JSX } from 'preact';
import { Icon, IconButton, type IconName } from '../../ui/Icon';
import { Menu, type MenuItem } from '../../ui/Menu';
import type { ShownParts } from '../../../protocol/channels/panel';
import { memoryText } from '../../../protocol/memory';
import type { Translate } from '../../ui/texts';
import { branchItem, branchName, moreItem } from '../branchMenu';
import { useApp } from '../conversationApp';
import { offerTexts } from '../repair/offerTexts';
import { isRepairable } from '../repair/repairState';
import { ContextGauge, CostFact, ResumeFact, useResumeNote } from './Gauge';

/** What Claude remembers of the conversation, and what can be done with it. The tab of the panel has its title. */
export function ConversationHeader(): JSX.Element {
  const { store, usage, t, outline } = useApp();
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
              outline.show(!outline.isOpen.value);
            }}
          />
        </div>
      </div>
      <div class="facts">
        {usage.findings.value.length > 0 && <Findings />}
        <ViewSwitch />
        {head.isLive && (
          <span class="fact live">
            <span class="live-dot" aria-hidden="true" />
            {t('Running')}
          </span>
        )}
        <ContextGauge />
        <CostFact />
        {head.model !== null && <span class="fact is-minor">{head.model}</span>}
        {head.gitBranch !== null && (
          <span class="fact is-minor" title={t('Git branch')}>
            <Icon name="branch" />
            {head.gitBranch}
          </span>
        )}
        <ResumeFact />
      </div>
    </header>
  );
}

/** A subagent is never resumed, forked or rewound on its own. */
function SessionActions(): JSX.Element {
  const { store, repair, usage, t, act, find } = useApp();
  const isBroken = isRepairable(usage.findings.value);
  const resumeNote = useResumeNote();
  const { memory, problem } = store.head.value;
  const view = store.view.value;
  const isSession = problem === null && memory !== undefined && memory.messages > 0;
  const items: MenuItem[] = [
    {
      label: t('Find in Conversation'),
      icon: 'search',
      onChoose: () => {
        find.open();
      },
    },
  ];
  const addAction = (label: string, icon: IconName, kind: 'showChanges' | 'export' | 'copySessionId'): void => {
    items.push({
      label,
      icon,
      onChoose: () => {
        act({ kind });
      },
    });
  };
  if (isSession) addAction(t('Show Changed Files'), 'diff', 'showChanges');
  if (problem === null) addAction(t('Export…'), 'open', 'export');
  if (isSession) addAction(t('Copy Session ID'), 'copy', 'copySessionId');
  return (
    <>
      {isBroken && (
        <button
          type="button"
          class="button is-small"
          onClick={() => {
            void repair.offer('all');
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
            class={isBroken ? 'action' : 'button is-small'}
            title={resumeNote ?? undefined}
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
      <ShownMenu />
      <Menu label={t('More actions')} buttonClass="icon-button" button={<Icon name="more" />} items={items} />
    </>
  );
}

/** Shows or hides parts of messages, in all conversations. */
function ShownMenu(): JSX.Element {
  const { shown, t } = useApp();
  const parts = shown.parts.value;
  const item = (label: string, part: keyof ShownParts): MenuItem => ({
    label,
    isChecked: parts[part],
    onChoose: () => {
      shown.toggle(part);
    },
  });
  return (
    <Menu
      label={t('Show or hide')}
      buttonClass="icon-button"
      button={<Icon name="eye" />}
      items={[
        item(t('Thinking'), 'thinking'),
        item(t('Tools'), 'tools'),
        item(t('Notes'), 'notes'),
        item(t('Timestamps'), 'timestamps'),
      ]}
    />
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

/** What Claude remembers, in a sentence. A subagent is never resumed on its own. */
function Memory(): JSX.Element {
  const { store, usage, t, formats } = useApp();
  const { memory, losesMessages = false } = store.head.value;
  const findings = usage.findings.value;
  const hasError = findings.some(({ severity }) => severity === 'error');
  if (memory === undefined || memory.messages === 0) return <span class="memory" />;
  if (findings.some(({ isRefused }) => isRefused === true)) {
    return <span class="memory has-error">{t('Claude’s API refuses every prompt')}</span>;
  }
  return (
    <span
      class={hasError ? 'memory has-error' : 'memory'}
      title={t('What Claude still has in its memory when the session is resumed.')}
    >
      {findings.length === 0 && !losesMessages && <Icon name="check" />}
      {memoryText({ ...memory, losesMessages: losesMessages || hasError }, formats, t)}
    </span>
  );
}

/** The findings; each leads to its first line. */
function Findings(): JSX.Element {
  const { store, usage, act, t } = useApp();
  const findings = usage.findings.value;
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
      items={findings.flatMap((finding): MenuItem[] => {
        const { offer } = finding;
        const told: MenuItem = {
          label: finding.message,
          icon: finding.severity === 'info' ? 'check' : finding.severity,
          onChoose: () => {
            const [line] = finding.lines;
            if (line !== undefined) void store.reveal(line);
          },
        };
        if (offer === undefined) return [told];
        const { icon, button } = offerTexts(offer, t);
        const take = (): void => {
          act({ kind: 'takeOffer', offer: offer.kind });
        };
        return [told, { label: button, icon, onChoose: take }];
      })}
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
      detail: t('Every message in the order of the file'),
      isChosen: view.kind === 'file',
      onChoose: () => void store.switchView({ kind: 'file' }),
    },
    ...branches.map((branch) => ({ ...branchItem(branch, app), isChosen: branch.leafLine === leafLine })),
    ...moreItem(moreBranches, t('At the messages where they branch off'), app),
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

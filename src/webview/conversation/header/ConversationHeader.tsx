import type { JSX } from 'preact';
import { Icon, IconButton } from '../../ui/Icon';
import { Menu, type MenuItem } from '../../ui/Menu';
import type { Translate } from '../../ui/texts';
import { branchItem, branchName, moreItem } from '../branchMenu';
import { useApp } from '../conversationApp';

/** Describes the conversation, and what Claude will load of it. */
export function ConversationHeader(): JSX.Element {
  const { store, t, formats, find, outline } = useApp();
  const head = store.head.value;
  const title = head.title ?? t('Conversation without a title');
  const loads = t('Claude will load {0} of {1}', formats.number(head.loads), formats.number(head.of));
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
        {/* A subagent is never resumed on its own. */}
        {(head.of > 0 || head.findings.length > 0) && (
          <>
            <span
              class={head.findings.some(({ severity }) => severity === 'error') ? 'loads has-error' : 'loads'}
              title={t('Messages that reach Claude when the session is resumed, of all that the transcript holds.')}
            >
              {loads}
            </span>
            <HealthBadge />
          </>
        )}
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

/** "Healthy", or the findings; each finding leads to its first line. */
function HealthBadge(): JSX.Element {
  const { store, t, act } = useApp();
  const { findings } = store.head.value;
  const errors = findings.filter(({ severity }) => severity === 'error');
  const worst =
    errors.length > 0 ? 'error' : findings.some(({ severity }) => severity === 'warning') ? 'warning' : null;
  if (findings.length === 0)
    return (
      <span class="health is-healthy">
        <Icon name="check" />
        {t('Healthy')}
      </span>
    );
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

/** Chooses the shown rows: the chain that is resumed, a branch, or the whole file. */
function ViewSwitch(): JSX.Element {
  const app = useApp();
  const { store, t } = app;
  const view = store.view.value;
  const { branches, moreBranches } = store.head.value;
  const name = {
    chain: () => t('Resumed chain'),
    file: () => t('Whole file'),
    branch: () => t('Branch: {0}', branchName(shown?.label ?? '', t)),
  };
  const leafLine = view.kind === 'branch' ? view.leafLine : null;
  const shown = branches.find((branch) => branch.leafLine === leafLine);
  const items: MenuItem[] = [
    {
      label: name.chain(),
      detail: t('What Claude goes on from, and what came before'),
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

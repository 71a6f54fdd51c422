import type { JSX } from 'preact';
import { Icon } from '../../ui/Icon';
import { IconButton } from '../../ui/IconButton';
import { useApp } from '../conversationApp';
import { HealthBadge } from './HealthBadge';
import { ViewSwitch } from './ViewSwitch';

/** What the conversation is, and what Claude will load of it. */
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
        {/* A subagent is never resumed by itself. */}
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

import { computed } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { ConversationItem } from '../../protocol/conversation';
import { Icon } from '../ui/Icon';
import { useApp } from './conversationApp';
import { FindBar } from './find/FindBar';
import { Banners } from './header/Banners';
import { ConversationHeader } from './header/ConversationHeader';
import { ConversationList } from './list/ConversationList';
import { OutlinePane } from './outline/OutlinePane';

/** In a narrower panel, the outline covers the conversation and is closed after a jump. */
const NARROW = '(max-width: 760px)';

export function ConversationPanel(): JSX.Element {
  const { store, find, outline, t } = useApp();
  useEffect(() => {
    const keyDown = (event: KeyboardEvent): void => {
      const isFind = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'f';
      if (isFind) find.open();
      else if (event.key === 'F3') find.step(event.shiftKey ? -1 : 1);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', keyDown, { capture: true });
    return () => {
      window.removeEventListener('keydown', keyDown, { capture: true });
    };
  }, [find]);
  const { count, problem } = store.head.value;
  return (
    <div class="panel">
      <ConversationHeader />
      <FindBar />
      <Banners />
      <div class="body">
        {outline.isOpen.value && (
          <OutlinePane
            onJump={() => {
              if (window.matchMedia(NARROW).matches) outline.isOpen.value = false;
            }}
          />
        )}
        <main class="main">
          {count === 0 ? (
            <p class="empty">{problem === null ? t('Nothing was said in this conversation.') : ''}</p>
          ) : (
            <ConversationList />
          )}
          <NewItems />
        </main>
      </div>
      <LiveRegion />
    </div>
  );
}

/** Shown away from the end: a button back to the end, with the number of items added there. */
function NewItems(): JSX.Element | null {
  const { store, t, formats } = useApp();
  const unseen = store.unseen.value;
  if (store.position.value.kind === 'end') return null;
  return (
    <button
      type="button"
      class={unseen > 0 ? 'to-end has-new' : 'to-end'}
      title={t('Go to the end')}
      aria-label={unseen > 0 ? t('{0} new: go to the end', formats.number(unseen)) : t('Go to the end')}
      onClick={() => {
        store.goToEnd();
      }}
    >
      {unseen > 0 && <span>{t('{0} new', formats.number(unseen))}</span>}
      <Icon name="arrow-down" />
    </button>
  );
}

const SAID_CHARACTERS = 240;

/** Announces new replies while the reader follows a conversation. */
function LiveRegion(): JSX.Element {
  const { store, t } = useApp();
  const words = useMemo(
    () =>
      computed(() => {
        const reply = store.arrived.value.map(replyOf).findLast((text) => text !== null) ?? null;
        return reply === null ? '' : t('Claude: {0}', reply);
      }),
    [store, t],
  );
  return (
    <div class="visually-hidden" aria-live="polite" data-live-region>
      {words}
    </div>
  );
}

function replyOf(item: ConversationItem): string | null {
  if (item.kind !== 'row' || item.role !== 'assistant') return null;
  const text = item.blocks.flatMap((block) => (block.kind === 'text' ? [block.body.text] : [])).join(' ');
  return text === '' ? null : text.slice(0, SAID_CHARACTERS);
}

import { computed } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ConversationItem } from '../../shared/conversation';
import { useApp } from './conversationApp';

const SAID_CHARACTERS = 240;

/** Says new replies while the reader follows a conversation. */
export function LiveRegion(): JSX.Element {
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

import type { JSX } from 'preact';
import type { ForgottenAs, RowItem } from '../../../protocol/conversation';
import { isResultAlone } from '../../../protocol/message';
import type { Translate } from '../../ui/texts';
import { useApp } from '../conversationApp';

export function RowHeader({ item, author }: { item: RowItem; author: string }): JSX.Element {
  const { t, formats } = useApp();
  return (
    <div class="row-header" data-unsearched>
      <span class="row-author">{author}</span>
      {item.model !== null && item.isModelNew === true && <span class="row-model">{item.model}</span>}
      {item.timeMs !== null && (
        <time class="row-time" dateTime={toIso(item.timeMs)} title={formats.dateTime(item.timeMs)}>
          {formats.time(item.timeMs, Date.now())}
        </time>
      )}
      {(item.forgottenAs === 'lost' || item.forgottenAs === 'otherBranch') && (
        <span class={`row-forgotten is-${item.forgottenAs}`} title={t('Claude does not remember this.')}>
          {forgottenName(item.forgottenAs, t)}
        </span>
      )}
    </div>
  );
}

/** In a word or two; the band above the list says more about what was summarised. */
export function forgottenName(forgotten: ForgottenAs, t: Translate): string {
  switch (forgotten) {
    case 'summarised':
      return t('Summarised');
    case 'lost':
      return t('Lost');
    case 'otherBranch':
      return t('Other branch');
  }
}

function toIso(timeMs: number): string | undefined {
  const date = new Date(timeMs);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** The author of a row, in a word. */
export function authorOf(item: RowItem, t: Translate): string {
  switch (item.role) {
    case 'user':
      // The client writes it in the person's name.
      if (item.blocks.some(({ kind }) => kind === 'summary')) return t('Claude Code');
      if (isResultAlone(item.role, item.blocks)) return t('Tool');
      return item.isSidechain ? t('Prompt to the subagent') : t('You');
    case 'assistant':
      return t('Claude');
    case 'system':
      return t('System');
    case 'attachment':
      // A prompt that was typed while Claude worked.
      return item.blocks.some(({ kind }) => kind === 'text') ? t('You') : t('Attachment');
    case 'progress':
      return t('Progress');
    case 'unknown':
      return t('Unknown message');
  }
}

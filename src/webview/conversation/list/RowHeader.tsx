import type { JSX } from 'preact';
import type { RowItem } from '../../../shared/conversation';
import { useApp } from '../conversationApp';

export function RowHeader({ item, author }: { item: RowItem; author: string }): JSX.Element {
  const { t, formats } = useApp();
  return (
    <div class="row-header" data-unsearched>
      <span class="row-author">{author}</span>
      {item.model !== null && <span class="row-model">{item.model}</span>}
      {item.timeMs !== null && (
        <time class="row-time" dateTime={toIso(item.timeMs)} title={formats.dateTime(item.timeMs)}>
          {formats.time(item.timeMs, Date.now())}
        </time>
      )}
      {item.isLoaded === false && (
        <span class="row-lost" title={t('Claude will not load this when the session is resumed.')}>
          {t('Not loaded')}
        </span>
      )}
    </div>
  );
}

function toIso(timeMs: number): string | undefined {
  const date = new Date(timeMs);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

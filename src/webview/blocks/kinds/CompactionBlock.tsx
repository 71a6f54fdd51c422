import type { JSX } from 'preact';
import { Icon } from '../parts/Icon';
import { VisibleText } from '../parts/VisibleText';
import { formatCount } from '../text/formatSize';
import type { BlockProps } from './blockProps';

/** A line across the conversation where what was before it was replaced by a summary. */
export function CompactionBlock({ block, host }: Omit<BlockProps<'compaction'>, 'item'>): JSX.Element {
  const { trigger, tokensBefore, earlierRows } = block;
  const facts = [
    trigger === null ? '' : triggerName(trigger, host.t.bind(host)),
    tokensBefore === null ? '' : host.t('{0} tokens before', formatCount(tokensBefore, host.locale)),
    earlierRows > 0 ? host.t('{0} earlier rows', formatCount(earlierRows, host.locale)) : '',
  ].filter((fact) => fact !== '');
  return (
    <div class="block-compaction">
      <span class="block-compaction-label">
        <Icon name="fold" />
        <strong>{host.t('Compacted')}</strong>
        {facts.map((fact) => (
          <span key={fact} class="block-compaction-fact">
            <VisibleText text={fact} />
          </span>
        ))}
      </span>
    </div>
  );
}

function triggerName(trigger: string, t: (english: string) => string): string {
  if (trigger === 'auto') return t('automatically');
  if (trigger === 'manual') return t('by /compact');
  return trigger.slice(0, 60);
}

import type { JSX } from 'preact';
import type { ToolResult } from '../../../shared/conversation';
import type { BlockHost } from '../blockHost';
import { Icon } from '../parts/Icon';

/** How a call ended, by sign and word; a call that went well needs no word that is seen. */
export function ResultStatus({ host, result }: { host: BlockHost; result: ToolResult | null }): JSX.Element {
  if (result === null) {
    return (
      <span data-unsearched class="block-status block-status-none">
        <Icon name="pending" />
        {host.t('No result')}
      </span>
    );
  }
  if (result.isError) {
    return (
      <span data-unsearched class="block-status block-status-error">
        <Icon name="error" />
        {host.t('Error')}
      </span>
    );
  }
  return (
    <span data-unsearched class="block-status block-status-ok">
      <Icon name="check" />
      <span class="block-unseen">{host.t('Done')}</span>
    </span>
  );
}

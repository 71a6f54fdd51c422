import type { JSX } from 'preact';
import type { ToolResult } from '../../../shared/conversation';
import type { BlockHost } from '../blockHost';
import { Icon, type IconName } from '../parts/Icon';

/**
 * How a call ended, by sign and word; a call that went well needs no word that is seen. Where there is no room for it, the
 * word gives way to what the call is about.
 */
export function ResultStatus({ host, result }: { host: BlockHost; result: ToolResult | null }): JSX.Element {
  const [look, icon, word]: [string, IconName, string] =
    result === null
      ? ['none', 'pending', host.t('No result')]
      : result.isError
        ? ['error', 'error', host.t('Error')]
        : ['ok', 'check', host.t('Done')];
  return (
    <span data-unsearched class={`block-status block-status-${look}`} title={word}>
      <Icon name={icon} />
      <span class={look === 'ok' ? 'block-unseen' : 'block-status-word'}>{word}</span>
    </span>
  );
}

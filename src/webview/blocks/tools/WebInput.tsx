import type { JSX } from 'preact';
import type { ToolInput } from '../../../shared/conversation';
import type { BlockHost } from '../blockHost';
import { ActionLink } from '../markdown/ActionLink';
import { linkTarget } from '../markdown/linkTarget';
import { VisibleText } from '../parts/VisibleText';
import { Facts } from './Facts';

export function WebInput(props: {
  readonly input: ToolInput & { readonly kind: 'web' };
  readonly host: BlockHost;
}): JSX.Element {
  const { input, host } = props;
  const { url } = input;
  const isLink = url !== null && linkTarget(url) === 'web';
  const link = isLink ? (
    <ActionLink host={host} href={url}>
      <VisibleText text={url} />
    </ActionLink>
  ) : (
    url
  );
  return (
    <Facts
      facts={[
        [host.t('Address'), link],
        [host.t('Query'), input.query],
        [host.t('Prompt'), input.prompt],
      ]}
    />
  );
}

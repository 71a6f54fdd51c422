import type { JSX } from 'preact';
import { Icon } from '../parts/Icon';
import { PlainText } from '../parts/PlainText';
import type { BlockProps } from './blockProps';

export function ErrorBlock({ block, item, host }: BlockProps<'error'>): JSX.Element {
  return (
    <div class="block-error">
      <div class="block-error-head">
        <Icon name="error" />
        {host.t('Error')}
      </div>
      <PlainText host={host} line={item.line} path={block.path} body={block.body} look="prose" />
    </div>
  );
}

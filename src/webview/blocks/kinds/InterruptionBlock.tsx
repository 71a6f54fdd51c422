import type { JSX } from 'preact';
import { Icon } from '../parts/Icon';
import type { BlockProps } from './blockProps';

export function InterruptionBlock({ block, host }: Omit<BlockProps<'interruption'>, 'item'>): JSX.Element {
  return (
    <div class="block-interruption">
      <Icon name="stop" />
      {block.duringTool ? host.t('Interrupted by the user while a tool ran') : host.t('Interrupted by the user')}
    </div>
  );
}

import type { JSX } from 'preact';
import type { ContentBlock, RowItem } from '../../shared/conversation';
import type { BlockHost } from './blockHost';

export function BlockView({ block }: { block: ContentBlock; item: RowItem; host: BlockHost }): JSX.Element {
  return <pre class="block-raw">{JSON.stringify(block, null, 2)}</pre>;
}

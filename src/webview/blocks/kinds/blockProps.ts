import type { ContentBlock, RowItem } from '../../../shared/conversation';
import type { BlockHost } from '../blockHost';

export interface BlockProps<K extends ContentBlock['kind']> {
  readonly block: Extract<ContentBlock, { readonly kind: K }>;
  readonly item: RowItem;
  readonly host: BlockHost;
}

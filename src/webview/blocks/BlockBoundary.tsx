import { Component, type ComponentChildren } from 'preact';
import type { ContentBlock, RowItem } from '../../shared/conversation';
import type { BlockHost } from './blockHost';
import { RawBlock } from './kinds/RawBlock';

interface BlockBoundaryProps {
  readonly block: ContentBlock;
  readonly item: RowItem;
  readonly host: BlockHost;
  readonly children: ComponentChildren;
}

const MAX_CHARS = 20_000;

/** Shows a block raw that cannot be shown otherwise: one bad block never takes the conversation with it. */
export class BlockBoundary extends Component<BlockBoundaryProps, { readonly failed: ContentBlock | null }> {
  override state: { readonly failed: ContentBlock | null } = { failed: null };

  override componentDidCatch(): void {
    this.setState({ failed: this.props.block });
  }

  override render(): ComponentChildren {
    const { block, item, host, children } = this.props;
    if (this.state.failed !== block) return children;
    const text = jsonOf(block);
    return (
      <div class="block-view">
        <RawBlock
          block={{ kind: 'raw', title: host.t('This block cannot be shown.'), path: '', body: { text, more: 0 } }}
          item={item}
          host={host}
        />
      </div>
    );
  }
}

function jsonOf(block: unknown): string {
  try {
    return JSON.stringify(block).slice(0, MAX_CHARS);
  } catch {
    return '';
  }
}

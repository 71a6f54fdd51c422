import { Component, type ComponentChildren, type JSX } from 'preact';
import type { ContentBlock, RowItem } from '../../protocol/conversation';
import type { BlockHost, BlockProps } from './blockHost';
import {
  CompactionBlock,
  ErrorBlock,
  InterruptionBlock,
  NoteBlock,
  SummaryBlock,
  TextBlock,
  ThinkingBlock,
} from './messageBlocks';
import { ImageView } from './parts/ImageView';
import { PlainText } from './parts/PlainText';
import { VisibleText } from './parts/VisibleText';
import { prettyJson } from './text/texts';
import { ResultBlock, ToolCard } from './tools/ToolCard';
import './ansi/ansi.css';
import './block.css';
import './code/code.css';
import './markdown/markdown.css';
import './tools/tools.css';

interface BlockViewProps {
  readonly block: ContentBlock;
  readonly item: RowItem;
  readonly host: BlockHost;
}

/** A block of a row. Any content can be shown, and affects nothing outside the block. */
export function BlockView(props: BlockViewProps): JSX.Element {
  return (
    <BlockBoundary {...props}>
      <div class="block-view">
        <KnownBlock {...props} />
      </div>
    </BlockBoundary>
  );
}

function KnownBlock({ block, item, host }: BlockViewProps): JSX.Element {
  switch (block.kind) {
    case 'text':
      return <TextBlock block={block} item={item} host={host} />;
    case 'thinking':
      return <ThinkingBlock block={block} item={item} host={host} />;
    case 'tool':
      return <ToolCard block={block} item={item} host={host} />;
    case 'result':
      return <ResultBlock block={block} item={item} host={host} />;
    case 'image':
      return (
        <ImageView host={host} line={item.line} path={block.path} mediaType={block.mediaType} bytes={block.bytes} />
      );
    case 'compaction':
      return <CompactionBlock block={block} host={host} />;
    case 'summary':
      return <SummaryBlock block={block} item={item} host={host} />;
    case 'interruption':
      return <InterruptionBlock block={block} host={host} />;
    case 'error':
      return <ErrorBlock block={block} item={item} host={host} />;
    case 'note':
      return <NoteBlock block={block} item={item} host={host} />;
    case 'raw':
      return <RawBlock block={block} item={item} host={host} />;
    default:
      return <RawBlock block={unknownBlock(block)} item={item} host={host} />;
  }
}

/** Fallback for a kind that this panel does not know: the worker may be of another version. */
function unknownBlock(block: never): ContentBlock & { readonly kind: 'raw' } {
  return { kind: 'raw', title: '', path: '', body: { text: JSON.stringify(block), more: 0 } };
}

interface BlockBoundaryProps {
  readonly block: ContentBlock;
  readonly item: RowItem;
  readonly host: BlockHost;
  readonly children: ComponentChildren;
}

const MAX_CHARS = 20_000;

/** Shows a block raw if it cannot be rendered, so that one bad block never breaks the whole conversation. */
class BlockBoundary extends Component<BlockBoundaryProps, { readonly failed: ContentBlock | null }> {
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

const MAX_TITLE_CHARS = 300;

/** A block of unknown kind, as it is in the transcript. */
function RawBlock({ block, item, host }: BlockProps<'raw'>): JSX.Element {
  const title = block.title === '' ? host.t('Unknown') : block.title.slice(0, MAX_TITLE_CHARS);
  return (
    <div class="block-raw">
      <div class="block-raw-title" dir="auto">
        <VisibleText text={title} />
      </div>
      <PlainText
        host={host}
        line={item.line}
        path={block.path}
        body={block.body}
        look="code"
        language="json"
        format={prettyJson}
      />
    </div>
  );
}

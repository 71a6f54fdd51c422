import type { JSX } from 'preact';
import type { ContentBlock, RowItem } from '../../shared/conversation';
import type { BlockHost } from './blockHost';
import './ansi/ansi.css';
import './block.css';
import { BlockBoundary } from './BlockBoundary';
import './code/code.css';
import { CompactionBlock } from './kinds/CompactionBlock';
import { ErrorBlock } from './kinds/ErrorBlock';
import { InterruptionBlock } from './kinds/InterruptionBlock';
import { NoteBlock } from './kinds/NoteBlock';
import { RawBlock } from './kinds/RawBlock';
import { ResultBlock } from './kinds/ResultBlock';
import { SummaryBlock } from './kinds/SummaryBlock';
import { TextBlock } from './kinds/TextBlock';
import { ThinkingBlock } from './kinds/ThinkingBlock';
import './markdown/markdown.css';
import { ImageView } from './parts/ImageView';
import { ToolCard } from './tools/ToolCard';
import './tools/tools.css';

interface BlockViewProps {
  readonly block: ContentBlock;
  readonly item: RowItem;
  readonly host: BlockHost;
}

/** A block of a row. Whatever it holds, it is shown, and changes nothing outside of itself. */
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

/** A kind that this panel does not know: another version's worker may know more. */
function unknownBlock(block: never): ContentBlock & { readonly kind: 'raw' } {
  return { kind: 'raw', title: '', path: '', body: { text: JSON.stringify(block), more: 0 } };
}

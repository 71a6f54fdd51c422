import type { JSX } from 'preact';
import type { ContentBlock, RowItem } from '../../../shared/conversation';
import { BlockView } from '../../blocks/BlockView';
import { useApp } from '../conversationApp';
import { BranchChip } from './BranchChip';
import { RevealButton } from './BreakView';
import { ItemFrame } from './ItemFrame';
import type { ListItemProps } from './ListItem';
import { RowActions } from './RowActions';
import { RowHeader } from './RowHeader';
import { authorOf } from './authorOf';

export interface RowViewProps extends ListItemProps {
  readonly item: RowItem;
}

/** A row of the transcript: who, when, what, and whether Claude will load it. */
export function RowView(props: RowViewProps): JSX.Element {
  const { item } = props;
  const { t, formats, store, blockHost } = useApp();
  const isQuiet = item.blocks.every(isQuietBlock);
  const author = authorOf(item, t);
  const isLost = item.isLoaded === false;
  const said = [
    author,
    item.timeMs === null ? null : formats.dateTime(item.timeMs),
    isLost ? t('Claude will not load this') : null,
  ];
  const host = blockHost(store.filePath, 0);
  return (
    <ItemFrame
      {...props}
      label={said.filter((part) => part !== null).join(', ')}
      classes={[
        `from-${item.role}`,
        isQuiet && 'is-quiet',
        isLost && 'is-lost',
        item.continues && 'continues',
        item.isSidechain && 'is-sidechain',
      ]}
    >
      {!item.continues && !isQuiet && <RowHeader item={item} author={author} />}
      {isLost && (item.continues || isQuiet) && <span class="visually-hidden">{t('Not loaded')}</span>}
      <RowActions item={item} />
      {props.isHitUnseen && (
        <p class="hit-unseen" role="status" data-unsearched>
          {t('What is looked for stands in this row where it is not shown, or cannot be marked:')}{' '}
          <RevealButton line={item.line} />
        </p>
      )}
      <div class="blocks">
        {item.blocks.map((block, at) => (
          <div key={`${block.kind} ${at}`} class={`block block-of-${block.kind}`}>
            {block.kind === 'compaction' && <EarlierButton index={props.index} />}
            <BlockView block={block} item={item} host={host} />
          </div>
        ))}
      </div>
      {item.branches.length > 0 && <BranchChip branches={item.branches} more={item.moreBranches ?? 0} />}
    </ItemFrame>
  );
}

/** What came before a compaction stands right above it. */
function EarlierButton({ index }: { index: number }): JSX.Element | null {
  const { t, store } = useApp();
  if (index === 0) return null;
  return (
    <button type="button" class="text-button earlier-button" onClick={() => void store.goTo(index - 1, -48)}>
      {t('Show what came before')}
    </button>
  );
}

function isQuietBlock(block: ContentBlock): boolean {
  return ['note', 'compaction', 'summary', 'interruption'].includes(block.kind);
}

import type { JSX } from 'preact';
import type { ConversationItem } from '../../../shared/conversation';
import { BlockView } from '../../blocks/BlockView';
import { useApp } from '../conversationApp';
import { authorOf } from './authorOf';
import { RowHeader } from './RowHeader';
import { useSubagentItems } from './useSubagentItems';

export interface SubagentViewProps {
  readonly filePath: string;
  /** Of its last row, where it stands in the transcript of the session; null: it has a transcript of its own. */
  readonly leafLine: number | null;
  readonly depth: number;
}

/** The conversation of a subagent, under the call that started it. It grows as the subagent works. */
export function SubagentView({ filePath, leafLine, depth }: SubagentViewProps): JSX.Element {
  const { t, act } = useApp();
  const { items, problem, hasMore, showMore } = useSubagentItems(filePath, leafLine);
  return (
    <section
      class="subagent"
      aria-label={t('Conversation of the subagent')}
      aria-busy={items === null && problem === null}
    >
      {problem !== null && <p class="subagent-problem">{problem}</p>}
      {items?.length === 0 && <p class="subagent-problem">{t('The subagent wrote nothing.')}</p>}
      {items?.map((item) => (
        <SubagentItem key={item.line} item={item} filePath={filePath} depth={depth} />
      ))}
      <div class="subagent-buttons">
        {hasMore && (
          <button type="button" class="text-button" onClick={showMore}>
            {t('Show more')}
          </button>
        )}
        {leafLine === null && (
          <button
            type="button"
            class="text-button"
            onClick={() => {
              act({ kind: 'openConversation', filePath });
            }}
          >
            {t('Open in a panel of its own')}
          </button>
        )}
      </div>
    </section>
  );
}

function SubagentItem({
  item,
  filePath,
  depth,
}: {
  item: ConversationItem;
  filePath: string;
  depth: number;
}): JSX.Element {
  const { t, blockHost } = useApp();
  if (item.kind !== 'row') {
    return <p class="subagent-problem">{item.findings.map(({ message }) => message).join(' ')}</p>;
  }
  const host = blockHost(filePath, depth);
  return (
    <div class={`subagent-row from-${item.role}`}>
      {!item.continues && <RowHeader item={item} author={authorOf(item, t)} />}
      {item.blocks.map((block, at) => (
        <div key={`${block.kind} ${at}`} class={`block block-of-${block.kind}`}>
          <BlockView block={block} item={item} host={host} />
        </div>
      ))}
    </div>
  );
}

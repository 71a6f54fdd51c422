import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ConversationItem } from '../../../shared/conversation';
import { BlockView } from '../../blocks/BlockView';
import { useApp } from '../conversationApp';
import { authorOf } from './authorOf';
import { RowHeader } from './RowHeader';

const ITEMS_AT_ONCE = 30;

/** The conversation of a subagent, under the call that started it. */
export function SubagentView({ filePath, depth }: { filePath: string; depth: number }): JSX.Element {
  const { t, host, act } = useApp();
  const [items, setItems] = useState<readonly ConversationItem[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [wanted, setWanted] = useState(ITEMS_AT_ONCE);
  useEffect(() => {
    let isCurrent = true;
    host.items(filePath, { kind: 'chain' }, 0, wanted).then(
      (page) => {
        if (isCurrent) setItems(page.items);
      },
      (error: unknown) => {
        if (isCurrent) setProblem(error instanceof Error ? error.message : String(error));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [host, filePath, wanted]);
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
        {items !== null && items.length >= wanted && (
          <button
            type="button"
            class="text-button"
            onClick={() => {
              setWanted(wanted + ITEMS_AT_ONCE);
            }}
          >
            {t('Show more')}
          </button>
        )}
        <button
          type="button"
          class="text-button"
          onClick={() => {
            act({ kind: 'openConversation', filePath });
          }}
        >
          {t('Open in a panel of its own')}
        </button>
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

import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ConversationView, PanelItem } from '../../../protocol/conversation';
import { useApp } from '../conversationApp';
import { piecesOf, rowsOf } from './pieces';
import { RowPieces } from './RowView';

export interface SubagentViewProps {
  readonly filePath: string;
  /** Line of its last row, if it is in the session's transcript; null: it has a transcript of its own. */
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

function SubagentItem(props: {
  readonly item: PanelItem;
  readonly filePath: string;
  readonly depth: number;
}): JSX.Element | null {
  const { item, filePath, depth } = props;
  const { blockHost, shown } = useApp();
  if (item.kind === 'break' || item.kind === 'fault') {
    return <p class="subagent-problem">{item.findings.map(({ message }) => message).join(' ')}</p>;
  }
  const pieces = piecesOf(rowsOf(item), (_, block) => shown.shows(block));
  if (pieces.length === 0) return null;
  return (
    <div class="subagent-row">
      <RowPieces pieces={pieces} host={blockHost(filePath, depth)} marked={null} isNested={true} />
    </div>
  );
}

const ITEMS_AT_ONCE = 30;
/** At most this many items are shown automatically as the subagent continues. */
const MAX_FOLLOWED = 300;

export interface SubagentItems {
  /** Null until they are loaded. */
  readonly items: readonly PanelItem[] | null;
  readonly problem: string | null;
  /** Whether there may be more items than are shown. */
  readonly hasMore: boolean;
  readonly showMore: () => void;
}

interface Shown {
  readonly items: readonly PanelItem[];
  readonly asked: number;
}

/**
 * The first items of a subagent's conversation, requested again whenever its transcript changes. If all items were shown,
 * added items are shown as well.
 * @param leafLine  line of its last row, if it is in the session's transcript; null: it has a transcript of its own
 */
function useSubagentItems(filePath: string, leafLine: number | null): SubagentItems {
  const { host, subagentChanges } = useApp();
  const changes = subagentChanges.of(filePath).value;
  const [shown, setShown] = useState<Shown | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [wanted, setWanted] = useState(ITEMS_AT_ONCE);
  const latest = useRef({ asked: 0, answered: 0, isWhole: false, isGone: false });
  useEffect(() => {
    latest.current.isGone = false;
    return () => {
      latest.current.isGone = true;
    };
  }, []);
  useEffect(() => {
    const request = ++latest.current.asked;
    const view: ConversationView = leafLine === null ? { kind: 'chain' } : { kind: 'branch', leafLine };
    const follows = latest.current.isWhole ? Math.min(wanted + ITEMS_AT_ONCE, MAX_FOLLOWED) : 0;
    const asked = Math.max(wanted, follows);
    // Answers may arrive out of order, and changes may come faster than answers: any answer newer than the last one counts.
    const isNews = (): boolean => !latest.current.isGone && request > latest.current.answered;
    host.items(filePath, view, 0, asked).then(
      ({ items }) => {
        if (!isNews()) return;
        latest.current.answered = request;
        latest.current.isWhole = items.length < asked;
        setShown({ items, asked });
        setProblem(null);
        if (items.length > wanted) setWanted(asked);
      },
      (error: unknown) => {
        if (isNews()) setProblem(error instanceof Error ? error.message : String(error));
      },
    );
  }, [host, filePath, leafLine, wanted, changes]);
  return {
    items: shown?.items ?? null,
    problem,
    hasMore: shown !== null && shown.items.length >= shown.asked,
    showMore: () => {
      setWanted(wanted + ITEMS_AT_ONCE);
    },
  };
}

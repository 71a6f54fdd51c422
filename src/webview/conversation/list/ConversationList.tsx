import { Component, type ComponentChildren, type JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { BreakItem, ContentBlock, ConversationItem, FaultItem, RowItem } from '../../../protocol/conversation';
import { BlockView } from '../../blocks/BlockView';
import { Icon } from '../../ui/Icon';
import { dependOn } from '../../ui/texts';
import { BranchChip } from '../branchMenu';
import { useApp } from '../conversationApp';
import { useFindMarks } from '../find/useFindMarks';
import { linesOf } from '../state/expandedRows';
import { RowActions } from './RowActions';
import { authorOf, forgottenName, RowHeader } from './RowHeader';
import { RowFocus } from './rowFocus';
import { RowWindow } from './rowWindow';

interface ListElements {
  readonly rows: RowWindow;
  readonly focus: RowFocus;
}

/** The column of the conversation; only what is on screen is drawn. */
export function ConversationList(): JSX.Element {
  const { store, find, t } = useApp();
  const scroller = useRef<HTMLDivElement>(null);
  const sizer = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLSpanElement>(null);
  const [parts, setParts] = useState<ListElements | null>(null);
  useLayoutEffect(() => {
    if (scroller.current === null || sizer.current === null || end.current === null) return;
    const rows = new RowWindow(store, scroller.current, sizer.current);
    setParts({ rows, focus: new RowFocus(store, rows, scroller.current, end.current) });
    return () => {
      rows.dispose();
    };
  }, [store]);

  dependOn(store.items.version, ...(parts === null ? [] : [parts.rows.changed]));
  const [layout, marked, active] = [store.items.layout.value, store.marked.value, parts?.focus.active.value ?? -1];
  const { count } = store.head.value;
  const rows = parts?.rows.rows() ?? [];
  const [first, last] = [rows[0], rows.at(-1)];
  useLayoutEffect(() => {
    if (first !== undefined && last !== undefined) store.items.show(first.index, last.index);
    parts?.focus.settle();
  });
  const top = parts === null ? null : store.items.item(parts.rows.topIndex());
  const isHitUnseen = useFindMarks(scroller.current, parts?.rows ?? null);

  return (
    <>
      {top?.kind === 'row' && top.forgottenAs === 'summarised' && <SummarisedBand />}
      <div
        ref={scroller}
        class="scroller"
        role="group"
        aria-label={t('Conversation')}
        tabIndex={0}
        onKeyDown={parts?.focus.keyDown}
        onFocusIn={parts?.focus.focusIn}
        onFocusOut={parts?.focus.focusOut}
      >
        <div ref={sizer} class="sizer">
          <div
            class="rows"
            role="feed"
            aria-label={t('Conversation')}
            aria-busy={rows.some(({ index }) => store.items.item(index) === null)}
            style={{ transform: `translateY(${parts?.rows.topOf(first) ?? 0}px)` }}
          >
            {rows.map(({ index, size }) => {
              const item = store.items.item(index);
              if (item === null) return <SkeletonRow key={`skeleton ${index}`} height={size} />;
              return (
                <ListItem
                  key={`${layout} ${index}`}
                  item={item}
                  index={index}
                  count={count}
                  isActive={index === active}
                  isMarked={marked !== null && linesOf(item).includes(marked)}
                  isCurrentHit={index === find.currentItem.value}
                  isHitUnseen={isHitUnseen && index === find.currentItem.value}
                  measure={parts?.rows.measure}
                />
              );
            })}
          </div>
          <ReconnectedLine />
        </div>
      </div>
      <span ref={end} class="list-end" tabIndex={0} onFocus={parts?.focus.enteredFromBelow} />
    </>
  );
}

/** Stays at the top while the messages there are those that a compaction replaced by its summary. */
function SummarisedBand(): JSX.Element {
  const { t } = useApp();
  return (
    <div class="summarised-band" data-unsearched>
      <div class="summarised-band-column">
        <Icon name="fold" />
        {t('Summarised: Claude no longer sees this')}
      </div>
    </div>
  );
}

/**
 * Says after the last row when the session was found again after a restart of the window. It is no item of the list, because
 * the transcript knows nothing of it, and it is not copied with the rows.
 */
export function ReconnectedLine(): JSX.Element | null {
  const { store, t, formats } = useApp();
  const atMs = store.reconnectedMs.value;
  if (atMs === null) return null;
  return (
    <p class="reconnected" title={formats.dateTime(atMs)}>
      {t('Reconnected at {0}', formats.time(atMs, Date.now()))}
    </p>
  );
}

/** Placeholder for a row that is still loading. */
function SkeletonRow({ height }: { height: number }): JSX.Element {
  return (
    <div class="skeleton" style={{ height: `${height}px` }} aria-hidden="true">
      <div class="column">
        <span class="skeleton-line skeleton-name" />
        <span class="skeleton-line" />
        <span class="skeleton-line skeleton-short" />
      </div>
    </div>
  );
}

interface ListItemProps {
  readonly item: ConversationItem;
  readonly index: number;
  readonly count: number;
  readonly isActive: boolean;
  readonly isMarked: boolean;
  readonly isCurrentHit: boolean;
  /** The current hit is not visible in the shown part of the row. */
  readonly isHitUnseen: boolean;
  readonly measure: ((element: HTMLElement | null) => void) | undefined;
}

/** An item of the list. It is drawn again only if something about it changes, not when the list scrolls. */
class ListItem extends Component<ListItemProps> {
  override shouldComponentUpdate(next: ListItemProps): boolean {
    const { item, index, count, isActive, isMarked, isCurrentHit, isHitUnseen, measure } = this.props;
    return (
      next.item !== item ||
      next.index !== index ||
      next.count !== count ||
      next.isActive !== isActive ||
      next.isMarked !== isMarked ||
      next.isCurrentHit !== isCurrentHit ||
      next.isHitUnseen !== isHitUnseen ||
      next.measure !== measure
    );
  }

  override render(props: ListItemProps): JSX.Element {
    switch (props.item.kind) {
      case 'row':
        return <RowView {...props} item={props.item} />;
      case 'break':
        return <BreakView {...props} item={props.item} />;
      case 'fault':
        return <FaultView {...props} item={props.item} />;
    }
  }
}

interface RowViewProps extends ListItemProps {
  readonly item: RowItem;
}

/** A row of the transcript: author, time, content, and whether Claude will load it. */
function RowView(props: RowViewProps): JSX.Element {
  const { item } = props;
  const { t, formats, store, blockHost } = useApp();
  const isQuiet = item.blocks.every(isQuietBlock);
  const author = authorOf(item, t);
  const { forgottenAs } = item;
  const said = [
    author,
    item.timeMs === null ? null : formats.dateTime(item.timeMs),
    forgottenAs === undefined ? null : forgottenName(forgottenAs, t),
  ];
  const host = blockHost(store.filePath, 0);
  return (
    <ItemFrame
      {...props}
      label={said.filter((part) => part !== null).join(', ')}
      classes={[
        `from-${item.role}`,
        isQuiet && 'is-quiet',
        forgottenAs === 'lost' && 'is-lost',
        forgottenAs === 'summarised' && 'is-summarised',
        item.continues && 'continues',
        item.isSidechain && 'is-sidechain',
      ]}
    >
      {!item.continues && !isQuiet && <RowHeader item={item} author={author} />}
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

/** Directly above a compaction: a button that fills the screen with what came before it, and marks the last of that. */
function EarlierButton({ index }: { index: number }): JSX.Element {
  const { t, store } = useApp();
  if (index === 0) return <span class="earlier-none">{t('Nothing came before')}</span>;
  const show = async (scroller: Element | null): Promise<void> => {
    const heightPx = scroller?.clientHeight ?? 0;
    await store.goTo(index, Math.min(0, COMPACTION_PX - heightPx));
    store.marked.value = store.items.item(index - 1)?.line ?? null;
  };
  return (
    <button
      type="button"
      class="text-button earlier-button"
      onClick={(event) => void show(event.currentTarget.closest('.scroller'))}
    >
      {t('Show what came before')}
    </button>
  );
}

/** How much of the compaction remains in view below what came before. */
const COMPACTION_PX = 60;

function isQuietBlock(block: ContentBlock): boolean {
  switch (block.kind) {
    case 'note':
    case 'compaction':
    case 'summary':
    case 'interruption':
      return true;
    case 'text':
    case 'thinking':
    case 'tool':
    case 'result':
    case 'image':
    case 'error':
    case 'raw':
      return false;
  }
}

/** A tear across the column: rows above it do not reach Claude. */
function BreakView(props: ListItemProps & { readonly item: BreakItem }): JSX.Element {
  const { item } = props;
  const { t, act } = useApp();
  const title = item.isHealed ? t('The history is broken here, and goes on by time') : t('The history is broken here');
  const isRepairable = item.findings.some(({ action }) => action !== 'tell');
  return (
    <ItemFrame {...props} label={title} classes={['break', item.isHealed && 'is-healed']}>
      <div class="tear" aria-hidden="true" />
      <div class="break-body">
        <Icon name={item.isHealed ? 'warning' : 'broken'} />
        <div class="break-text">
          <strong>{title}</strong>
          {item.findings.map(({ message }) => (
            <p key={message}>{message}</p>
          ))}
          {!item.isHealed && <p class="break-effect">{t('Claude remembers nothing above this line.')}</p>}
        </div>
        <div class="break-actions">
          {isRepairable && (
            <button
              type="button"
              class="button"
              onClick={() => {
                act({ kind: 'repair' });
              }}
            >
              <Icon name="wrench" />
              {t('Repair…')}
            </button>
          )}
          <RevealButton line={item.line} />
        </div>
      </div>
      <div class="tear" aria-hidden="true" />
    </ItemFrame>
  );
}

function RevealButton({ line }: { line: number }): JSX.Element {
  const { t, formats, act, store } = useApp();
  return (
    <button
      type="button"
      class="text-button"
      onClick={() => {
        act({ kind: 'revealLine', filePath: store.filePath, line });
      }}
    >
      {t('Line {0}', formats.number(line))}
    </button>
  );
}

/** A line of the transcript that is not a row. */
function FaultView(props: ListItemProps & { readonly item: FaultItem }): JSX.Element {
  const { item } = props;
  const { t, formats } = useApp();
  const title = t('Line {0} is not a row', formats.number(item.line));
  const isError = item.findings.some(({ severity }) => severity === 'error');
  return (
    <ItemFrame {...props} label={title} classes={['fault', isError && 'is-error']}>
      <div class="fault-body">
        <Icon name={isError ? 'error' : 'warning'} />
        <div class="fault-text">
          <strong>{title}</strong>
          {item.findings.map(({ message }) => (
            <p key={message}>{message}</p>
          ))}
        </div>
        <RevealButton line={item.line} />
      </div>
    </ItemFrame>
  );
}

interface ItemFrameProps extends Omit<ListItemProps, 'item'> {
  /** Label for screen readers. */
  readonly label: string;
  readonly classes: readonly (string | false)[];
  readonly children: ComponentChildren;
}

/** The frame of every list item: the element that is measured, has the focus and holds the item's index. */
function ItemFrame(props: ItemFrameProps): JSX.Element {
  const { index, count, isActive, isMarked, isCurrentHit, measure, label, classes, children } = props;
  const all = ['item', ...classes, isMarked && 'is-marked', isCurrentHit && 'is-current-hit'];
  return (
    <div
      ref={measure ?? null}
      class={all.filter(Boolean).join(' ')}
      data-index={index}
      role="article"
      aria-label={label}
      aria-posinset={index + 1}
      aria-setsize={count}
      aria-current={isMarked || isCurrentHit ? 'location' : undefined}
      data-active={isActive}
      tabIndex={-1}
    >
      <div class="column">{children}</div>
    </div>
  );
}

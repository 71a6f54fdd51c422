import { Component, type JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { BreakItem, FaultItem, PanelItem } from '../../../protocol/conversation';
import { isForRepair } from '../../../protocol/repair';
import { losesHistory } from '../../../protocol/losesHistory';
import { Icon } from '../../ui/Icon';
import { dependOn } from '../../ui/texts';
import { useApp } from '../conversationApp';
import { useFindMarks } from '../find/useFindMarks';
import { isRepairableError } from '../repair/repairState';
import { RepairOffer } from '../repair/RepairViews';
import { linesOf } from '../state/expandedRows';
import { ItemFrame, type ListItemProps } from './ItemFrame';
import { piecesOf, rowsOf } from './pieces';
import { RevealButton } from './RowActions';
import { RowFocus } from './rowFocus';
import { RowView } from './RowView';
import { BAND_PX, RowWindow } from './rowWindow';

interface ListElements {
  readonly rows: RowWindow;
  readonly focus: RowFocus;
}

/** The column of the conversation; only what is on screen is drawn. */
export function ConversationList(): JSX.Element {
  const { store, find, outline, shown, t } = useApp();
  const scroller = useRef<HTMLDivElement>(null);
  const sizer = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLSpanElement>(null);
  const [parts, setParts] = useState<ListElements | null>(null);
  useLayoutEffect(() => {
    if (scroller.current === null || sizer.current === null || end.current === null) return;
    const isHidden = (index: number): boolean => {
      const item = store.items.item(index);
      const shownRows = item === null ? [] : rowsOf(item);
      return shownRows.length > 0 && piecesOf(shownRows, (_, block) => shown.shows(block)).length === 0;
    };
    const rows = new RowWindow(store, shown, scroller.current, sizer.current);
    setParts({ rows, focus: new RowFocus(store, rows, isHidden, outline, scroller.current, end.current) });
    return () => {
      rows.dispose();
    };
  }, [store, outline, shown]);

  useEffect(() => {
    if (parts === null) return;
    const { keyDownOutside } = parts.focus;
    window.addEventListener('keydown', keyDownOutside);
    return () => {
      window.removeEventListener('keydown', keyDownOutside);
    };
  }, [parts]);

  dependOn(store.items.version, ...(parts === null ? [] : [parts.rows.changed]));
  const [layout, marked, active] = [store.items.layout.value, store.marked.value, parts?.focus.active.value ?? -1];
  const { count } = store.head.value;
  const rows = parts?.rows.rows() ?? [];
  const [first, last] = [rows[0], rows.at(-1)];
  useLayoutEffect(() => {
    if (first !== undefined && last !== undefined) store.items.show(first.index, last.index);
    parts?.focus.settle();
  });
  const top = parts === null ? null : store.items.item(parts.rows.topIndex(BAND_PX));
  const isHitUnseen = useFindMarks(scroller.current, parts?.rows ?? null);

  return (
    <>
      {isSummarised(top) && <SummarisedBand />}
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

function isSummarised(item: PanelItem | null): boolean {
  return item !== null && rowsOf(item)[0]?.forgottenAs === 'summarised';
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
      case 'steps':
        return <RowView {...props} item={props.item} />;
      case 'break':
        return <BreakView {...props} item={props.item} />;
      case 'fault':
        return <FaultView {...props} item={props.item} />;
    }
  }
}

/** A tear across the column: rows above it do not reach Claude. */
function BreakView(props: ListItemProps & { readonly item: BreakItem }): JSX.Element {
  const { item, index } = props;
  const { repair, store, t } = useApp();
  // Nothing is above it, or nothing that Claude would remember.
  const above = index === 0 ? 'nothing' : (store.items.item(index - 1) ?? 'unknown');
  const isHarmless = !item.isHealed && !losesHistory(item, above);
  const title = item.isHealed
    ? t('The history is broken here, and goes on by time')
    : isHarmless
      ? t('The history begins here')
      : t('The history is broken here');
  // A repair by its name is offered above the conversation.
  const isRepairable = item.findings.some(isForRepair) && repair.scope.value === 'all';
  return (
    <ItemFrame {...props} label={title} classes={['break', (item.isHealed || isHarmless) && 'is-healed']}>
      <div class="tear" aria-hidden="true" />
      <div class="break-body">
        <Icon name={item.isHealed || isHarmless ? 'warning' : 'broken'} />
        <div class="break-text">
          <strong>{title}</strong>
          {item.findings.map(({ message }) => (
            <p key={message}>{message}</p>
          ))}
          {!item.isHealed && !isHarmless && (
            <p class="break-effect">{t('Claude remembers nothing above this line.')}</p>
          )}
          {isRepairable && <RepairOffer />}
        </div>
        <div class="break-actions">
          <RevealButton line={item.line} />
        </div>
      </div>
      <div class="tear" aria-hidden="true" />
    </ItemFrame>
  );
}

/** A damaged line of the transcript. */
function FaultView(props: ListItemProps & { readonly item: FaultItem }): JSX.Element {
  const { item, index } = props;
  const { repair, store, t, formats } = useApp();
  const title = t('Line {0} is damaged', formats.number(item.line));
  const isError = item.findings.some(({ severity }) => severity === 'error');
  const below = store.items.item(index + 1);
  // The break that it causes offers the same repair.
  const isOfferedBelow = below?.kind === 'break' && below.findings.some(isForRepair);
  const isRepairable = item.findings.some(isRepairableError) && repair.scope.value === 'all' && !isOfferedBelow;
  return (
    <ItemFrame {...props} label={title} classes={['fault', isError && 'is-error']}>
      <div class="fault-body">
        <Icon name={isError ? 'error' : 'warning'} />
        <div class="fault-text">
          <strong>{title}</strong>
          {item.findings.map(({ message }) => (
            <p key={message}>{message}</p>
          ))}
          {isRepairable && <RepairOffer />}
        </div>
        <RevealButton line={item.line} />
      </div>
    </ItemFrame>
  );
}

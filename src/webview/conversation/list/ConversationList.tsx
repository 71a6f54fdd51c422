import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { dependOn } from '../../ui/texts';
import { useApp } from '../conversationApp';
import { useFindMarks } from '../find/useFindMarks';
import { linesOf } from '../state/expandedRows';
import { ListItem } from './ListItem';
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
  const isHitUnseen = useFindMarks(scroller.current, parts?.rows ?? null);

  return (
    <>
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
        </div>
      </div>
      <span ref={end} class="list-end" tabIndex={0} onFocus={parts?.focus.enteredFromBelow} />
    </>
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

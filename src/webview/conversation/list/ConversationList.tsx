import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { dependOn } from '../../ui/dependOn';
import { useApp } from '../conversationApp';
import { canMarkHits, markHits, unmarkHits } from '../find/markHits';
import { RowFocus } from './rowFocus';
import { RowWindow } from './rowWindow';
import { ListItem } from './ListItem';
import { SkeletonRow } from './SkeletonRow';

interface Parts {
  readonly rows: RowWindow;
  readonly focus: RowFocus;
}

/** The column of the conversation, of which only what is on screen is drawn. */
export function ConversationList(): JSX.Element {
  const { store, find, t } = useApp();
  const scroller = useRef<HTMLDivElement>(null);
  const sizer = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLSpanElement>(null);
  const [parts, setParts] = useState<Parts | null>(null);
  useLayoutEffect(() => {
    if (scroller.current === null || sizer.current === null || end.current === null) return;
    const rows = new RowWindow(store, scroller.current, sizer.current);
    setParts({ rows, focus: new RowFocus(store, rows, scroller.current, end.current) });
    return () => {
      rows.dispose();
    };
  }, [store]);

  dependOn(store.version, ...(parts === null ? [] : [parts.rows.changed]));
  const [layout, marked, active] = [store.layout.value, store.marked.value, parts?.focus.active.value ?? -1];
  const { count } = store.head.value;
  const rows = parts?.rows.rows() ?? [];
  const [first, last] = [rows[0], rows.at(-1)];
  useLayoutEffect(() => {
    if (first !== undefined && last !== undefined) store.show(first.index, last.index);
    parts?.focus.settle();
  });
  useFindMarks(scroller.current);

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
            aria-busy={rows.some(({ index }) => store.item(index) === null)}
            style={{ transform: `translateY(${parts?.rows.topOf(first) ?? 0}px)` }}
          >
            {rows.map(({ index, size }) => {
              const item = store.item(index);
              if (item === null) return <SkeletonRow key={`skeleton ${index}`} height={size} />;
              return (
                <ListItem
                  key={`${layout} ${index}`}
                  item={item}
                  index={index}
                  count={count}
                  isActive={index === active}
                  isMarked={item.line === marked}
                  isCurrentHit={index === find.currentItem.value}
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

/** Marks what is found whenever other rows, or other contents of them, are there. */
function useFindMarks(scroller: HTMLElement | null): void {
  const { find, store } = useApp();
  const matcher = find.matcher.value;
  const current = find.currentItem.value;
  const shownHit = useRef<unknown>(null);
  useEffect(() => {
    if (!canMarkHits || scroller === null || matcher === null) {
      if (canMarkHits) unmarkHits();
      return;
    }
    const mark = (): void => {
      const found = new Set(find.result.peek()?.items);
      const rows = [...scroller.querySelectorAll<HTMLElement>('[data-index]')];
      const hits = rows.filter((row) => found.has(Number(row.dataset['index'])));
      const currentRow = hits.find((row) => Number(row.dataset['index']) === current) ?? null;
      const range = markHits(hits, currentRow, matcher);
      const jump = `${find.result.peek()?.revision ?? 0} ${current ?? ''} ${find.query.peek().text}`;
      if (range === null || shownHit.current === jump) return;
      shownHit.current = jump;
      bringIntoView(range, scroller);
    };
    mark();
    let frame = 0;
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(mark);
    });
    observer.observe(scroller, { subtree: true, childList: true, characterData: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
    };
  }, [scroller, matcher, current, store, find]);
}

/** A hit deep within a tall row is scrolled to; one that is in sight stays where it is. */
function bringIntoView(range: Range, scroller: HTMLElement): void {
  const [hit, view] = [range.getBoundingClientRect(), scroller.getBoundingClientRect()];
  if (hit.height === 0 || (hit.top >= view.top && hit.bottom <= view.bottom)) return;
  scroller.scrollTop += hit.top - view.top - view.height / 3;
}

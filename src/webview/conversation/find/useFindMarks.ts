import { useEffect, useState } from 'preact/hooks';
import type { RowWindow } from '../list/rowWindow';
import { useApp } from '../conversationApp';
import { bringIntoView } from './bringIntoView';
import { canMarkHits, hitsOf, markHits, unmarkHits } from './markHits';

/** So long after the row with the current hit was drawn last, what is not marked in it is taken not to be shown. */
const UNSEEN_MS = 500;

/**
 * Marks what is found whenever other rows, or other contents of them, are there, and brings the current hit into view.
 * @returns whether the row of the current hit shows none
 */
export function useFindMarks(scroller: HTMLElement | null, rows: RowWindow | null): boolean {
  const { find, store } = useApp();
  const [isUnseen, setUnseen] = useState(false);
  const matcher = find.matcher.value;
  const current = find.currentItem.value;
  useEffect(() => {
    setUnseen(false);
    if (!canMarkHits || scroller === null || rows === null || matcher === null) {
      unmarkHits();
      return;
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    let frame = 0;
    const mark = (): void => {
      const found = new Set(find.result.peek()?.items);
      const [own, others]: [Range[], Range[]] = [[], []];
      let currentRow: HTMLElement | null = null;
      for (const row of scroller.querySelectorAll<HTMLElement>('[data-index]')) {
        const index = Number(row.dataset['index']);
        if (!found.has(index)) continue;
        if (index === current) currentRow = row;
        (index === current ? own : others).push(...hitsOf(row, store.items.item(index), matcher));
      }
      markHits(others, own);
      clearTimeout(timer);
      const [first] = own;
      if (currentRow === null) return;
      if (first !== undefined) {
        setUnseen(false);
        if (find.takeArrival()) bringIntoView(first, currentRow, rows);
      } else {
        timer = setTimeout(() => {
          setUnseen(true);
        }, UNSEEN_MS);
      }
    };
    mark();
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(mark);
    });
    observer.observe(scroller, { subtree: true, childList: true, characterData: true });
    return () => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      observer.disconnect();
    };
  }, [scroller, rows, matcher, current, store, find]);
  return isUnseen;
}

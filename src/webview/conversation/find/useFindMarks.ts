import { useEffect } from 'preact/hooks';
import { useApp } from '../conversationApp';
import type { RowWindow } from '../list/rowWindow';
import { canMarkHits, hitsOf, markHits, unmarkHits } from './markHits';

/** Time after the last drawing of the row with the current hit until an unmarked hit counts as not shown. */
const UNSEEN_MS = 500;

/**
 * Marks the hits whenever rows or their contents change, and brings the current hit into view.
 * @returns whether the row of the current hit does not show it
 */
export function useFindMarks(scroller: HTMLElement | null, rows: RowWindow | null): boolean {
  const { find, store } = useApp();
  const { result, arrivals } = find;
  useEffect(() => {
    if (!canMarkHits || scroller === null || rows === null || result.value === null) {
      unmarkHits();
      return;
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    let frame = 0;
    const mark = (): void => {
      // Uses the current result, because this may run before the effect for a new result.
      const [found, current, hit] = [result.peek(), find.currentItem.peek(), find.hit.peek()];
      if (found === null) return;
      let [own, others]: [Range[], Range[]] = [[], []];
      let currentRow: HTMLElement | null = null;
      for (const row of scroller.querySelectorAll<HTMLElement>('[data-index]')) {
        const index = Number(row.dataset['index']);
        const at = found.items.indexOf(index);
        if (at === -1) continue;
        const hits = hitsOf(row, store.items.item(index), find.matcherAt(at), found.counts[at] ?? 0);
        if (index === current) [currentRow, own] = [row, hits];
        else others = others.concat(hits);
      }
      const seen = own[hit];
      markHits(others.concat(own.filter((range) => range !== seen)), seen === undefined ? [] : [seen]);
      find.marked = currentRow === null ? null : own.length;
      clearTimeout(timer);
      if (currentRow === null) return;
      if (seen !== undefined) {
        find.isUnseen.value = false;
        if (find.takeArrival()) bringIntoView(seen, currentRow, rows);
      } else {
        timer = setTimeout(() => {
          find.isUnseen.value = true;
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
  }, [scroller, rows, result.value, arrivals.value, store, find]);
  return find.isUnseen.value;
}

/** Scrolls to a hit deep within a tall row or in a far column of a table; does not scroll if the hit is visible. */
function bringIntoView(hit: Range, row: HTMLElement, rows: RowWindow): void {
  // Relative to the row, because the row may be about to move.
  const [box, outer] = [hit.getBoundingClientRect(), row.getBoundingClientRect()];
  if (box.height === 0) return;
  rows.bringPartIntoView(row, box.top - outer.top, box.bottom - outer.top);
  for (
    let around = hit.startContainer.parentElement;
    around !== null && around !== row;
    around = around.parentElement
  ) {
    const { left, right, width } = around.getBoundingClientRect();
    const isBeside = box.left < left || box.right > right;
    if (isBeside && getComputedStyle(around).overflowX === 'auto') around.scrollLeft += box.left - left - width / 3;
  }
}

import type { RowWindow } from '../list/rowWindow';

/** A hit deep within a tall row, or in a far column of a table, is scrolled to; one that is in sight stays where it is. */
export function bringIntoView(hit: Range, scroller: HTMLElement, rows: RowWindow): void {
  const [box, view] = [hit.getBoundingClientRect(), scroller.getBoundingClientRect()];
  if (box.height === 0) return;
  if (box.top < view.top || box.bottom > view.bottom) rows.scrollBy(box.top - view.top - view.height / 3);
  for (let around = hit.startContainer.parentElement; around !== null && around !== scroller;) {
    const { left, width } = around.getBoundingClientRect();
    const isBeside = box.left < left || box.right > left + width;
    if (isBeside && getComputedStyle(around).overflowX === 'auto') around.scrollLeft += box.left - left - width / 3;
    around = around.parentElement;
  }
}

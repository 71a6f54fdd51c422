import type { RowWindow } from '../list/rowWindow';

/** A hit deep within a tall row, or in a far column of a table, is scrolled to; one that is in sight stays where it is. */
export function bringIntoView(hit: Range, row: HTMLElement, rows: RowWindow): void {
  // Where the row itself is drawn may not be where it is about to be.
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

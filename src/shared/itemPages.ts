/** Items that a panel asks for at once: page n holds those from n times as many. */
export const PAGE_ITEMS = 40;

/** Numbers of the pages of an item and of those on both sides of it; of the last items when it is null. */
export function pagesAround(index: number | null, count: number): number[] {
  const middle = index ?? count - 1;
  return pagesOf(Math.max(0, middle - PAGE_ITEMS / 2), Math.min(count - 1, middle + PAGE_ITEMS / 2));
}

/** Numbers of the pages of the items `[from, to]`. */
export function pagesOf(from: number, to: number): number[] {
  const pages: number[] = [];
  for (let page = Math.floor(from / PAGE_ITEMS); page <= Math.floor(to / PAGE_ITEMS); page++) pages.push(page);
  return pages;
}

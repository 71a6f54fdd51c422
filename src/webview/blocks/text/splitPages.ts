/** UTF-16 units of a page of text: what a browser lays out without a pause. */
const PAGE_CHARS = 64 * 1024;

/** Where a text can be cut at or before `at` without parting a surrogate pair. */
export function safeCut(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.max(0, Math.min(at, text.length));
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff ? at - 1 : at;
}

/** The page that begins at `from`: it ends with a line where one ends in its second half. Returns its end. */
function pageEnd(text: string, from: number, size: number = PAGE_CHARS): number {
  if (text.length - from <= size) return text.length;
  const newline = text.lastIndexOf('\n', from + size - 1);
  return newline >= from + size / 2 ? newline + 1 : safeCut(text, from + size);
}

/** Number of the page that holds a place of the text, from 1. */
export function pageOf(text: string, at: number): number {
  let page = 1;
  for (let end = pageEnd(text, 0); end <= at && end < text.length; end = pageEnd(text, end)) page += 1;
  return page;
}

/** The first pages of a text, no more than `count`, and how far they reach. */
export function firstPages(text: string, count: number, size: number = PAGE_CHARS): { pages: string[]; end: number } {
  const pages: string[] = [];
  let from = 0;
  while (from < text.length && pages.length < count) {
    const end = pageEnd(text, from, size);
    pages.push(text.slice(from, end));
    from = end;
  }
  return { pages, end: from };
}

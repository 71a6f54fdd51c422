/** Longest title, in UTF-16 units, without what is put behind it. */
const MAX_TITLE_LENGTH = 100;
const MARK = /\s*\(fork(?: (?<number>[1-9]\d{0,5}))?\)$/;

/** What a fork is called: as asked, on one line; else as its source, and how often that was forked. */
export function forkTitle(asked: string | null, source: string | null): string {
  const wanted = oneLine(asked ?? '');
  if (wanted !== '') return wanted;
  const title = oneLine(source ?? '');
  const mark = MARK.exec(title);
  if (mark === null) return `${shorten(title === '' ? 'Untitled' : title)} (fork)`;
  return `${shorten(title.slice(0, mark.index))} (fork ${Number(mark.groups?.['number'] ?? '1') + 1})`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function shorten(text: string): string {
  return text.length <= MAX_TITLE_LENGTH ? text : `${text.slice(0, MAX_TITLE_LENGTH - 1).trimEnd()}…`;
}

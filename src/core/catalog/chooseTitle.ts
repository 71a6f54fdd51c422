import type { TitleFacts } from '../scan/transcriptFacts';

/** Longest title, in UTF-16 units. */
const MAX_TITLE_LENGTH = 200;

/** The title as Claude shows it, on one line; null when there is none. (docs/format.md, "Titles") */
export function chooseTitle(titles: Readonly<TitleFacts>): string | null {
  const title = titles.custom ?? titles.ai ?? titles.lastPrompt ?? titles.summary ?? titles.firstPrompt;
  const line = title?.replace(/\s+/g, ' ').trim() ?? '';
  if (line === '') return null;
  return line.length <= MAX_TITLE_LENGTH ? line : `${line.slice(0, MAX_TITLE_LENGTH - 1)}…`;
}

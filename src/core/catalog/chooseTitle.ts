import type { TitleFacts } from '../scan/transcriptFacts';

/** Longest title, in UTF-16 units. */
const MAX_TITLE_LENGTH = 200;

/** The title as Claude shows it, on one line; null when there is none. A blank one is as none. (docs/format.md, "Titles") */
export function chooseTitle({ custom, ai, lastPrompt, summary, firstPrompt }: Readonly<TitleFacts>): string | null {
  for (const title of [custom, ai, lastPrompt, summary, firstPrompt]) {
    const line = title?.replace(/\s+/g, ' ').trim() ?? '';
    if (line !== '') return line.length <= MAX_TITLE_LENGTH ? line : `${line.slice(0, MAX_TITLE_LENGTH - 1)}…`;
  }
  return null;
}

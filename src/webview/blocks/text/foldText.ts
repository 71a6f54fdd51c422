import { safeCut } from './splitPages';

export interface FoldedText {
  readonly text: string;
  /** Lines of the whole text; null where they were not counted, since it is long. */
  readonly lines: number | null;
  readonly isFolded: boolean;
}

const MAX_COUNTED_CHARS = 256 * 1024;
/** One more line than a fold shows is no reason to fold. */
const SLACK_LINES = 3;

/** The first lines of a text: `maxLines` of them, `maxChars` UTF-16 units at the most. */
export function foldText(text: string, maxLines: number, maxChars = 4000): FoldedText {
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  let cut = end;
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) {
    if (lines === maxLines) cut = at;
    lines += 1;
    if (at > MAX_COUNTED_CHARS) break;
  }
  if (lines <= maxLines + (maxLines > SLACK_LINES ? SLACK_LINES : 0)) cut = end;
  const isCutByChars = cut > maxChars;
  if (isCutByChars) cut = safeCut(text, maxChars);
  return {
    text: text.slice(0, cut),
    lines: end > MAX_COUNTED_CHARS ? null : lines,
    isFolded: cut < end,
  };
}

import type { CutText } from '../../../shared/conversation';

/** How much of a value crosses to the panel at first, in UTF-16 units. */
export const MAX_UNITS = {
  text: 20_000,
  toolInput: 4_000,
  result: 8_000,
  raw: 4_000,
  note: 4_000,
  /** One line: a title, a label. */
  line: 200,
} as const;

/** Lines of a result, or of a diff. */
export const MAX_LINES = 200;

/** The beginning of a text: no more than so many UTF-16 units and lines; a pair of surrogates is not parted. */
export function cutText(text: string, maxUnits: number, maxLines = Infinity): CutText {
  let end = Math.min(text.length, maxUnits);
  if (maxLines !== Infinity) end = Math.min(end, endOfLines(text, maxLines));
  if (end < text.length && end > 0 && isHighSurrogate(text.charCodeAt(end - 1))) end--;
  return { text: text.slice(0, end), more: text.length - end };
}

/** Text on one line, for a title. */
export function oneLine(text: string, maxUnits: number = MAX_UNITS.line): string {
  // What is looked at is bounded, however long the text: white space may be most of it.
  const line = text
    .slice(0, maxUnits * 4)
    .replace(/\s+/g, ' ')
    .trim();
  const { text: cut, more } = cutText(line, maxUnits);
  return more > 0 ? `${cut}…` : cut;
}

/** An id, for those who compare it; null for what is too long to be any. */
export function shortId(id: string | null): string | null {
  return id === null || id.length > MAX_UNITS.line ? null : id;
}

function endOfLines(text: string, maxLines: number): number {
  let end = -1;
  for (let lines = 0; lines < maxLines; lines++) {
    end = text.indexOf('\n', end + 1);
    if (end < 0) return text.length;
  }
  return end;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

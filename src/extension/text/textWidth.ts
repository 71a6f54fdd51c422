/**
 * How wide a text is on the screen, in small letters: an "a" is 1. The widths are those of DejaVu Sans, the widest of the
 * fonts that VS Code uses for its own texts: 8 pixels for an "a" at its 13 pixels. In other fonts a little room is left.
 */

const THIN = /^[\sijlI.,:;'’|]/;
const NARROW = /^[tfr!()[\]/`-]/;
const WIDE =
  /^[mwMW@%…—\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u;
const EMOJI = /^\p{Extended_Pictographic}/u;
const CAPITAL = /^\p{Lu}/u;

/** A line of a tooltip in a list, which VS Code makes at most 500 pixels wide. */
export const TOOLTIP_LINE_WIDTH = 62;

const ELLIPSIS = '…';
const ELLIPSIS_WIDTH = 1.65;

const graphemes = new Intl.Segmenter();

export function textWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += characterWidth(segment);
  return width;
}

/**
 * The text, or as much of it as leaves room for an ellipsis. Cut between characters as people count them, so that no emoji
 * or accent is cut apart, and behind a word if that keeps `minWordsShare` of the room.
 */
export function shortenToWidth(text: string, room: number, minWordsShare = 1): string {
  if (textWidth(text) <= room) return text;
  const cut = beginningOf(text, room - ELLIPSIS_WIDTH);
  const words = /\s/.test(text.charAt(cut.length)) ? cut : cut.replace(/\s\S*$/, '');
  const kept = textWidth(words) >= room * minWordsShare ? words : cut;
  return `${kept.replace(/[\s.,:;–—-]+$/, '')}${ELLIPSIS}`;
}

function beginningOf(text: string, room: number): string {
  let width = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    width += characterWidth(segment);
    if (width > room) return text.slice(0, index);
  }
  return text;
}

/** With its accents and the like, which take no room of their own. */
function characterWidth(character: string): number {
  if (THIN.test(character)) return 0.5;
  if (NARROW.test(character)) return 0.65;
  if (WIDE.test(character)) return 1.65;
  if (EMOJI.test(character)) return 2.1;
  return CAPITAL.test(character) ? 1.2 : 1;
}

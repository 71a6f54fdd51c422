import { shortenToWidth, textWidth } from '../text/textWidth';
import type { SessionAppearance } from './sessionAppearance';
import { NARROW_SIDE_BAR } from './sideBarWidth';

/** From the icon to the end of the item in a narrow side bar, for a session below a project or a group. */
const ROW_WIDTH = 16.8;
/** Of an "a". */
const PIXELS = 8;
const INDENT_WIDTH = 1;
/** Between the title and what follows it. */
const GAP_WIDTH = 0.75;
/** What follows a title is written smaller. */
const DESCRIPTION_SCALE = 0.9;
/** So that a title does not become shorter while its session gets older. */
const USUAL_AGE = '59m';
/** Even if the words of a language for the age leave less. */
const MIN_LABEL_WIDTH = 8;
/** A word is cut apart if the title would lose more than the rest of this share. */
const MIN_WORDS_SHARE = 0.75;

/** A title leaves the rest of its line to all that follows the age if so much of it can be read. */
const READABLE_WIDTH = 12;

/**
 * The title of a session for the tree, and what follows it: so short that the age is whole, and as much of what is behind the age as there
 * is room for. VS Code cuts an item at its end.
 *
 * @param depth how many sessions it stands below, as forks do
 * @param pixels width of the side bar
 */
export function fitToSideBar(
  { label, age, description, shorter = [] }: Pick<SessionAppearance, 'label' | 'age' | 'description' | 'shorter'>,
  depth: number,
  pixels: number,
): Pick<SessionAppearance, 'label' | 'description'> {
  const ageWidth = age === null ? 0 : textWidth(age);
  const usualWidth = age === null ? 0 : Math.max(textWidth(USUAL_AGE), ageWidth);
  const rowWidth = ROW_WIDTH + (pixels - NARROW_SIDE_BAR) / PIXELS - depth * INDENT_WIDTH - GAP_WIDTH;
  const titleOf = (followingWidth: number): string =>
    isolated(shortenToWidth(label, Math.max(MIN_LABEL_WIDTH, rowWidth - followingWidth), MIN_WORDS_SHARE));
  for (const each of [description, ...shorter]) {
    const width = (textWidth(each) - ageWidth + usualWidth) * DESCRIPTION_SCALE;
    if (each === age || rowWidth - width >= Math.min(READABLE_WIDTH, textWidth(label))) {
      return { label: titleOf(width), description: each };
    }
  }
  // The icon says the state, too, and so does the tooltip.
  const leftWidth = Math.max(textWidth(USUAL_AGE), ageWidth) * DESCRIPTION_SCALE;
  return { label: titleOf(leftWidth), description: age ?? '' };
}

/** Letters of scripts that are written from right to left. */
const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
/** Between these characters, a text is laid out for itself: otherwise, the digits of the age become part of it. */
const [ISOLATE, END_OF_ISOLATE] = ['\u2068', '\u2069'];

function isolated(title: string): string {
  return RIGHT_TO_LEFT.test(title) ? `${ISOLATE}${title}${END_OF_ISOLATE}` : title;
}

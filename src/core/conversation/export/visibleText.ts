/** What terminals obey, and do not show: colours, titles, the addresses of links. */
const ESCAPE = [
  String.raw`(?:\x1b\[|\x9b)[0-?]*[ -\/]*[@-~]`,
  String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\0-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)`,
  String.raw`\x1b(?:[ -\/]+[0-~]|[0-Z\\^_c])`,
].join('|');
/** A sign that another one is printed over, for bold and underlined text. */
const OVERSTRUCK = String.raw`[^\0-\x1f\x7f-\x9f]\x08`;
const CONTROL = String.raw`[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\ufffe\uffff]`;
/** Signs without a width, which some scripts need. */
const IGNORABLE = String.raw`\p{Default_Ignorable_Code_Point}`;
/** The same as JSON and programs write it. */
const WRITTEN = String.raw`\\{1,4}(?:u001[bB]|x1[bB]|033|e)(?:\[[0-?]*[ -\/]*[@-~]|\][^\s"'\\]*(?:\\{1,4}(?:u0007|x07|007|a)|\\{1,4}(?:u001[bB]|x1[bB]|033|e)\\{1,4})|\([0B])|\\{1,4}u(?:00[01][0-8bB]|00ad|200[b-fB-F]|2060|[fF][eE][fF][fF])`;

const HAS_CONTROL = new RegExp(CONTROL, 'u');
const HAS_INVISIBLE = new RegExp(`${CONTROL}|${IGNORABLE}|${WRITTEN}`, 'u');
const UNPRINTED = new RegExp(`${ESCAPE}|${OVERSTRUCK}|${CONTROL}`, 'gu');
const INVISIBLE = new RegExp(`${ESCAPE}|${OVERSTRUCK}|${CONTROL}|${IGNORABLE}|${WRITTEN}`, 'gu');

/** Without colour codes, and control characters that no document can hold. */
export function cleanText(text: string): string {
  const printed = HAS_CONTROL.test(text) ? text.replace(UNPRINTED, '') : text;
  return printed.replace(/\r\n?/g, '\n');
}

/** A text as people see it. */
export interface VisibleText {
  readonly text: string;
  /** Where a character of it stands in the text that it was made of. Both in UTF-16 units. */
  indexOf(at: number): number;
}

/** The text without all that shows nothing; null when all of it shows. What `cleanText` takes out is not in it, either. */
export function visibleText(text: string): VisibleText | null {
  if (!HAS_INVISIBLE.test(text)) return null;
  const parts: string[] = [];
  /** Where something is left out, in the visible text, and how much is up to there. */
  const places: number[] = [];
  const lengths: number[] = [];
  let end = 0;
  let left = 0;
  for (const { 0: hidden, index } of text.matchAll(INVISIBLE)) {
    parts.push(text.slice(end, index));
    end = index + hidden.length;
    places.push(index - left);
    left += hidden.length;
    lengths.push(left);
  }
  parts.push(text.slice(end));
  return {
    text: parts.join(''),
    indexOf: (at) => at + (lengths[countUpTo(places, at) - 1] ?? 0),
  };
}

/** How many of the sorted numbers are not above the limit. */
function countUpTo(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

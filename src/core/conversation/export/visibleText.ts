/** Terminal sequences that are not displayed: colours, titles, link addresses. */
const ESCAPE = [
  String.raw`(?:\x1b\[|\x9b)[0-?]*[ -\/]*[@-~]`,
  String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\0-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)`,
  String.raw`\x1b(?:[ -\/]+[0-~]|[0-Z\\^_c])`,
].join('|');
/** A character that the next one is printed over, for bold and underlined text. */
const OVERSTRUCK = String.raw`[^\0-\x1f\x7f-\x9f]\x08`;
const CONTROL = String.raw`[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\ufffe\uffff]`;
/** Characters without a width, which some scripts need. */
const IGNORABLE = String.raw`\p{Default_Ignorable_Code_Point}`;
/** The same in the notation of JSON and of programs. */
const WRITTEN = String.raw`\\{1,4}(?:u001[bB]|x1[bB]|033|e)(?:\[[0-?]*[ -\/]*[@-~]|\][^\s"'\\]*(?:\\{1,4}(?:u0007|x07|007|a)|\\{1,4}(?:u001[bB]|x1[bB]|033|e)\\{1,4})|\([0B])|\\{1,4}u(?:00[01][0-8bB]|00ad|200[b-fB-F]|2060|[fF][eE][fF][fF])`;

const HAS_CONTROL = new RegExp(CONTROL, 'u');
const HAS_INVISIBLE = new RegExp(`${CONTROL}|${IGNORABLE}|${WRITTEN}`, 'u');
const UNPRINTED = new RegExp(`${ESCAPE}|${OVERSTRUCK}|${CONTROL}`, 'gu');
const INVISIBLE = new RegExp(`${ESCAPE}|${OVERSTRUCK}|${CONTROL}|${IGNORABLE}|${WRITTEN}`, 'gu');

/** Removes colour codes, and control characters that no document may contain. */
export function cleanText(text: string): string {
  const printed = HAS_CONTROL.test(text) ? text.replace(UNPRINTED, '') : text;
  return printed.replace(/\r\n?/g, '\n');
}

/** A text as people see it. */
export interface VisibleText {
  readonly text: string;
  /** The index in the original text of a character of the visible text. Both in UTF-16 units. */
  indexOf(at: number): number;
}

/** The text without its invisible parts, which include what `cleanText` removes; null if there are none. */
export function visibleText(text: string): VisibleText | null {
  if (!HAS_INVISIBLE.test(text)) return null;
  const parts: string[] = [];
  /** The positions in the visible text where something was removed, and the total length removed up to each. */
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

/** How many of the sorted numbers do not exceed the limit. */
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

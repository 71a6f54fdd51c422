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

/** A text as people or programs read it. Positions are in UTF-16 units. */
export interface TextReading {
  readonly text: string;
  /** The position in the original text of the character at `at`. */
  startOf(at: number): number;
  /** The position in the original text after the character before `at`. */
  endOf(at: number): number;
}

/** The text without its invisible parts, which include what `cleanText` removes; null if there are none. */
export function visibleText(text: string): TextReading | null {
  return HAS_INVISIBLE.test(text) ? readingOf(text, text.matchAll(INVISIBLE), () => '') : null;
}

/** The characters of tokens that are encoded in addresses. The separators of addresses are not decoded. */
const ENCODED = /%(?:2[BbFf]|3[AaDd]|7[CcEe])/g;

/** The text with the characters of tokens decoded; null if none is encoded. */
export function decodedText(text: string): TextReading | null {
  if (!text.includes('%')) return null;
  return readingOf(text, text.matchAll(ENCODED), (encoded) => String.fromCharCode(parseInt(encoded.slice(1), 16)));
}

/** Shorter lines were not split by a terminal or a mail. */
const MIN_SPLIT_LINE = 30;
const OF_WORD = /[A-Za-z0-9_+/=.-]/;
/** Shorter parts of a word on the next line are ignored. */
const NEXT_PART = /[A-Za-z0-9_+/=.-]{6}/y;

/** The text with the words joined that may have been split at the end of a line; null if there are none. */
export function joinedText(text: string): TextReading | null {
  return readingOf(text, splitsIn(text), () => '');
}

function* splitsIn(text: string): Generator<Replaced> {
  let lineStart = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', lineStart)) {
    const index = text.charAt(at - 1) === '\r' ? at - 1 : at;
    const isLong = index - lineStart >= MIN_SPLIT_LINE;
    lineStart = at + 1;
    NEXT_PART.lastIndex = lineStart;
    if (isLong && OF_WORD.test(text.charAt(index - 1)) && NEXT_PART.test(text))
      yield { 0: text.slice(index, lineStart), index };
  }
}

/** A part of a text that a reading has not, or has as another character. */
interface Replaced {
  readonly 0: string;
  readonly index: number;
}

/** Null if nothing is replaced. */
function readingOf(text: string, matches: Iterable<Replaced>, replace: (match: string) => string): TextReading | null {
  const parts: string[] = [];
  /** The positions in the reading after which something is missing, and the total length missing up to each. */
  const places: number[] = [];
  const lengths: number[] = [];
  let end = 0;
  let left = 0;
  let isReplaced = false;
  for (const { 0: match, index } of matches) {
    const character = replace(match);
    isReplaced ||= character !== '';
    parts.push(text.slice(end, index), character);
    end = index + match.length;
    places.push(index - left + character.length);
    left += match.length - character.length;
    lengths.push(left);
  }
  if (places.length === 0) return null;
  parts.push(text.slice(end));
  const startOf = (at: number): number => at + (lengths[countUpTo(places, at) - 1] ?? 0);
  // What is left out after a character does not belong to it; an encoded character does.
  return { text: parts.join(''), startOf, endOf: (at) => (isReplaced ? startOf(at) : startOf(at - 1) + 1) };
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

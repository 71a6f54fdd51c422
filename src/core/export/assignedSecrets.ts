import { isAssignedSecret, isLineStart, type Assignment } from './assignedValue';
import { MAX_JUDGED } from './secretLooks';

/** Names that are given to secrets. */
export const NAME = String.raw`(?:passwords?|passwd|passphrase|pwd|pass|secrets?|tokens?|api[_-]?keys?|access[_-]?keys?|auth[_-]?keys?|private[_-]?keys?|signing[_-]?keys?|encryption[_-]?keys?|credentials?)`;

/** A name, what it goes on with, and what stands between it and its value: JSON, YAML, shells, code, options. */
const HEAD = new RegExp(
  String.raw`(${NAME})([_-][\w-]{0,30}|key(?:_?base)?|value|base|\d{1,2})?((?:\\{0,3}["'${'`'}])?)(\s{0,5})(=>|:=|={1,3}|:)(?![=>~])(\s{0,5})((?:\\{0,3}["'${'`'}])?)`,
  'gi',
);

/** Shorter values say little. */
const MIN_LENGTH = 3;
/** Before a name, what is looked at. */
const MAX_BEFORE = 60;
/** Behind a value. */
const MAX_AFTER = 60;
/** Values that are longer are not looked into for other names, when they are no secrets. */
const MAX_SEARCHED_AGAIN = 64;
const MARK = '[redacted:';

/** Where values stand that somebody has called a password, or a token. In time in proportion to the text. */
export function* assignedSecrets(text: string): Generator<{ readonly start: number; readonly end: number }> {
  HEAD.lastIndex = 0;
  for (;;) {
    const at = HEAD.lastIndex;
    const head = HEAD.exec(text);
    if (head === null) return;
    const start = HEAD.lastIndex;
    const quote = head[7] ?? '';
    const value = valueAt(text, start, quote);
    const found = value.length < MIN_LENGTH ? null : assignmentOf(text, head, start, value);
    if (found !== null && isAssignedSecret(found)) {
      const end = value.length < MAX_JUDGED ? start + value.length + more(found) : endOf(text, start, quote);
      yield { start, end };
      // Who takes the values may have used the expression meanwhile.
      HEAD.lastIndex = end;
    } else HEAD.lastIndex = value.length > MAX_SEARCHED_AGAIN ? start + value.length : Math.max(start, at + 1);
  }
}

function assignmentOf(text: string, head: RegExpExecArray, start: number, value: string): Assignment {
  const nameStart = startOfName(text, head.index);
  const before = text.slice(Math.max(0, head.index - MAX_BEFORE), nameStart);
  const behind = start + value.length;
  const gapBefore = head[4] ?? '';
  const gapAfter = head[6] ?? '';
  const sign = head[5] ?? '';
  return {
    word: head[1] ?? '',
    prefix: text.slice(nameStart, head.index),
    suffix: head[2] ?? '',
    sign,
    value,
    isNameQuoted: head[3] !== '',
    isSpaced: gapBefore !== '' || gapAfter !== '',
    isEmptyInShells: sign === '=' && gapBefore === '' && gapAfter !== '',
    isOverLines: gapBefore.includes('\n') || gapAfter.includes('\n'),
    isQuoted: head[7] !== '',
    before: head.index <= MAX_BEFORE ? `\n${before}` : before,
    after: text.slice(behind, behind + MAX_AFTER),
  };
}

const OF_NAME = /[\w.-]/;

function startOfName(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < MAX_BEFORE && OF_NAME.test(text.charAt(start - 1))) start--;
  return start;
}

// eslint-disable-next-line no-control-regex -- codes of colours end it
const BARE = /^[^\s"'`,;<>\\&\0-\x1f\x7f]*/;

/** As much of the value as is judged. */
function valueAt(text: string, start: number, quote: string): string {
  const judged = text.slice(start, start + MAX_JUDGED);
  const end = quote === '' ? bareEnd(judged) : quotedEnd(judged, quote);
  const value = judged.slice(0, end);
  const mark = value.indexOf(MARK);
  return mark < 0 ? value : value.slice(0, mark);
}

/** What closes a bracket that was opened before the value is no part of it. */
function bareEnd(text: string): number {
  const value = BARE.exec(text)?.[0] ?? '';
  let end = value.length;
  if (end === MAX_JUDGED || !/[)\]}]$/.test(value) || /[([{]/.test(value)) return end;
  while (end > 0 && /[)\]}]/.test(value.charAt(end - 1))) end--;
  return end;
}

function quotedEnd(text: string, quote: string): number {
  const sign = quote.slice(-1);
  const isEscaped = quote.length > 1;
  let at = 0;
  for (; at < text.length; at++) {
    const each = text.charAt(at);
    if (each === sign || each < ' ') break;
    if (each !== '\\') continue;
    if (isEscaped) break;
    at++;
  }
  return Math.min(at, text.length);
}

/** Where a value ends that is longer than what is judged. */
function endOf(text: string, start: number, quote: string): number {
  const rest = quote === '' ? /[^\s"'`,;<>\\&]*/y : /[^\s"'`\\]*/y;
  rest.lastIndex = start;
  rest.exec(text);
  const end = rest.lastIndex;
  const mark = text.slice(start, end).indexOf(MARK);
  return mark < 0 ? Math.max(end, start + 1) : start + mark;
}

/** In a file of variables, a line ends a value, and no sign before that. */
function more({ isQuoted, isSpaced, sign, before, after, value }: Assignment): number {
  if (isQuoted || isSpaced || sign !== '=' || !isLineStart(before) || after.startsWith(MARK)) return 0;
  const [, rest = ''] = /^([^\s"'`\\[\]{}()<>|]*[^\s"'`\\[\]{}()<>|;,])(?=[\r\n]|$)/.exec(after) ?? [];
  return value.length + rest.length < MAX_JUDGED ? rest.length : 0;
}

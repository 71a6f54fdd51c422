import { isPlaceholder, isRandom, isReference, MAX_JUDGED } from './secretValues';

/** Names of secrets. */
export const NAME = String.raw`(?:passwords?|passwd|passphrase|pwd|pass|secrets?|tokens?|api[_-]?keys?|access[_-]?keys?|auth[_-]?keys?|private[_-]?keys?|signing[_-]?keys?|encryption[_-]?keys?|credentials?|sonar[._-]?login|keys?)`;

/** A name, its suffix, and what separates it from its value in JSON, YAML, shells, code and command line options. */
const HEAD = new RegExp(
  String.raw`(${NAME})([_-][\w-]{0,30}|key(?:_?base)?|value|base|\d{1,2})?((?:\\{0,3}["'${'`'}])?)(\s{0,5})(=>|:=|={1,3}|:)(?![=>~])(\s{0,5})((?:\\{0,3}["'${'`'}])?)`,
  'gi',
);

/** Shorter values are ignored: they carry too little information. */
const MIN_LENGTH = 3;
/** Number of characters read before a name. */
const MAX_BEFORE = 60;
/** Number of characters read after a value. */
const MAX_AFTER = 60;
/** Longer values that are not secrets are not searched for other names. */
const MAX_SEARCHED_AGAIN = 64;
const MARK = '[redacted:';

/** The values assigned to names of passwords and tokens. Runs in linear time. */
export function* assignedSecrets(text: string): Generator<{ readonly start: number; readonly end: number }> {
  HEAD.lastIndex = 0;
  for (;;) {
    const at = HEAD.lastIndex;
    const head = HEAD.exec(text);
    if (head === null) return;
    const start = HEAD.lastIndex;
    const quote = head[7] ?? '';
    const value = valueAt(text, start, head);
    const found = value.length < MIN_LENGTH ? null : assignmentOf(text, head, start, value);
    if (found !== null && isAssignedSecret(found)) {
      const end = value.length < MAX_JUDGED ? start + value.length + more(found) : endOf(text, start, quote);
      yield { start, end };
      // The consumer may have used the expression in the meantime.
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

/** Ends at a colour code, and before the next parameter of an address or a form. */
// eslint-disable-next-line no-control-regex -- colour codes are such characters
const PARAMETER = /^(?:[^\s"'`,;<>\\&\0-\x1f\x7f]|&(?![\w.[\]-]{0,64}=|&|amp;|\s|$))*/;
// eslint-disable-next-line no-control-regex -- as above
const BARE = /^(?:[^\s"'`,;<>\\&\0-\x1f\x7f]|&(?!&|amp;|\s|$))*/;

/** The part of the value that is judged. */
function valueAt(text: string, start: number, head: RegExpExecArray): string {
  const judged = text.slice(start, start + MAX_JUDGED);
  const quote = head[7] ?? '';
  const end = quote === '' ? bareEnd(judged, isParameter(text, head) ? PARAMETER : BARE) : quotedEnd(judged, quote);
  const value = judged.slice(0, end);
  const mark = value.indexOf(MARK);
  return mark < 0 ? value : value.slice(0, mark);
}

/** Whether the name is that of a parameter of an address or a form, which `&` separates from the next one. */
function isParameter(text: string, head: RegExpExecArray): boolean {
  const nameStart = startOfName(text, head.index);
  return head[5] === '=' && (nameStart === 0 || /[?&;"'`\n]/.test(text.charAt(nameStart - 1)));
}

/** Closing brackets that were opened before the value are not part of it. */
function bareEnd(text: string, bare: RegExp): number {
  const value = bare.exec(text)?.[0] ?? '';
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

/** The end of a value that is longer than `MAX_JUDGED`. */
function endOf(text: string, start: number, quote: string): number {
  const rest = quote === '' ? /[^\s"'`,;<>\\&]*/y : /[^\s"'`\\]*/y;
  rest.lastIndex = start;
  rest.exec(text);
  const end = rest.lastIndex;
  const mark = text.slice(start, end).indexOf(MARK);
  return mark < 0 ? Math.max(end, start + 1) : start + mark;
}

/** In a file of variables, a value ends with the line, not with a punctuation character before that. */
function more({ isQuoted, isSpaced, sign, before, after, value }: Assignment): number {
  if (isQuoted || isSpaced || sign !== '=' || !isLineStart(before) || after.startsWith(MARK)) return 0;
  const [, rest = ''] = /^([^\s"'`\\[\]{}()<>|]*[^\s"'`\\[\]{}()<>|;,])(?=[\r\n]|$)/.exec(after) ?? [];
  return value.length + rest.length < MAX_JUDGED ? rest.length : 0;
}

/** A value assigned to the name of a password or token. */
interface Assignment {
  /** The keyword in the name, and the parts of the name before and after it. */
  readonly word: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly isNameQuoted: boolean;
  /** `=`, `:`, `=>`, `:=`, or a comparison. */
  readonly sign: string;
  /** There is white space or a line break around the sign. */
  readonly isSpaced: boolean;
  /** White space directly follows the sign: in a shell, the value is empty. */
  readonly isEmptyInShells: boolean;
  readonly isOverLines: boolean;
  readonly isQuoted: boolean;
  readonly value: string;
  /** A few characters before the whole name, and after the value. A line break marks the start of the text. */
  readonly before: string;
  readonly after: string;
}

/** Suffixes of names whose values describe a secret and are not secret themselves. */
const ABOUT =
  /[_-](?:names?|ids?|counts?|types?|files?|paths?|dirs?|ur[il]s?|endpoints?|length|len|size|limits?|budget|fields?|labels?|hints?|policy|arn|refs?|versions?|ttl|expir\w*|at|index|prefix|format|pattern|rules?|usage|used|costs?|total|max|min|input|output|store|manager|provider|env|var|kind|status|mode|error|message|required|enabled|valid|algorithm|method|scopes?|header|column|table|page|test)$/i;
/** Names for a model's token counts. */
const COUNTED = /(?:input|output|max|min|total|prompt|completion|reasoning|context)_?tokens$/i;
/** Words for passwords, and the suffixes with which a name still denotes a password. */
const PASSWORD_WORD = /^(?:password|passwd|passphrase|pwd|pass|secret)$/i;
const PASSWORD_SUFFIX =
  /^(?:[_-]?(?:key(?:_?base)?|value|base|\d{1,2}|prod|production|dev|staging|live|local|root|admin|user|db))?$/i;
const SAYS_WHETHER =
  /(?:^|[_.-])(?:no|is|has|have|without|needs?|requires?|show|hide|forgot|allow|use|enable|disable|skip|ask|prompt)[_-]?$/i;
/** Prefixes with which `pass` denotes a password. */
const PASS_OF =
  /(?:^|[_.-])(?:db|user|root|admin|smtp|mail|email|ftp|ssh|redis|mysql|pg|postgres|my|http|auth|keystore)[_-]?$/i;

/** Types, and words used about passwords: none of them is a password. */
const NO_VALUES = new Set(
  'string str text varchar char bytes bytea buffer number int integer bool boolean any unknown never object void null nil none undefined true false yes no on off required optional hidden empty unset set missing invalid valid incorrect wrong expired changed updated reset ok pass passed fail failed failure success error disabled enabled default auto prompt stdin masked redacted secretstr securestring uuid json jwt basic bearer inherit file env vault generated random self this new function async await'.split(
    ' ',
  ),
);
const LABEL =
  /^(?:(?:new|old|current|confirm|user|reset|forgot|change|repeat|show|hide|db)?[_-]?(?:password|passwd|pwd)s?[_-]?(?:reset|field|input|confirm\w*|repeat|again|hash)?|[A-Z][a-z]+)$/;
const LABEL_WORDS =
  /\b(?:pass(?:words?|phrases?|codes?)|secrets?|tokens?|keys?|required|enter|your|must|invalid|incorrect|characters|forgot|reset|please|is|are|not|the|for|least|match|matches)\b/i;

/** Whether the value is a secret, not a reference to one, a placeholder, or text about one. */
function isAssignedSecret(assignment: Assignment): boolean {
  const { prefix, word, suffix, sign, value, before, after, isQuoted, isOverLines } = assignment;
  if (ABOUT.test(suffix) && !/secret[_-]id$/i.test(word + suffix)) return false;
  if (/^keys?$/i.test(word) && !isKeyOfAccess(assignment)) return false;
  if (isPlaceholder(value) || isReference(value) || COUNTED.test(prefix + word)) return false;
  // The value is an alternative of a conditional: `isOk ? 'pass' : 'fail'`.
  if (sign === ':' && /\?\s*["'`]$/.test(before)) return false;
  if (!isQuoted && (isOverLines || /^[([{]/.test(after))) return false;
  if (isPasswordName(prefix, word, suffix) && isAssignedPassword(assignment)) return true;
  const isKnownWord = !/^pass$/i.test(word) || isPasswordName(prefix, word, suffix);
  return isKnownWord && assignment.sign.length < 3 && !/\s/.test(value) && value.length >= 8 && isRandom(value);
}

/** Words with which a key is that of a table, a map, a cache or a cipher's public half. */
const OTHER_KEY =
  /(?:public|pub|foreign|primary|partition|sort|cache|hash|row|group|query|index|object|event|dedupe?|idempotency|lookup|unique|map|storage|s3|i18n|translation|message|item|node|tab|column|field|order|host|known|site|file|path|route|state|search|shortcut|hot|arrow|react|session|entry|record|data|json|config|setting|bucket|blob|scope|chain|trace|metric|target)[_.-]?$/i;
/** Shorter values of keys are more likely to be names. */
const MIN_KEY = 15;

/** Whether a name that ends in "key" is that of a key for access: `ALGOLIA_KEY`, `client-key-data`, `stripeKey`. */
function isKeyOfAccess({ prefix, word, value }: Assignment): boolean {
  const isOwnWord = /[A-Za-z0-9][_.-]{1,2}$/.test(prefix) || (word.startsWith('K') && /[a-z0-9]$/.test(prefix));
  return isOwnWord && !OTHER_KEY.test(prefix) && value.length >= MIN_KEY && /\d/.test(value) && isRandom(value);
}

function isPasswordName(prefix: string, word: string, suffix: string): boolean {
  if (!PASSWORD_WORD.test(word) || !PASSWORD_SUFFIX.test(suffix) || SAYS_WHETHER.test(prefix)) return false;
  if (!/^pass$/i.test(word) || prefix === '') return true;
  if (/^[\W_]/.test(prefix.slice(-1))) return word === 'PASS' || /[.-]$/.test(prefix) || PASS_OF.test(prefix);
  return PASS_OF.test(prefix) || (word === 'Pass' && /[a-z]$/.test(prefix));
}

/** Whether a word in place of a password is one, not a type or a label. */
export function isPassword(value: string): boolean {
  return (
    !/^\d{1,3}$/.test(value) && /[A-Za-z0-9]/.test(value) && !NO_VALUES.has(value.toLowerCase()) && !LABEL.test(value)
  );
}

function isAssignedPassword(assignment: Assignment): boolean {
  const { prefix, word, suffix, value, isQuoted } = assignment;
  const name = prefix + word + suffix;
  const isOfEnvironment = /^[A-Z][A-Z0-9_]*$/.test(name.replace(/^-+/, ''));
  if (/^\d{1,3}$/.test(value) || NO_VALUES.has(value.toLowerCase())) return false;
  if (!/[A-Za-z0-9]/.test(value) || value === name) return false;
  if (isQuoted) return isQuotedPassword(assignment, isOfEnvironment);
  if (assignment.sign.startsWith('==')) return false;
  return isBarePassword(assignment, isOfEnvironment);
}

function isQuotedPassword({ value, word, after }: Assignment, isOfEnvironment: boolean): boolean {
  if (/\s/.test(value)) return isPhrase(value, after);
  return (
    isOfEnvironment || !(LABEL.test(value) || value.toLowerCase() === word.toLowerCase() || /[^\0-\x7f]/.test(value))
  );
}

/** Whether several words are a password, not text for people about one. */
function isPhrase(value: string, after: string): boolean {
  if (!/^\\{0,3}["'`]/.test(after) || value.length > 100 || value.trim().length < 3) return false;
  if (/[^\x20-\x7e]|[<>=(){}[\];\\]|%[sd]/.test(value) || LABEL_WORDS.test(value)) return false;
  return /\d/.test(value) || /^[a-z][^.:?!]*$/.test(value);
}

function isBarePassword(assignment: Assignment, isOfEnvironment: boolean): boolean {
  const { prefix, word, value, sign, isNameQuoted, isSpaced, before, after } = assignment;
  if (/^[|*>&]/.test(value) || NO_VALUES.has(/^\w*/.exec(value)?.[0].toLowerCase() ?? '')) return false;
  if (/^[<(]/.test(after) || !/^[\x21-\x7e]*$/.test(value)) return false;
  const isIdentifier = /^[A-Za-z_$][\w$]*[!?]?$/.test(value);
  const isLine = isLineStart(before) && /^[ \t]*(?:$|[\r\n]|\\[nr]|["']|#)/.test(after);
  // The name is from the summary of a test run.
  if (/^pass$/i.test(word) && prefix === '' && (sign === ':' || /^\d+$/.test(value))) return false;
  if (/^\d+$/.test(value)) return isLine || isNameQuoted || (sign === '=' && !isSpaced);
  const isCode = isIdentifier && /^\s*[;,)\]}]/.test(after);
  if (assignment.isEmptyInShells) return false;
  if (isOfEnvironment) return !isSpaced || isLine || !isCode;
  const isOption = prefix.startsWith('--');
  const isPart = /[?&;]$/.test(before) || after.startsWith('&');
  if (sign === '=' && !isSpaced && (isOption || isPart)) return true;
  if (isCode || /\b(?:const|let|var|val|def|final|type|return|new)\s*$/.test(before)) return false;
  const isNamed = isIdentifier && /[a-z][A-Z]|_|password|passwd|pwd|secret|token/.test(value);
  if (isNamed && !(isLine && !isSpaced && /\d$/.test(value))) return false;
  const hasOther = /[^A-Za-z_$]/.test(value.replace(/[.:!?]$/, ''));
  if (isLine) return hasOther || sign === ':' || (sign === '=' && !isSpaced);
  return hasOther && value.length >= 6 && !/^(?:sha|md|utf|base|oauth|argon|pbkdf|http|v)\d/i.test(value);
}

/** Whether a line starts at the end of `before`, possibly after a prefix that listings, diffs and lists add. */
function isLineStart(before: string): boolean {
  const lineBreak = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r'), before.lastIndexOf('\\n') + 1);
  if (lineBreak < 0 || (lineBreak === 0 && !(before.charCodeAt(0) <= 13))) return false;
  const start = before.slice(lineBreak + 1);
  return /^[ \t]*(?:\d+[ \t]*[→:|-][ \t]*|[-+>|*#][ \t]{0,3}|export |set |ENV |ARG |[\w./-]{1,40}:\d{1,7}[:-])?["']?$/.test(
    start,
  );
}

import { isPlaceholder, isRandom, isReference } from './secretLooks';

/** Something that was called a password, or a token. */
export interface Assignment {
  /** The part of the name that says so, what stands before it, and behind it. */
  readonly word: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly isNameQuoted: boolean;
  /** `=`, `:`, `=>`, `:=`, or a comparison. */
  readonly sign: string;
  /** White space stands around the sign, or a line break. */
  readonly isSpaced: boolean;
  /** Nothing but white space is behind the sign: in a shell, that is an empty value. */
  readonly isEmptyInShells: boolean;
  readonly isOverLines: boolean;
  readonly isQuoted: boolean;
  readonly value: string;
  /** A few characters before the whole name, and behind the value. A line break is where the text begins. */
  readonly before: string;
  readonly after: string;
}

/** What says something about a secret, and is none. */
const ABOUT =
  /[_-](?:names?|ids?|counts?|types?|files?|paths?|dirs?|ur[il]s?|endpoints?|length|len|size|limits?|budget|fields?|labels?|hints?|policy|arn|refs?|versions?|ttl|expir\w*|at|index|prefix|format|pattern|rules?|usage|used|costs?|total|max|min|input|output|store|manager|provider|env|var|kind|status|mode|error|message|required|enabled|valid|algorithm|method|scopes?|header|column|table|page|test)$/i;
/** Of a model. */
const COUNTED = /(?:input|output|max|min|total|prompt|completion|reasoning|context)_?tokens$/i;
/** Names that end in a word for passwords, or for what is one all the same. */
const PASSWORD_WORD = /^(?:password|passwd|passphrase|pwd|pass|secret)$/i;
const PASSWORD_SUFFIX =
  /^(?:[_-]?(?:key(?:_?base)?|value|base|\d{1,2}|prod|production|dev|staging|live|local|root|admin|user|db))?$/i;
const SAYS_WHETHER =
  /(?:^|[_.-])(?:no|is|has|have|without|needs?|requires?|show|hide|forgot|allow|use|enable|disable|skip|ask|prompt)[_-]?$/i;
/** What `pass` ends the name of, if no sign parts them. */
const PASS_OF =
  /(?:^|[_.-])(?:db|user|root|admin|smtp|mail|email|ftp|ssh|redis|mysql|pg|postgres|my|http|auth|keystore)[_-]?$/i;

/** Types, and what is said about passwords. */
const NO_VALUES = new Set(
  'string str text varchar char bytes bytea buffer number int integer bool boolean any unknown never object void null nil none undefined true false yes no on off required optional hidden empty unset set missing invalid valid incorrect wrong expired changed updated reset ok pass passed fail failed failure success error disabled enabled default auto prompt stdin masked redacted secretstr securestring uuid json jwt basic bearer inherit file env vault generated random self this new function async await'.split(
    ' ',
  ),
);
const LABEL =
  /^(?:(?:new|old|current|confirm|user|reset|forgot|change|repeat|show|hide|db)?[_-]?(?:password|passwd|pwd)s?[_-]?(?:reset|field|input|confirm\w*|repeat|again|hash)?|[A-Z][a-z]+)$/;
const LABEL_WORDS =
  /\b(?:pass(?:words?|phrases?|codes?)|secrets?|tokens?|keys?|required|enter|your|must|invalid|incorrect|characters|forgot|reset|please|is|are|not|the|for|least|match|matches)\b/i;

/** Whether the value is a secret, and not something that stands for it, or that is said about it. */
export function isAssignedSecret(assignment: Assignment): boolean {
  const { prefix, word, suffix, sign, value, before, after, isQuoted, isOverLines } = assignment;
  if (ABOUT.test(suffix) && !/secret[_-]id$/i.test(word + suffix)) return false;
  if (isPlaceholder(value) || isReference(value) || COUNTED.test(prefix + word)) return false;
  // What is chosen between: `isOk ? 'pass' : 'fail'`.
  if (sign === ':' && /\?\s*["'`]$/.test(before)) return false;
  if (!isQuoted && (isOverLines || /^[([{]/.test(after))) return false;
  if (isPasswordName(prefix, word, suffix) && isPassword(assignment)) return true;
  const isKnownWord = !/^pass$/i.test(word) || isPasswordName(prefix, word, suffix);
  return isKnownWord && assignment.sign.length < 3 && !/\s/.test(value) && value.length >= 8 && isRandom(value);
}

function isPasswordName(prefix: string, word: string, suffix: string): boolean {
  if (!PASSWORD_WORD.test(word) || !PASSWORD_SUFFIX.test(suffix) || SAYS_WHETHER.test(prefix)) return false;
  if (!/^pass$/i.test(word) || prefix === '') return true;
  if (/^[\W_]/.test(prefix.slice(-1))) return word === 'PASS' || /[.-]$/.test(prefix) || PASS_OF.test(prefix);
  return PASS_OF.test(prefix) || (word === 'Pass' && /[a-z]$/.test(prefix));
}

function isPassword(assignment: Assignment): boolean {
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

/** Several words that are a password, and not a text for people about one. */
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
  // Of a program that has run its tests.
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

/** Behind what listings, diffs and lists put before a line. */
export function isLineStart(before: string): boolean {
  const lineBreak = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r'), before.lastIndexOf('\\n') + 1);
  if (lineBreak < 0 || (lineBreak === 0 && !(before.charCodeAt(0) <= 13))) return false;
  const start = before.slice(lineBreak + 1);
  return /^[ \t]*(?:\d+[ \t]*[→:|-][ \t]*|[-+>|*#][ \t]{0,3}|export |set |ENV |ARG |[\w./-]{1,40}:\d{1,7}[:-])?["']?$/.test(
    start,
  );
}

import { isPlaceholder } from './secretValues';

/** A part of a text, by its offsets in UTF-16 units. */
interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Between the words of a marker: also in addresses and in forms. */
const GAP = String.raw`(?:[ _+]|%20)`;
const NAMED_KEY = `(?:[A-Z0-9]{1,20}${GAP}){0,4}PRIVATE${GAP}KEY(?:${GAP}BLOCK)?-----`;
const BEGIN = new RegExp(`-----BEGIN${GAP}${NAMED_KEY}`, 'g');
/** Any end ends a key: a file may be damaged. */
const END = new RegExp(String.raw`-----END${GAP}(?:[A-Z0-9]{1,20}${GAP}){0,5}[A-Z]{1,20}-----`, 'g');
const END_OF_KEY = new RegExp(`-----END${GAP}${NAMED_KEY}`, 'g');

/** Longest key, in characters: one of 16,384 bits in an indented, quoted and numbered listing. */
const MAX_KEY = 30_000;

/**
 * Private keys between their markers, however their lines are quoted, joined or split. If the end is missing, a key ends
 * where its lines do. Linear: each character is in one block.
 */
export function* privateKeys(text: string): Generator<TextSpan> {
  BEGIN.lastIndex = 0;
  for (;;) {
    const at = BEGIN.lastIndex;
    const begin = BEGIN.exec(text);
    if (begin === null) break;
    const body = BEGIN.lastIndex;
    const next = text.indexOf('-----BEGIN', body);
    const limit = Math.min(next < 0 ? text.length : next, body + MAX_KEY);
    END.lastIndex = 0;
    const end = END.exec(text.slice(body, limit));
    const isKey = end !== null && isKeyBody(text.slice(body, body + end.index));
    const stop = isKey ? body + end.index + end[0].length : bodyEnd(text, body, limit);
    yield { start: begin.index, end: stop };
    BEGIN.lastIndex = Math.max(stop, at + 1);
  }
  END_OF_KEY.lastIndex = 0;
  for (let end = END_OF_KEY.exec(text); end !== null; end = END_OF_KEY.exec(text)) {
    const last = END_OF_KEY.lastIndex;
    yield { start: privateKeyStart(text, end.index), end: last };
    END_OF_KEY.lastIndex = last;
  }
}

/** Between two markers is a key, not a sentence about markers or an expression for them. */
function isKeyBody(body: string): boolean {
  const letters = body.match(/[A-Za-z0-9+/=]/g)?.length ?? 0;
  return letters > 0 && letters * 3 > body.length;
}

/** What listings, diffs, code and mails put before a line of a key. */
const PREFIX = String.raw`[\s\\nrt"'${'`'}+>|→:.,;()\d#*-]{0,40}`;
/** A line of a key whose end is missing: base64, a header, or nothing. */
const FULL_LINE = new RegExp(
  String.raw`^${PREFIX}(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\n\\]{0,100}|[A-Za-z0-9+/=]{16,}[\s"'${'`'}+,;().…\\-]{0,20})$`,
);
const EMPTY_LINE = new RegExp(`^${PREFIX}$`);
/** The beginning of a line that is truncated, or the last one of a key. It is no word. */
const PART_OF_LINE = new RegExp(
  String.raw`^${PREFIX}(?=[A-Za-z0-9+/=]*(?:[a-z][A-Z]|[A-Z]{2}[a-z]|\d|[+/=]))[A-Za-z0-9+/=]{1,15}`,
);
const LINE_END = /\r\n|\n|\r|(?:\\{1,4}r)?\\{1,4}n|<br ?\/?>|(?<=[A-Za-z0-9+/=]) /g;

function bodyEnd(text: string, start: number, limit: number): number {
  LINE_END.lastIndex = start;
  for (let lineStart = start, end = start; ;) {
    const found = LINE_END.exec(text);
    const lineEnd = found === null || found.index > limit ? limit : found.index;
    const line = text.slice(lineStart, lineEnd);
    if (FULL_LINE.test(line)) end = lineEnd;
    else if (!EMPTY_LINE.test(line)) {
      const part = PART_OF_LINE.exec(line) ?? /^[A-Za-z0-9+/=\\]{16,}/.exec(line);
      return part === null ? end : lineStart + part[0].length;
    }
    if (found === null || found.index >= limit) return end;
    lineStart = LINE_END.lastIndex;
  }
}

const BASE64 = /[A-Za-z0-9+/=]/;
/** White space, quotation marks, and the line prefixes of diffs and listings. */
const BETWEEN = /[\s|>→"'`,]/;
/** Shorter runs of characters before the last line of a key are words. */
const MIN_LINE = 16;

/**
 * Finds the start of a truncated private key that ends at `end`: an excerpt of a file may lack the beginning of the
 * key. Goes back over lines of base64, separated by line breaks, which may be escaped.
 */
function privateKeyStart(text: string, end: number): number {
  let start = end;
  for (let isLast = true; ; isLast = false) {
    const lineEnd = skipBetween(text, start);
    let from = lineEnd;
    while (from > 0 && BASE64.test(text.charAt(from - 1))) from--;
    // The `n` of an escaped line break was matched as base64.
    if (from > 0 && text[from - 1] === '\\') from++;
    const line = text.slice(from, lineEnd);
    const isLineNumber = line.length > 0 && line.length < 7 && /^\d+$/.test(line);
    if (line.length === 0 || (line.length < MIN_LINE && !isLast && !isLineNumber)) return start;
    start = from;
  }
}

function skipBetween(text: string, end: number): number {
  let at = end;
  for (;;) {
    if (at > 0 && BETWEEN.test(text.charAt(at - 1))) at--;
    else if (at > 1 && text[at - 2] === '\\' && /[nrt]/.test(text.charAt(at - 1))) at -= 2;
    else return at;
  }
}

/** The private part of a PuTTY key, with its checksum. */
const PUTTY =
  /(?<=Private-Lines:[ \t]{0,3}\d{1,4}(?:[\s"'`+,|>→\d]|\\[rnt]){1,40})(?:(?!Private-)[A-Za-z0-9+/=]{1,100}(?:[\s"'`+,|>→]|\\[rnt]){0,20}){1,200}(?:Private-(?:MAC|Hash):[ \t]{0,3}[a-f0-9]{1,64})?/g;

export function* puttyKeys(text: string): Generator<TextSpan> {
  for (const { index, 0: key } of text.matchAll(PUTTY)) yield { start: index, end: index + key.length };
}

/** A key or certificate in base64: `LS0tLS1CRUdJTi…` is `-----BEGIN…`. */
const ENCODED =
  /LS0tLS1CRUdJTi[A-Za-z0-9+/=_-]{20,100000}(?:(?:\s|\\n){1,20}[A-Za-z0-9+/=]{40,100}(?=\s|\\n|["']|$)){0,400}/g;

/** Private keys in base64, as in the configuration of clients of Kubernetes. Certificates are public. */
export function* encodedKeys(text: string): Generator<TextSpan> {
  for (const { index, 0: encoded } of text.matchAll(ENCODED)) {
    if (!Buffer.from(encoded.slice(0, 120), 'base64').toString('latin1').includes('PRIVATE KEY')) continue;
    yield { start: index, end: index + encoded.length };
  }
}

const KIND = /(?:\b|(?<=\\[nrt]))kind(?:\\{0,3}["'])?:\s{0,5}(?:\\{0,3}["'])?Secret\b/g;
const DATA = /(?:\b|(?<=\\[nrt]))(?:data|stringData)(?:\\{0,3}["'])?:(?=[\s\\{])/g;
/** Longest part of a manifest that is searched before and after its kind, in characters. */
const MAX_MANIFEST = 4_000;
/** A field of `data` and its value. The line break before it may be escaped, and the value may be a block. */
const FIELD =
  /(?<=[\s{,"'n](?:\\{0,3}["'])?[\w.-]{1,100}(?:\\{0,3}["'])?:[ \t]{0,5}(?:[|>][+-]?(?:\s|\\n){1,20})?(?:\\{0,3}["'])?)[^\s"'\\:,{}[\]|>]{3,4000}/g;
/** The fields of a manifest that are no data. */
const NO_DATA = /(?:^|[\s{,"'n])(?:kind|metadata|type|apiVersion|immutable)(?:\\{0,3}["'])?:|^---/gm;

/** The values of Kubernetes' secrets, whatever their names are. */
export function* manifestSecrets(text: string): Generator<TextSpan> {
  for (const { start, end } of manifests(text)) {
    const part = text.slice(start, end);
    let done = 0;
    for (const data of part.matchAll(DATA)) {
      if (data.index < done) continue;
      const from = data.index + data[0].length;
      NO_DATA.lastIndex = from;
      done = NO_DATA.exec(part)?.index ?? part.length;
      for (const { index, 0: value } of part.slice(from, done).matchAll(FIELD))
        if (!isPlaceholder(value)) yield { start: start + from + index, end: start + from + index + value.length };
    }
  }
}

/** The parts of the text around the kinds; they do not overlap. */
function* manifests(text: string): Generator<TextSpan> {
  let start = 0;
  let end = -1;
  for (const { index } of text.matchAll(KIND)) {
    if (index - MAX_MANIFEST > end) {
      if (end >= 0) yield { start, end };
      start = Math.max(0, index - MAX_MANIFEST);
    }
    end = index + MAX_MANIFEST;
  }
  if (end >= 0) yield { start, end };
}

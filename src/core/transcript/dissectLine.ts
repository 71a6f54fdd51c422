import { isJsonObject, type JsonObject, parseObject, stringField } from '../util/json';

/**
 * Whether the client sees an object. `always`: it is the first value of its line, after nothing but spaces, tabs and CRs (or the
 * file's own BOM). `largeFile`: NULs precede that, which only the reader for files over 5 MiB skips. `never`: it follows another
 * value, or anything else. (docs/format.md, "Lines")
 */
export type Visibility = 'always' | 'largeFile' | 'never';

export interface LineObject {
  readonly object: JsonObject;
  readonly visibility: Visibility;
  /** Byte range in the line, without the padding around the object. */
  readonly start: number;
  readonly end: number;
}

export interface DissectedLine {
  readonly objects: readonly LineObject[];
  /** The line is one JSON object once leading NULs, and then BOM and white space, are stripped, so it counts as a row. */
  readonly isRow: boolean;
  readonly hasNuls: boolean;
  readonly hasBom: boolean;
  /** Some bytes belong to no object, or are white space around one that JSON does not know. */
  readonly hasRest: boolean;
  /** A whole row is among those bytes, behind an object, with more text around it. */
  readonly hidesRow: boolean;
}

const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
/** Space, tab, LF and CR. */
const JSON_SPACES = [0x20, 0x09, 0x0a, 0x0d];
const NUL = 0;
const BOM = '\uFEFF';
/** White space as an editor shows it, NULs and byte order marks. */
const PADDING = /^[\0\s\uFEFF]+/;
const SPACE = /^\s/;
/** White space that is none for JSON, such as a vertical tab or a no-break space. In front of a value, it hides that from the client. */
const ODD_SPACE = /[^\0 \t\r\uFEFF]/;
/** What may precede an object if its line is to count as a row: NULs, then a byte order mark and white space. */
const ROW_PADDING = /^\0*[\s\uFEFF]*$/;
/** A row starts with one of these keys (docs/format.md, "Key order"). The search for rows after torn ones uses them. */
const ROW_STARTS = ['{"parentUuid":', '{"type":'];
/** Limit of the row starts that are tried after a torn object; more than a few never occur. */
const MAX_ROW_STARTS = 64;

/** Finds the JSON objects of one line. Never throws. */
export function dissectLine(bytes: Buffer, isFirstLine: boolean): DissectedLine {
  if (bytes[0] === BRACE && endsLikeObject(bytes)) {
    const object = parseObject(bytes.toString('utf8'));
    if (object !== null) return clean(object, bytes.length);
  }
  // Torn rows may be long, so they are decoded again only where that can help.
  const padding = bytes[0] === BRACE ? '' : (PADDING.exec(bytes.toString('utf8'))?.[0] ?? '');
  const start = Buffer.byteLength(padding);
  const visibility = visibilityBehind(padding, isFirstLine);
  const hasBom = padding.includes(BOM);
  if (start === bytes.length) {
    return { objects: [], isRow: false, hasNuls: bytes.includes(NUL), hasBom, hasRest: false, hidesRow: false };
  }
  const body = bytes.subarray(start);
  const isLedByNuls = padding.includes('\0');
  const isTried = start === 0 && isInk(bytes[bytes.length - 1] ?? 0);
  const isLedByOdd = ODD_SPACE.test(padding);
  const text = body[0] === BRACE && !isTried ? body.toString('utf8') : '';
  const whole = parseJson(text.trim());
  if (whole !== NOT_JSON) {
    if (!isJsonObject(whole)) return TORN;
    const end = bytes.length - Buffer.byteLength(text.slice(text.trimEnd().length));
    const objects = [{ object: whole, visibility, start, end }];
    const hasRest = isLedByOdd || !isJsonBlank(bytes, end);
    return { objects, isRow: ROW_PADDING.test(padding), hasNuls: isLedByNuls, hasBom, hasRest, hidesRow: false };
  }
  const first = parseObjects(body, 0, isTried ? body.length : NaN);
  const firstEnd = first.objects.at(-1)?.end ?? 0;
  const behind = first.isComplete ? { objects: [] as FoundObject[], isComplete: true } : findRowsBehind(body, firstEnd);
  const found = [...first.objects, ...behind.objects];
  const objects = found.map((entry, at): LineObject => ({
    object: entry.object,
    visibility: at === 0 && first.objects.length > 0 ? visibility : 'never',
    start: start + entry.start,
    end: start + entry.end,
  }));
  if (objects.length === 0) return TORN;
  const lastEnd = found.at(-1)?.end ?? 0;
  const isAfterGap =
    !first.isComplete && (behind.objects.length === 0 || !isBlank(body, firstEnd, behind.objects[0]?.start));
  const hasRest = isAfterGap || isLedByOdd || !isJsonBlank(body, lastEnd);
  const hasNuls = isLedByNuls || (!hasRest && body.includes(NUL, lastEnd));
  const hidesRow = hasRest && holdsRow(body.subarray(firstEnd, behind.objects[0]?.start));
  return { objects, isRow: false, hasNuls, hasBom, hasRest, hidesRow };
}

/** False for most torn lines. An exception by JSON.parse takes far longer, which matters for a file that consists of such lines. */
function endsLikeObject(bytes: Buffer): boolean {
  let at = bytes.length - 1;
  while (JSON_SPACES.includes(bytes[at] ?? 0)) at--;
  return bytes[at] === CLOSING_BRACE;
}

/** An ASCII character that is not white space: nothing before it would be trimmed. */
function isInk(byte: number): boolean {
  return byte > 0x20 && byte < 0x80;
}

/** A line that holds no object is kept unchanged, including any padding. */
const TORN: DissectedLine = {
  objects: [],
  isRow: false,
  hasNuls: false,
  hasBom: false,
  hasRest: true,
  hidesRow: false,
};

/** Distinguishes a row from any other object: a row has a type and a session id. */
function looksLikeRow(object: JsonObject): boolean {
  return stringField(object, 'type') !== null && stringField(object, 'sessionId') !== null;
}

interface FoundObject {
  readonly object: JsonObject;
  readonly start: number;
  readonly end: number;
}

interface FoundObjects {
  readonly objects: readonly FoundObject[];
  /** Nothing but padding follows the last object. */
  readonly isComplete: boolean;
}

/** Reads objects that have nothing but padding between them. From `from` to `noObjectEnd` is known not to be one. */
function parseObjects(bytes: Buffer, from: number, noObjectEnd = NaN): FoundObjects {
  const objects: FoundObject[] = [];
  let at = from;
  for (;;) {
    at = skipPadding(bytes, at);
    if (at >= bytes.length) return { objects, isComplete: true };
    if (bytes[at] !== BRACE) return { objects, isComplete: false };
    const end = objectEnd(bytes, at);
    if (at === from && end === noObjectEnd) return { objects, isComplete: false };
    const object = end === null ? null : parseObject(bytes.toString('utf8', at, end));
    if (end === null || object === null) return { objects, isComplete: false };
    objects.push({ object, start: at, end });
    at = end;
  }
}

/** Finds complete rows directly after a torn one: a row start after which everything is complete objects. */
function findRowsBehind(bytes: Buffer, from: number): FoundObjects {
  const starts: number[] = [];
  for (const marker of ROW_STARTS) {
    let at = bytes.lastIndexOf(marker);
    for (let tries = 0; at > from && tries < MAX_ROW_STARTS; tries++) {
      starts.push(at);
      at = bytes.lastIndexOf(marker, at - 1);
    }
  }
  for (const start of starts.sort((a, b) => a - b)) {
    const found = parseObjects(bytes, start);
    if (found.isComplete && found.objects.every((entry) => looksLikeRow(entry.object))) return found;
  }
  return { objects: [], isComplete: false };
}

/** Whether any object among the bytes is a row. Like `findRowsBehind`, but whatever is around it. */
export function holdsRow(bytes: Buffer): boolean {
  // For speed: a file may consist of such lines.
  if (!bytes.includes('"sessionId"')) return false;
  let at = bytes.indexOf(BRACE);
  for (let tries = 0; at >= 0 && tries < MAX_ROW_STARTS; tries++) {
    const end = objectEnd(bytes, at);
    const object = end === null ? null : parseObject(bytes.toString('utf8', at, end));
    if (object !== null && looksLikeRow(object)) return true;
    at = bytes.indexOf(BRACE, object === null || end === null ? at + 1 : end);
  }
  return false;
}

/** End of the object that starts at `from`, or null if it is not closed. Recognizes strings but not the JSON grammar. */
function objectEnd(bytes: Buffer, from: number): number | null {
  let depth = 0;
  let inString = false;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === BRACE || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return null;
}

function visibilityBehind(padding: string, isFirstLine: boolean): Visibility {
  const seen = isFirstLine && padding.startsWith(BOM) ? padding.slice(1) : padding;
  if (/^[ \t\r]*$/.test(seen)) return 'always';
  return /^\0+[ \t\r]*$/.test(seen) ? 'largeFile' : 'never';
}

function skipPadding(bytes: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte === NUL || byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d)) at++;
    else if (byte !== undefined && byte >= 0xc2 && byte <= 0xef && SPACE.test(bytes.toString('utf8', at, at + 3)))
      at += byte < 0xe0 ? 2 : 3;
    else return at;
  }
}

function isBlank(bytes: Buffer, from: number, to = bytes.length): boolean {
  return skipPadding(bytes, from) >= to;
}

/** Whether nothing follows but NULs and what JSON takes for white space. */
function isJsonBlank(bytes: Buffer, from: number): boolean {
  for (let at = from; at < bytes.length; at++)
    if (bytes[at] !== NUL && !JSON_SPACES.includes(bytes[at] ?? 0)) return false;
  return true;
}

function clean(object: JsonObject, length: number): DissectedLine {
  const objects: LineObject[] = [{ object, visibility: 'always', start: 0, end: length }];
  return { objects, isRow: true, hasNuls: false, hasBom: false, hasRest: false, hidesRow: false };
}

const NOT_JSON = Symbol('not JSON');

/** The object that the text is, or `NOT_JSON`. The text begins with a brace, or is empty. */
function parseJson(text: string): unknown {
  if (!text.endsWith('}')) return NOT_JSON;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return NOT_JSON;
  }
}

import type { CutText } from '../../../protocol/conversation';
import { isJsonObject, stringField } from '../../util/json';

/**
 * The text of a value of a row: a string unchanged, the texts of content blocks separated by line breaks, anything else
 * as JSON. Both truncated texts and those requested in full later are made here, so that they are the same text.
 */
export function valueText(value: unknown, maxUnits: number, maxLines = Infinity): CutText {
  const plain = plainText(value);
  if (plain !== null) return cutText(plain, maxUnits, maxLines);
  const { text, units } = printJson(value, maxUnits);
  const cut = cutText(text, maxUnits, maxLines);
  return { text: cut.text, more: units - cut.text.length };
}

/** A string, or the texts of an array of content blocks if there are any; otherwise null. */
export function plainText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return null;
  const texts: string[] = [];
  for (const block of value as readonly unknown[]) {
    if (typeof block === 'string') texts.push(block);
    else if (isJsonObject(block)) {
      const text = stringField(block, 'text');
      if (text !== null) texts.push(text);
    }
  }
  return texts.length === 0 ? null : texts.join('\n');
}

/**
 * The path of a value of a row: keys and indexes joined by dots (`message.content.2.input.command`); '' is the row. If
 * several objects are on a line, paths in those after the first start with the object's number: `1:message.content`.
 */
export interface ValuePath {
  /** Index of the object on the line, counted from 0. */
  readonly object: number;
  readonly keys: readonly string[];
}

/** Paths that are longer than any path made here are rejected. */
const MAX_PATH_UNITS = 1_000;

export function pathPrefixOf(object: number): string {
  return object === 0 ? '' : `${object}:`;
}

/** The path of a part of a text, by offsets in UTF-16 units: `message.content@57-93`. */
export function partPath(path: string, from: number, to: number): string {
  return `${path}@${from}-${to}`;
}

/** The path of the text and the range of the part; the whole text if the path has no range. */
export function parsePartPath(path: string): { readonly path: string; readonly from: number; readonly to: number } {
  const [, whole = path, from = 0, to = Infinity] = /^(.*)@(\d{1,9})-(\d{1,9})$/.exec(path) ?? [];
  return { path: whole, from: Number(from), to: Number(to) };
}

/** Null if the path is not valid. */
export function parseValuePath(path: string): ValuePath | null {
  if (path.length > MAX_PATH_UNITS) return null;
  const prefix = /^(\d{1,9}):/.exec(path);
  const keys = prefix === null ? path : path.slice(prefix[0].length);
  return { object: Number(prefix?.[1] ?? 0), keys: keys === '' ? [] : keys.split('.') };
}

/** The value at the keys, considering only own properties; undefined if there is none. */
export function valueAt(row: unknown, keys: readonly string[]): unknown {
  let value = row;
  for (const key of keys) {
    if (Array.isArray(value))
      value = /^(0|[1-9]\d{0,8})$/.test(key) ? (value as readonly unknown[])[Number(key)] : undefined;
    else if (isJsonObject(value)) value = Object.hasOwn(value, key) ? value[key] : undefined;
    else return undefined;
  }
  return value;
}

/** Maximum length of a value as first sent to the panel, in UTF-16 units. */
export const MAX_UNITS = {
  text: 20_000,
  toolInput: 4_000,
  result: 8_000,
  raw: 4_000,
  note: 4_000,
  /** One line: a title, a label. */
  line: 200,
} as const;

/** Maximum number of lines of a result or a diff. */
export const MAX_LINES = 200;

/** Truncates a text to a number of UTF-16 units and lines, without splitting a surrogate pair. */
export function cutText(text: string, maxUnits: number, maxLines = Infinity): CutText {
  let end = Math.min(text.length, maxUnits);
  if (maxLines !== Infinity) end = Math.min(end, endOfLines(text, maxLines));
  if (end < text.length && end > 0 && isHighSurrogate(text.charCodeAt(end - 1))) end--;
  return { text: text.slice(0, end), more: text.length - end };
}

/** Folds a text into one line, for a title. */
export function oneLine(text: string, maxUnits: number = MAX_UNITS.line): string {
  // Only a bounded prefix is read, however long the text is; it may be mostly white space.
  const line = text
    .slice(0, maxUnits * 4)
    .replace(/\s+/g, ' ')
    .trim();
  const { text: cut, more } = cutText(line, maxUnits);
  return more > 0 ? `${cut}…` : cut;
}

/** An id to be compared; null if it is too long for an id. */
export function shortId(id: string | null): string | null {
  return id === null || id.length > MAX_UNITS.line ? null : id;
}

function endOfLines(text: string, maxLines: number): number {
  let end = -1;
  for (let lines = 0; lines < maxLines; lines++) {
    end = text.indexOf('\n', end + 1);
    if (end < 0) return text.length;
  }
  return end;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Deeper levels are not indented any further: the text of 10,000 levels would be mostly spaces. */
const MAX_INDENT = 24;

export interface PrintedJson {
  readonly text: string;
  /** Length of the whole text in UTF-16 units; `text` is its beginning. */
  readonly units: number;
}

/** An object or array that is being printed. */
interface OpenValue {
  readonly keys: readonly string[] | null;
  readonly values: readonly unknown[];
  next: number;
}

/**
 * Prints parsed JSON as indented text and keeps at most `maxUnits` of it. Unlike JSON.stringify, it handles any depth.
 */
function printJson(value: unknown, maxUnits: number): PrintedJson {
  const parts: string[] = [];
  let units = 0;
  const put = (text: string): void => {
    if (units < maxUnits) parts.push(text.length <= maxUnits - units ? text : text.slice(0, maxUnits - units));
    units += text.length;
  };
  const open: OpenValue[] = [];
  const begin = (started: unknown): void => {
    if (Array.isArray(started)) {
      if (started.length === 0) put('[]');
      else {
        put('[');
        open.push({ keys: null, values: started, next: 0 });
      }
    } else if (isJsonObject(started)) {
      const keys = Object.keys(started);
      if (keys.length === 0) put('{}');
      else {
        put('{');
        open.push({ keys, values: keys.map((key) => started[key]), next: 0 });
      }
    } else put(JSON.stringify(started));
  };
  begin(value);
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const at = top.next++;
    if (at === top.values.length) {
      open.pop();
      put(`\n${indent(open.length)}${top.keys === null ? ']' : '}'}`);
      continue;
    }
    put(`${at === 0 ? '' : ','}\n${indent(open.length)}`);
    if (top.keys !== null) put(`${JSON.stringify(top.keys[at])}: `);
    begin(top.values[at]);
  }
  return { text: parts.join(''), units };
}

function indent(depth: number): string {
  return '  '.repeat(Math.min(depth, MAX_INDENT));
}

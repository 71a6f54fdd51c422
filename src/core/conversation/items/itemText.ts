import type { CutText } from '../../../protocol/conversation';
import { isJsonObject, stringField } from '../../util/json';

/**
 * What a value of a row reads as: a string as it is, the texts of content blocks one below the other, anything else as
 * JSON. What was cut and what is asked for afterwards are made here, so that they are the same text.
 */
export function valueText(value: unknown, maxUnits: number, maxLines = Infinity): CutText {
  const plain = plainText(value);
  if (plain !== null) return cutText(plain, maxUnits, maxLines);
  const { text, units } = printJson(value, maxUnits);
  const cut = cutText(text, maxUnits, maxLines);
  return { text: cut.text, more: units - cut.text.length };
}

/** A string, or the texts of an array of content blocks if it holds any; null for everything else. */
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
 * How values of a row are named: keys and places joined by dots (`message.content.2.input.command`); '' is the row. Where
 * several objects stand on a line, those behind the first begin with their number on it: `1:message.content`.
 */
export interface ValuePath {
  /** Which object of the line, counted from 0. */
  readonly object: number;
  readonly keys: readonly string[];
}

/** Longer paths than any row of ours has are not looked up. */
const MAX_PATH_UNITS = 1_000;

export function pathPrefixOf(object: number): string {
  return object === 0 ? '' : `${object}:`;
}

/** Names a part of the text at the path, in UTF-16 units: `message.content@57-93`. */
export function partPath(path: string, from: number, to: number): string {
  return `${path}@${from}-${to}`;
}

/** The path of the text, and which part of it is named: all of it where none is. */
export function parsePartPath(path: string): { readonly path: string; readonly from: number; readonly to: number } {
  const [, whole = path, from = 0, to = Infinity] = /^(.*)@(\d{1,9})-(\d{1,9})$/.exec(path) ?? [];
  return { path: whole, from: Number(from), to: Number(to) };
}

/** Null for what is no path of ours. */
export function parseValuePath(path: string): ValuePath | null {
  if (path.length > MAX_PATH_UNITS) return null;
  const prefix = /^(\d{1,9}):/.exec(path);
  const keys = prefix === null ? path : path.slice(prefix[0].length);
  return { object: Number(prefix?.[1] ?? 0), keys: keys === '' ? [] : keys.split('.') };
}

/** The value that the keys lead to, through own keys alone; undefined when there is none. */
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

/** How much of a value crosses to the panel at first, in UTF-16 units. */
export const MAX_UNITS = {
  text: 20_000,
  toolInput: 4_000,
  result: 8_000,
  raw: 4_000,
  note: 4_000,
  /** One line: a title, a label. */
  line: 200,
} as const;

/** Lines of a result, or of a diff. */
export const MAX_LINES = 200;

/** The beginning of a text: no more than so many UTF-16 units and lines; a pair of surrogates is not parted. */
export function cutText(text: string, maxUnits: number, maxLines = Infinity): CutText {
  let end = Math.min(text.length, maxUnits);
  if (maxLines !== Infinity) end = Math.min(end, endOfLines(text, maxLines));
  if (end < text.length && end > 0 && isHighSurrogate(text.charCodeAt(end - 1))) end--;
  return { text: text.slice(0, end), more: text.length - end };
}

/** Text on one line, for a title. */
export function oneLine(text: string, maxUnits: number = MAX_UNITS.line): string {
  // What is looked at is bounded, however long the text: white space may be most of it.
  const line = text
    .slice(0, maxUnits * 4)
    .replace(/\s+/g, ' ')
    .trim();
  const { text: cut, more } = cutText(line, maxUnits);
  return more > 0 ? `${cut}…` : cut;
}

/** An id, for those who compare it; null for what is too long to be any. */
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

/** Deeper levels are not set in any further: 10,000 of them would be mostly spaces. */
const MAX_INDENT = 24;

export interface PrintedJson {
  readonly text: string;
  /** Units of the whole text, of which `text` is the beginning. */
  readonly units: number;
}

/** An object or array that is being printed. */
interface OpenValue {
  readonly keys: readonly string[] | null;
  readonly values: readonly unknown[];
  next: number;
}

/** Parsed JSON as indented text, of which no more than `maxUnits` are kept. Unlike JSON.stringify it takes any depth. */
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

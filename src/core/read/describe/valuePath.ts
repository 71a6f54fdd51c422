import { isJsonObject } from '../../claude/json';

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

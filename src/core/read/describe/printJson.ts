import { isJsonObject } from '../../claude/json';

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
export function printJson(value: unknown, maxUnits: number): PrintedJson {
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

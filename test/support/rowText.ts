/**
 * A transcript as lines of Latin-1 text, one character per byte, each with its line break: unedited parts are written
 * back byte for byte, and JSON's own characters are where they are in UTF-8.
 */
export type RowText = string;

export function splitRows(bytes: Buffer): RowText[] {
  return bytes.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

export function joinRows(rows: readonly RowText[]): Buffer {
  return Buffer.from(rows.join(''), 'latin1');
}

export interface LooseFields {
  readonly type?: unknown;
  readonly uuid?: unknown;
  readonly parentUuid?: unknown;
  readonly timestamp?: unknown;
  readonly isSidechain?: unknown;
  readonly leafUuid?: unknown;
  readonly message?: { readonly id?: unknown; readonly content?: unknown } | null;
  readonly compactMetadata?: unknown;
  readonly toolUseResult?: unknown;
}

/** Null for a line that is not one JSON object (after NULs and a BOM). */
export function readRow(row: RowText): LooseFields | null {
  const text = Buffer.from(row.slice(row.indexOf('{')), 'latin1')
    .toString('utf8')
    .trim();
  try {
    // SAFETY: text that starts with a brace parses to an object; all fields are optional and unknown.
    return text.startsWith('{') ? (JSON.parse(text) as LooseFields) : null;
  } catch {
    return null;
  }
}

/** Replaces the row's top-level field by `value`, or adds it before the first field. */
export function setField(row: RowText, field: string, value: unknown): RowText {
  const span = locateField(row, field);
  const json = toLatin1(JSON.stringify(value));
  if (span !== null) return row.slice(0, span.start) + json + row.slice(span.end);
  const open = row.indexOf('{') + 1;
  return `${row.slice(0, open)}"${field}":${json},${row.slice(open)}`;
}

/** Removes the top-level field; returns the row unchanged if it lacks the field or has no other. */
export function removeField(row: RowText, field: string): RowText {
  const span = locateField(row, field);
  if (span === null) return row;
  if (row[span.end] === ',') return row.slice(0, span.keyStart) + row.slice(span.end + 1);
  if (row[span.keyStart - 1] === ',') return row.slice(0, span.keyStart - 1) + row.slice(span.end);
  return row;
}

export function hasField(row: RowText, field: string): boolean {
  return locateField(row, field) !== null;
}

interface FieldSpan {
  readonly keyStart: number;
  readonly start: number;
  readonly end: number;
}

/** The last field of that name, as for JSON.parse. */
function locateField(row: RowText, field: string): FieldSpan | null {
  let found: FieldSpan | null = null;
  let at = row.indexOf('{') + 1;
  while (row[at] === '"') {
    const keyStart = at;
    const keyEnd = endOfString(row, at);
    const start = keyEnd + 1;
    const end = endOfValue(row, start);
    if (row.slice(keyStart + 1, keyEnd - 1) === field) found = { keyStart, start, end };
    at = end + 1;
  }
  return found;
}

function endOfValue(row: RowText, start: number): number {
  let depth = 0;
  for (let at = start; at < row.length; at += 1) {
    const character = row[at];
    if (character === '"') at = endOfString(row, at) - 1;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      if (depth === 0) return at;
      depth -= 1;
    } else if (character === ',' && depth === 0) return at;
  }
  return row.length;
}

function endOfString(row: RowText, quote: number): number {
  let at = quote + 1;
  while (at < row.length && row[at] !== '"') at += row[at] === '\\' ? 2 : 1;
  return at + 1;
}

function toLatin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

import type { ForkLink } from './forkPlan';

const NOTHING = Buffer.alloc(0);
const NEWLINE = Buffer.from('\n');
const WANTED: ReadonlySet<string> = new Set([
  'type',
  'subtype',
  'parentUuid',
  'uuid',
  'isSidechain',
  'sessionId',
  'sessionKind',
  'requestSessionId',
  'neutralizedByFork',
  'forkedFrom',
]);

/** Values for the changed fields of a row in a fork. */
export interface RowChange {
  readonly link: ForkLink;
  /** Null if the row has one. */
  readonly freshUuid: string | null;
  readonly isOnMainChain: boolean;
  readonly sessionId: string;
  readonly forkedFrom: { readonly sessionId: string; readonly messageUuid: string };
}

/**
 * The row at the start of `bytes`, as a line of the fork. Bytes that follow the row on its line are dropped. Null if
 * `bytes` does not start with a whole row. Values are replaced in place, and all other bytes are kept. The changed
 * fields are those that the client's own /branch changes: `forkedFrom` names the session that was forked, even if the
 * row had come from another session before. (docs/format.md, "Forks")
 */
export function writtenRow(bytes: Buffer, change: RowChange): Buffer | null {
  const found = rowFields(bytes, WANTED);
  if (found === null) return null;
  const edits = new FieldEdits(bytes, found);
  if (change.link.kind === 'set') edits.set('parentUuid', change.link.parent);
  if (change.freshUuid !== null) edits.set('uuid', change.freshUuid);
  if (change.isOnMainChain && Boolean(edits.value('isSidechain'))) edits.set('isSidechain', false);
  const before = edits.value('sessionId');
  edits.set('sessionId', change.sessionId);
  // A fork of a background session is not a background session itself.
  edits.remove('sessionKind');
  const type = edits.value('type');
  if (type === 'system' && edits.value('subtype') === 'model_refusal_fallback') edits.set('neutralizedByFork', true);
  if (type === 'assistant') {
    const asked = [edits.value('requestSessionId'), sessionIdOf(edits.value('forkedFrom')), before];
    const session = asked.find((id) => typeof id === 'string');
    if (session !== undefined) edits.set('requestSessionId', session);
  }
  edits.set('forkedFrom', change.forkedFrom);
  return edits.apply();
}

/** A row outside the tree, as a line of the fork. Null if there is no whole row. */
export function carriedRow(bytes: Buffer, sessionId: string): Buffer | null {
  const found = rowFields(bytes, WANTED);
  if (found === null) return null;
  const edits = new FieldEdits(bytes, found);
  if (found.fields.has('sessionId')) edits.set('sessionId', sessionId);
  return edits.apply();
}

function sessionIdOf(forkedFrom: unknown): unknown {
  return typeof forkedFrom === 'object' && forkedFrom !== null && 'sessionId' in forkedFrom
    ? forkedFrom.sessionId
    : undefined;
}

/** Changes to the fields of one row. Fields that the row lacks are appended in the order in which they were set. */
class FieldEdits {
  readonly #bytes: Buffer;
  readonly #found: RowFields;
  readonly #splices: { readonly start: number; readonly end: number; readonly bytes: Buffer }[] = [];
  #added = '';

  constructor(bytes: Buffer, found: RowFields) {
    this.#bytes = bytes;
    this.#found = found;
  }

  /** The original value; undefined if there is none. */
  value(name: string): unknown {
    const field = this.#found.fields.get(name);
    return field === undefined
      ? undefined
      : (JSON.parse(this.#bytes.toString('utf8', field.start, field.end)) as unknown);
  }

  set(name: string, value: unknown): void {
    const field = this.#found.fields.get(name);
    const text = JSON.stringify(value);
    if (field !== undefined) this.#splices.push({ start: field.start, end: field.end, bytes: Buffer.from(text) });
    else if (name === 'parentUuid')
      this.#splices.push({ start: 1, end: 1, bytes: Buffer.from(`"parentUuid":${text},`) });
    else this.#added += `,${JSON.stringify(name)}:${text}`;
  }

  remove(name: string): void {
    const field = this.#found.fields.get(name);
    if (field === undefined) return;
    this.#splices.push({ ...this.#withComma(field), bytes: NOTHING });
  }

  apply(): Buffer {
    const { close } = this.#found;
    this.#splices.push({ start: close, end: close, bytes: Buffer.from(this.#added) });
    const pieces: Buffer[] = [];
    let at = 0;
    for (const { start, end, bytes } of this.#splices.sort((a, b) => a.start - b.start || a.end - b.end)) {
      pieces.push(this.#bytes.subarray(at, start), bytes);
      at = end;
    }
    pieces.push(this.#bytes.subarray(at, close + 1), NEWLINE);
    return Buffer.concat(pieces);
  }

  /** The comma after the field, or before the last field. */
  #withComma({ keyStart, end }: RowField): { start: number; end: number } {
    const behind = end + (/^\s*,?/.exec(this.#bytes.toString('latin1', end, end + 64))?.[0].length ?? 0);
    if (this.#bytes[behind - 1] === 0x2c) return { start: keyStart, end: behind };
    const comma = this.#bytes.lastIndexOf(0x2c, keyStart);
    return { start: comma < 0 ? keyStart : comma, end };
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;

/** The range of a field, in bytes from the row's opening brace. */
interface RowField {
  readonly keyStart: number;
  readonly start: number;
  readonly end: number;
}

interface RowFields {
  /** By name. If a name occurs twice, the last field counts, as with JSON.parse. */
  readonly fields: ReadonlyMap<string, RowField>;
  /** Offset of the closing brace; the rest of the line is not part of the row. */
  readonly close: number;
}

/**
 * Finds the wanted top-level fields of the JSON object at the start of `bytes`, in one pass regardless of its length.
 * Null if the object is not closed. Recognizes strings and brackets but does not check the grammar, so it is only for
 * objects that have been parsed before.
 */
function rowFields(bytes: Buffer, wanted: ReadonlySet<string>): RowFields | null {
  const fields = new Map<string, RowField>();
  let at = skipSpaces(bytes, 1);
  for (;;) {
    if (bytes[at] === CLOSE_BRACE) return { fields, close: at };
    if (bytes[at] !== QUOTE) return null;
    const keyStart = at;
    const keyEnd = stringEnd(bytes, at);
    at = skipSpaces(bytes, keyEnd);
    if (bytes[at] !== COLON) return null;
    const start = skipSpaces(bytes, at + 1);
    const end = valueEnd(bytes, start);
    const name = nameOf(bytes, keyStart + 1, keyEnd - 1);
    if (wanted.has(name)) fields.set(name, { keyStart, start, end });
    at = skipSpaces(bytes, end);
    if (bytes[at] === COMMA) at = skipSpaces(bytes, at + 1);
  }
}

function nameOf(bytes: Buffer, from: number, to: number): string {
  const name = bytes.toString('utf8', from, to);
  // SAFETY: parsing a JSON string yields a string.
  return name.includes('\\') ? (JSON.parse(`"${name}"`) as string) : name;
}

function skipSpaces(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0a || bytes[at] === 0x0d) at++;
  return at;
}

/** @param from offset of the opening quote. Returns the offset after the closing one, or the length. */
function stringEnd(bytes: Buffer, from: number): number {
  for (let at = from + 1; ;) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return bytes.length;
    let slashes = 0;
    while (bytes[quote - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function valueEnd(bytes: Buffer, from: number): number {
  let depth = 0;
  let at = from;
  while (at < bytes.length) {
    switch (bytes[at]) {
      case QUOTE:
        at = stringEnd(bytes, at);
        if (depth === 0) return at;
        continue;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth++;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (depth === 0) return at;
        if (--depth === 0) return at + 1;
        break;
      case COMMA:
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
        if (depth === 0) return at;
        break;
      default:
    }
    at++;
  }
  return at;
}

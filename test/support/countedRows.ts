/** The part of a content block that is searched for in a request. */
export type ContentKey =
  | { readonly kind: 'text'; readonly role: 'user' | 'assistant'; readonly text: string }
  | { readonly kind: 'block'; readonly id: string };

/** A row that `resume.of` counts, with the content that a request must contain if the row was loaded. */
export interface CountedRow {
  /** 1-based. */
  readonly line: number;
  readonly type: 'user' | 'assistant';
  readonly uuid: string | null;
  readonly keys: readonly ContentKey[];
}

export interface LooseRow {
  readonly type?: unknown;
  readonly uuid?: unknown;
  readonly parentUuid?: unknown;
  readonly isSidechain?: unknown;
  readonly isMeta?: unknown;
  readonly message?: { readonly content?: unknown } | null;
}

export interface LooseBlock {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly id?: unknown;
  readonly tool_use_id?: unknown;
  readonly content?: unknown;
  readonly data?: unknown;
  readonly source?: { readonly data?: unknown } | null;
}

/**
 * The main-chain user and assistant rows with content: non-empty text, tool calls, tool results, images. Implemented
 * separately from the engine on purpose, so that the two can disagree.
 */
export function readCountedRows(bytes: Buffer): CountedRow[] {
  return readRows(bytes, parseRow);
}

/** Rows with content that are first on a line with more after them: the client loads them, and nothing counts them. */
export function readGluedRows(bytes: Buffer): CountedRow[] {
  return readRows(bytes, (text) => (parseRow(text) === null ? parseFirstObject(text) : null));
}

function readRows(bytes: Buffer, parse: (text: string) => LooseRow | null): CountedRow[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .flatMap((text, index): CountedRow[] => {
      const row = parse(text);
      if (row === null || (row.type !== 'user' && row.type !== 'assistant')) return [];
      if (row.isSidechain || row.isMeta) return [];
      const keys = contentKeys(row.type, row.message?.content);
      if (keys.length === 0) return [];
      return [{ line: index + 1, type: row.type, uuid: typeof row.uuid === 'string' ? row.uuid : null, keys }];
    });
}

/** The text before some closing brace of the line is the first object. */
function parseFirstObject(text: string): LooseRow | null {
  for (let end = text.indexOf('}'); end >= 0; end = text.indexOf('}', end + 1)) {
    const row = parseRow(text.slice(0, end + 1));
    if (row !== null) return row;
  }
  return null;
}

/** Null unless the line is one JSON object after NULs, a BOM and white space. */
export function parseRow(text: string): LooseRow | null {
  // eslint-disable-next-line no-control-regex -- runs of NUL are what a crash leaves before a row
  const stripped = text.replace(/^\u0000+/, '').trim();
  if (!stripped.startsWith('{')) return null;
  try {
    // SAFETY: JSON text that starts with a brace is an object; all fields are optional and unknown.
    return JSON.parse(stripped) as LooseRow;
  } catch {
    return null;
  }
}

/** Text is compared without white space, as clients join and trim it. Thinking has no key. */
export function contentKeys(role: 'user' | 'assistant', content: unknown): ContentKey[] {
  const keys: ContentKey[] = [];
  for (const block of blocksOf(content)) {
    if (block.type === 'text') {
      const text = foldSpace(block.text ?? '');
      if (text !== '') keys.push({ kind: 'text', role, text });
    } else if (block.type === 'tool_use') {
      keys.push({ kind: 'block', id: `use ${String(block.id)}` });
    } else if (block.type === 'tool_result') {
      keys.push({ kind: 'block', id: `${isOwnAnswer(block) ? 'own answer' : 'result'} ${String(block.tool_use_id)}` });
    } else if (block.type !== 'thinking') {
      keys.push({ kind: 'block', id: `${String(block.type)} ${identityOf(block)}` });
    }
  }
  return keys;
}

/**
 * How the client's own answers to a call begin whose result it did not load, or not in the place where the API wants it. They have
 * the id of the call, and a resumed session may hold the first as a row.
 */
const OWN_ANSWERS = [
  '[Tool call interrupted: the session ended before ',
  '[Tool result missing due to internal error]',
  // Of older clients, for example 2.1.270.
  '[Request interrupted by user for tool use]',
];

function isOwnAnswer({ content }: LooseBlock): boolean {
  return blocksOf(content).some(({ text }) => OWN_ANSWERS.some((answer) => String(text).startsWith(answer)));
}

/** What distinguishes a block from others of its type: the call it belongs to, or its data. Empty if it has neither. */
function identityOf({ id, tool_use_id, data, source }: LooseBlock): string {
  for (const own of [id, tool_use_id, data, source?.data]) if (typeof own === 'string') return own;
  return '';
}

export function blocksOf(content: unknown): LooseBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.filter((block): block is LooseBlock => typeof block === 'object' && block !== null);
}

export function foldSpace(text: unknown): string {
  return String(text).replace(/\s+/g, ' ').trim();
}

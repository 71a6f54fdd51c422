import { isJsonObject, type JsonObject, stringField } from '../../util/json';
import type { RequestMessage, SentBlock } from '../../providers/claude/request/composeRequest';
import type { JudgedRequest } from '../../providers/claude/request/judgeRequest';
import type { Fault, JsonPath, Origin } from '../../providers/claude/request/requestRules';

/** How a kind of fault is described and repaired. */
export interface FaultCase {
  /** What is wrong, as a sentence without its full stop; the lines follow in brackets. */
  readonly what: string;
  /** What the client's own healing costs, as a sentence. Null if it does not heal the fault. */
  readonly healing: string | null;
  readonly repair: FaultRepair | null;
}

export interface FaultRepair {
  /** `auto` only if everything that was sent is still sent as it is. */
  readonly action: 'auto' | 'ask';
  /** For a fault that the client heals: what the repair does better, as a sentence. It is made only if somebody names the code. */
  readonly offer?: string;
  /** The least edits that mend one fault. */
  readonly edits: (fault: Fault, request: JudgedRequest, keep: KeepContent) => readonly ContentEdit[];
}

/** Keeps content that an edit takes out in a file beside the transcript. Returns where, in words for a placeholder. */
export type KeepContent = (content: Buffer, extension: string) => string;

/** For those who only ask whether there are edits. */
export const NOTHING_KEPT: KeepContent = () => '';

/** An edit of the content of one row. Paths lead from the row to a value. */
export type InRowEdit = { readonly row: number; readonly path: JsonPath; readonly why: string } & (
  | { readonly kind: 'replace'; readonly to: unknown }
  /** The value stays as it is written, between two pieces of JSON. */
  | { readonly kind: 'wrap'; readonly before: string; readonly behind: string }
  /** What takes the place of the value depends on how it is written, because numbers and escapes do not survive JSON.parse. */
  | { readonly kind: 'rewrite'; readonly to: (json: Buffer) => Rewritten }
  /** `path` leads to an object that has no such key. */
  | { readonly kind: 'add'; readonly key: string; readonly to: unknown }
  /** An element of a list, or a key with its value, which is kept. */
  | { readonly kind: 'delete'; readonly keep?: KeepContent }
  /** `path` leads to a list; `order` has the present index of each element. */
  | { readonly kind: 'order'; readonly order: readonly number[] }
);

export interface Rewritten {
  readonly value: unknown;
  /** Takes the place of the edit's own reason, for example because it names a file. */
  readonly why?: string;
}

/** A row that is added beside another one in the chain, with a line of its own. `last`: as the child of the last row. */
export interface InsertEdit {
  readonly kind: 'insert';
  readonly row: number;
  readonly place: 'before' | 'behind' | 'last';
  /** What the row has besides its links and what all rows of a session share. */
  readonly fields: (uuid: string) => JsonObject;
  /** What is not sent any more because of the row: all thinking, or these places of the row beside it. */
  readonly silences?: 'thinking' | readonly JsonPath[];
  /** The edits to make instead if the row is beside the chain. Only asked for then, because they keep content. */
  readonly otherwise?: () => readonly InRowEdit[];
  readonly why: string;
}

/** The rows of the chain from `row` to `through` are linked behind the row `behind`, which is below them. */
export interface MoveEdit {
  readonly kind: 'move';
  readonly row: number;
  readonly through: number;
  readonly behind: number;
  readonly why: string;
}

export type ContentEdit = InRowEdit | InsertEdit | MoveEdit;

/** Whether a path leads to the same value as another one, or to a part of it. */
export function isWithin(path: JsonPath, outer: JsonPath): boolean {
  return outer.every((key, at) => path[at] === key);
}

export function replace({ row, path }: Origin, to: unknown, why: string): InRowEdit {
  return { kind: 'replace', row, path, to, why };
}

/** @param keep keeps what is removed; the reason then names the file */
export function remove({ row, path }: Origin, why: string, keep?: KeepContent): InRowEdit {
  return { kind: 'delete', row, path, why, ...(keep === undefined ? {} : { keep }) };
}

/** All blocks of the request as they are in the rows. */
export function blocksIn({ messages }: Pick<JudgedRequest, 'messages'>): readonly SentBlock[] {
  return messages.flatMap(({ blocks }) => blocks);
}

/** Blocks by their rows: every fault asks for one. The keys are the lists of messages of a request. */
const blocksByRow = new WeakMap<readonly RequestMessage[], ReadonlyMap<number, readonly SentBlock[]>>();

/** The block that contains the place, as it is sent. */
export function blockAt({ messages }: JudgedRequest, origin: Origin): SentBlock | undefined {
  return blockOf(messages, origin);
}

function blockOf(messages: readonly RequestMessage[], { row, path }: Origin): SentBlock | undefined {
  const known = blocksByRow.get(messages) ?? groupByRow(messages.flatMap(({ blocks }) => blocks));
  blocksByRow.set(messages, known);
  return known.get(row)?.find(({ origin }) => isWithin(path, origin.path));
}

function groupByRow(blocks: readonly SentBlock[]): ReadonlyMap<number, readonly SentBlock[]> {
  const groups = new Map<number, SentBlock[]>();
  for (const block of blocks) {
    const group = groups.get(block.origin.row);
    if (group === undefined) groups.set(block.origin.row, [block]);
    else group.push(block);
  }
  return groups;
}

/** The value at a place in the rows of the request, also if the client leaves it out; undefined if there is none. */
export function valueIn(request: JudgedRequest, origin: Origin): unknown {
  const { row, path } = origin;
  const stray = request.strays.find((each) => each.origin.row === row && isWithin(path, each.origin.path));
  const found = stray ?? blockOf(request.stored, origin);
  let value: unknown = found?.value;
  for (const key of path.slice(found?.origin.path.length)) {
    if (typeof value !== 'object' || value === null) return undefined;
    // SAFETY: what is read of an object or a list by a key is unknown again.
    value = (value as Readonly<Record<string | number, unknown>>)[key];
  }
  return value;
}

/** Longer values are not quoted by the text that takes their place. */
const MAX_QUOTED_UNITS = 2000;

/**
 * A text block in the place of something that the API does not accept. A text becomes the text of the block as it is written. Anything
 * else is quoted if it is short, so that it is still sent; a longer value is kept in a file.
 */
export function textInPlace(origin: Origin, value: unknown, keep: KeepContent, why: string): InRowEdit {
  const { row, path } = origin;
  if (typeof value === 'string') return { kind: 'wrap', row, path, before: '{"type":"text","text":', behind: '}', why };
  const to = (json: Buffer): Rewritten => {
    const quoted = json.toString('utf8');
    const text =
      quoted.length <= MAX_QUOTED_UNITS ? quoted : `[${typeOf(value)} removed; ${keep(Buffer.from(json), 'json')}]`;
    return { value: { type: 'text', text } };
  };
  return { kind: 'rewrite', row, path, to, why };
}

function typeOf(value: unknown): string {
  return (isJsonObject(value) ? stringField(value, 'type') : null) ?? 'block';
}

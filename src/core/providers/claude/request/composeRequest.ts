import { isJsonObject, type JsonObject, objectField, stringField } from '../../../util/json';
import type { RequestHistory, RequestRow } from './requestRows';
import type { Fault, Origin } from './requestRules';

/** A block of a message, and where it comes from. */
export interface SentBlock {
  readonly origin: Origin;
  readonly value: JsonObject;
  /** The content of the row is a string instead of a list of blocks. */
  readonly isString: boolean;
  /** The places in the row of the elements of a result's content, if the client leaves out others. */
  readonly innerPlaces?: readonly number[];
}

/** The path from a result to an element of its content, by the place of the element in what is sent. */
export function innerPath({ innerPlaces }: SentBlock, at: number): Origin['path'] {
  return ['content', innerPlaces?.[at] ?? at];
}

/** A message as the client forms it of rows. */
export interface RequestMessage {
  readonly role: 'user' | 'assistant' | 'system';
  /** `message.id` of the assistant's; null for others. */
  readonly id: string | null;
  readonly blocks: SentBlock[];
  readonly rows: RequestRow[];
  /** The client adds a text of its own to it. */
  isReminded?: true;
}

/** An entry of a list of blocks that is no block, which the client leaves out. */
export interface StrayEntry {
  readonly origin: Origin;
  readonly value: unknown;
}

export interface ComposedRequest {
  readonly messages: readonly RequestMessage[];
  /** Rows that report an error of the API, oldest first. They are not sent. */
  readonly errors: readonly RequestRow[];
  /** What `composeRequest` itself noticed: rows whose content is an empty list, and entries that are no blocks. */
  readonly faults: readonly Fault[];
  readonly strays: readonly StrayEntry[];
}

/**
 * The messages of the next request before the client heals them: rows of the user that follow each other are one message, and so are
 * rows of the assistant with the same id. After a run of user rows that attachments follow, one message of the system counts, too.
 * Marker rows take away what the client leaves out because of them. (docs/format.md, "Refused requests")
 */
export function composeRequest({ rows }: Pick<RequestHistory, 'rows'>): ComposedRequest {
  const messages: RequestMessage[] = [];
  const errors: RequestRow[] = [];
  const faults: Fault[] = [];
  const strays: StrayEntry[] = [];
  const hollow: { readonly message: RequestMessage; readonly fault: Fault }[] = [];
  const healed = new Set<number>();
  const open = new Map<string, RequestMessage>();
  for (const row of rows) {
    if (row.kind === 'attachment') {
      const before = messages.findLast(({ role }) => role !== 'system');
      if (row.isOfUser === true && before?.role === 'user') before.isReminded = true;
      if (messages.at(-1)?.role === 'user') messages.push({ role: 'system', id: null, blocks: [], rows: [row] });
      if (isThinkingMarker(row)) stripThinking(messages);
      continue;
    }
    if (row.kind === 'error') {
      errors.push(row);
      removeMedia(row, messages, healed);
      continue;
    }
    const content = contentOf(row);
    if (content === null) continue;
    const { blocks } = content;
    strays.push(...content.strays);
    faults.push(...content.strays.map(({ origin }): Fault => ({ rule: 'stray-entry', origin })));
    const isEmpty = blocks.length === 0 && content.strays.length === 0;
    const nothing: Fault = { rule: 'no-blocks', origin: originOf(row, ['message', 'content']) };
    if (blocks.length === 0 && row.kind === 'user') {
      if (isEmpty) faults.push(nothing);
      continue;
    }
    const message = messageFor(row, messages, open);
    if (isEmpty) hollow.push({ message, fault: nothing });
    message.blocks.push(...blocks);
    message.rows.push(row);
  }
  // A row without content is nothing to speak of if its message has other rows.
  faults.push(...hollow.flatMap(({ message, fault }) => (message.blocks.length === 0 ? [fault] : [])));
  return { messages, errors, faults, strays };
}

/** Whether the row is the client's mark that no thinking before it is sent. */
function isThinkingMarker({ object }: RequestRow): boolean {
  const attachment = object === null ? null : objectField(object, 'attachment');
  return attachment?.['type'] === 'thinking_stripped';
}

export function isThinking({ value }: SentBlock): boolean {
  return value['type'] === 'thinking' || value['type'] === 'redacted_thinking';
}

function stripThinking(messages: readonly RequestMessage[]): void {
  for (const { blocks } of messages) keepOnly(blocks, (block) => !isThinking(block));
}

/** The client leaves out all media of the nearest row before its mark that has some, unless an earlier mark did so. */
function removeMedia({ object }: RequestRow, messages: readonly RequestMessage[], healed: Set<number>): void {
  const isMark =
    object?.['apiError'] === 'media_removed' &&
    object['healsDistinctCarrier'] === true &&
    typeof object['errorDetails'] === 'string';
  if (!isMark) return;
  const media = objectField(object, 'apiErrorParams')?.['media'] === 'document' ? 'document' : 'image';
  for (const message of [...messages].reverse()) {
    if (message.role !== 'user') continue;
    const carriers = message.blocks.filter(({ value, origin }) => !healed.has(origin.row) && holds(value, media));
    const row = carriers.at(-1)?.origin.row;
    if (row === undefined) continue;
    healed.add(row);
    message.blocks.splice(0, Infinity, ...message.blocks.map((block) => withoutMedia(block, row, media)));
    return;
  }
}

function holds({ type, content }: JsonObject, media: string): boolean {
  return (
    type === media ||
    (Array.isArray(content) && content.some((inner) => isJsonObject(inner) && inner['type'] === media))
  );
}

function withoutMedia(block: SentBlock, row: number, media: string): SentBlock {
  const { origin, value } = block;
  if (origin.row !== row || !holds(value, media)) return block;
  const text = { type: 'text', text: `(${media} removed)` };
  if (value['type'] === media) return { ...block, value: text };
  const inner: readonly unknown[] = Array.isArray(value['content']) ? value['content'] : [];
  const content = inner.map((each) => (isJsonObject(each) && each['type'] === media ? text : each));
  return { ...block, value: { ...value, content } };
}

/** @param open the messages of the assistant by their ids, since the last message of the user without results */
function messageFor(row: RequestRow, messages: RequestMessage[], open: Map<string, RequestMessage>): RequestMessage {
  const last = messages.findLast(({ role }) => role !== 'system');
  if (row.kind !== 'assistant') {
    if (last?.role === 'user') return last;
    const message: RequestMessage = { role: 'user', id: null, blocks: [], rows: [] };
    messages.push(message);
    return message;
  }
  const isPrompted = last?.role === 'user' && !last.blocks.some(({ value }) => value['type'] === 'tool_result');
  if (isPrompted) open.clear();
  const id = stringField(objectField(row.object ?? {}, 'message') ?? {}, 'id');
  const known = id === null ? undefined : open.get(id);
  if (known !== undefined) return known;
  const message: RequestMessage = { role: 'assistant', id, blocks: [], rows: [] };
  if (id !== null) open.set(id, message);
  messages.push(message);
  return message;
}

interface RowContent {
  readonly blocks: SentBlock[];
  readonly strays: readonly StrayEntry[];
}

/** Null if the row has no message. */
function contentOf(row: RequestRow): RowContent | null {
  const { object, kind } = row;
  if (object === null) return null;
  const isOutput = kind === 'output';
  const path = isOutput ? ['content'] : ['message', 'content'];
  const content = isOutput ? object['content'] : objectField(object, 'message')?.['content'];
  if (typeof content === 'string') {
    const block = { origin: originOf(row, path), value: { type: 'text', text: content }, isString: true };
    return { blocks: [block], strays: [] };
  }
  if (!Array.isArray(content)) return null;
  const list: readonly unknown[] = content;
  const blocks: SentBlock[] = [];
  const strays: StrayEntry[] = [];
  for (const [at, value] of list.entries()) {
    const origin = originOf(row, [...path, at]);
    if (isJsonObject(value) && typeof value['type'] === 'string') blocks.push({ origin, value, isString: false });
    else strays.push({ origin, value });
  }
  return { blocks, strays };
}

function originOf({ row, line }: RequestRow, path: Origin['path']): Origin {
  return { row, line, path };
}

/** Removes the other elements of the list. */
export function keepOnly<T>(list: T[], isKept: (each: T) => boolean): void {
  const kept = list.filter(isKept);
  if (kept.length < list.length) list.splice(0, list.length, ...kept);
}

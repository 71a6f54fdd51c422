import { isJsonObject, type JsonObject, objectField, stringField } from '../../../util/json';
import { plainModel } from '../format/contextWindow';
import { type ComposedRequest, isThinking, keepOnly, type RequestMessage, type SentBlock } from './composeRequest';
import type { RequestRow } from './requestRows';
import type { Fault, RuleName } from './requestRules';

export interface HealedRequest {
  readonly messages: readonly RequestMessage[];
  /** What the client mends. */
  readonly faults: readonly Fault[];
}

/**
 * Mends the messages in the way in which the client does before it sends them. The given messages are changed in place.
 * (docs/format.md, "Refused requests")
 */
export function healRequest({ messages, faults: noticed }: ComposedRequest, model: string | null): HealedRequest {
  const faults: Fault[] = [...noticed];
  const report = (rule: RuleName, block: SentBlock, ...also: readonly SentBlock[]): false => {
    faults.push({ rule, origin: block.origin, also: also.map(({ origin }) => origin) });
    return false;
  };
  dropForeignThinking(messages, model);
  for (const message of messages) {
    reportHalves(message, report);
    mendResults(message, report);
    dropEmptyTexts(message, report);
  }
  pairCalls(messages, report);
  pairServerCalls(messages, report);
  messages.forEach(dropUnanswered);
  const answered = messages.filter(({ rows }) => !rows.every((row) => row.isUnanswered === true));
  const sent = joinMessages(answered.filter((message) => !isLoneThinking(message, report)));
  for (const message of sent) {
    if (message.role !== 'user') continue;
    dropBlankPrompts(message, report);
    resultsFirst(message);
  }
  return { messages: sent, faults };
}

/** Returns false, so that it can end a filter. */
type Report = (rule: RuleName, block: SentBlock, ...also: readonly SentBlock[]) => false;

/** Thinking is sent only to the model that wrote it. Nothing is reported: the person chose another model. */
function dropForeignThinking(messages: readonly RequestMessage[], model: string | null): void {
  for (const { role, blocks, rows } of messages) {
    if (role !== 'assistant' || !blocks.some(isThinking)) continue;
    const foreign = new Set(rows.filter((row) => isOfOther(modelOfRow(row), model)).map(({ row }) => row));
    keepOnly(blocks, (block) => !isThinking(block) || !foreign.has(block.origin.row));
  }
}

/** The client's default is not known, so nothing counts as its own. */
function isOfOther(own: string | null, model: string | null): boolean {
  return own !== null && (model === null || plainModel(own) !== model);
}

function modelOfRow({ object }: RequestRow): string | null {
  return object === null ? null : stringField(objectField(object, 'message') ?? {}, 'model');
}

const HALF = /\p{Surrogate}/u;

/** The client writes U+FFFD for half of a surrogate pair. */
function reportHalves({ rows, blocks }: RequestMessage, report: Report): void {
  const halved = new Set(rows.filter(({ mayBeHalved }) => mayBeHalved).map(({ row }) => row));
  if (halved.size === 0) return;
  for (const block of blocks) if (halved.has(block.origin.row) && hasHalf(block.value)) report('lone-surrogate', block);
}

function hasHalf(value: unknown): boolean {
  if (typeof value === 'string') return HALF.test(value);
  if (Array.isArray(value)) return value.some(hasHalf);
  return isJsonObject(value) && Object.entries(value).some(([key, each]) => HALF.test(key) || hasHalf(each));
}

/** An object as a result becomes its text, and a result that is an error loses everything but its texts. */
function mendResults({ blocks }: RequestMessage, report: Report): void {
  for (const [at, block] of blocks.entries()) {
    const { value } = block;
    if (value['type'] !== 'tool_result') continue;
    const { content } = value;
    if (isJsonObject(content)) {
      report('result-object', block);
      blocks[at] = { ...block, value: { ...value, content: JSON.stringify(content) } };
    } else if (Boolean(value['is_error']) && Array.isArray(content) && !content.every(isText)) {
      const list: readonly unknown[] = content;
      // The client does not survive this one: `judgeRequest` reports it.
      if (list.includes(null)) continue;
      report('error-with-others', block);
      const innerPlaces = [...list.keys()].filter((place) => isText(list[place]));
      blocks[at] = { ...block, value: { ...value, content: innerPlaces.map((place) => list[place]) }, innerPlaces };
    }
  }
}

function isText(inner: unknown): boolean {
  return isJsonObject(inner) && inner['type'] === 'text';
}

export function isMedia(inner: unknown): inner is JsonObject {
  return isJsonObject(inner) && (inner['type'] === 'image' || inner['type'] === 'document');
}

/** Only in lists of blocks: a prompt that is a string stays as it is as long as it is a message of its own. */
function dropEmptyTexts({ blocks }: RequestMessage, report: Report): void {
  keepOnly(blocks, (block) => {
    const { value, isString } = block;
    if (value['type'] !== 'text' || isString || !isEmptyText(value['text'])) return true;
    return report(value['cache_control'] === undefined ? 'text-empty' : 'text-empty-cached', block);
  });
}

/** Rows that become one message become a list of blocks, too, and so does one to which the client adds a text. */
function dropBlankPrompts({ rows, blocks, isReminded }: RequestMessage, report: Report): void {
  if (new Set(rows).size < 2 && isReminded !== true) return;
  keepOnly(blocks, (block) => !block.isString || !isEmptyText(block.value['text']) || report('text-empty', block));
}

export function isEmptyText(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === '';
}

/**
 * A call is sent once, and with its result in the message behind it. What has no counterpart there is left out; calls with which the
 * history ends are kept, and answered by the client.
 */
function pairCalls(messages: readonly RequestMessage[], report: Report): void {
  const talk = messages.filter(({ role }) => role !== 'system');
  const answered = new Set(talk.flatMap(({ role, blocks }) => (role === 'user' ? blocks.flatMap(resultId) : [])));
  const called = new Map<string, SentBlock>();
  for (const [at, message] of talk.entries()) {
    if (message.role === 'assistant') {
      keepOnly(message.blocks, (block) => {
        const id = callId(block);
        if (id === null) return true;
        const first = called.get(id);
        if (first !== undefined) return report('call-id-twice', block, first);
        if (!answered.has(id) && !isOpen(talk, at)) return report('call-alone', block);
        called.set(id, block);
        return true;
      });
      continue;
    }
    dropStrayResults(message, talk[at - 1], called, report);
  }
}

/** Whether no prompt follows: the session was interrupted during the calls. */
function isOpen(talk: readonly RequestMessage[], at: number): boolean {
  return talk
    .slice(at + 1)
    .every(({ role, blocks }) => role === 'user' && blocks.every((block) => resultId(block).length > 0));
}

function dropStrayResults(
  message: RequestMessage,
  before: RequestMessage | undefined,
  called: ReadonlyMap<string, SentBlock>,
  report: Report,
): void {
  const waiting = new Set(before?.role === 'assistant' ? before.blocks.flatMap((block) => callId(block) ?? []) : []);
  const seen = new Set<string>();
  keepOnly(message.blocks, (block) => {
    for (const id of resultId(block)) {
      if (seen.has(id)) return report('result-twice', block);
      seen.add(id);
      if (waiting.has(id)) continue;
      const call = called.get(id);
      return call === undefined ? report('result-alone', block) : report('result-misplaced', block, call);
    }
    return true;
  });
}

/** The id of a call of a tool; null if the block is none. */
export function callId({ value }: SentBlock): string | null {
  return value['type'] === 'tool_use' ? stringField(value, 'id') : null;
}

/** At most one. */
export function resultId({ value }: SentBlock): readonly string[] {
  return value['type'] === 'tool_result' ? [stringField(value, 'tool_use_id') ?? ''] : [];
}

/**
 * A call of the API's own tools needs its result in the same message, or it is left out. Its result in another message stays, and is
 * refused. Of the advisor, which is off by default, nothing is sent at all.
 */
function pairServerCalls(messages: readonly RequestMessage[], report: Report): void {
  for (const { role, blocks } of messages) {
    if (role !== 'assistant' || !blocks.some(({ value }) => isServerCall(value) || isServerResult(value))) continue;
    const answered = new Set(blocks.flatMap(({ value }) => (isServerResult(value) ? [value['tool_use_id']] : [])));
    keepOnly(blocks, (block) => {
      const { value } = block;
      if (isServerCall(value) && !answered.has(value['id'])) return report('server-call-alone', block);
      return !isOfAdvisor(value);
    });
  }
}

function isOfAdvisor({ type, name }: JsonObject): boolean {
  return type === 'advisor_tool_result' || (type === 'server_tool_use' && name === 'advisor');
}

export function isServerCall({ type }: JsonObject): boolean {
  return type === 'server_tool_use';
}

export function isServerResult({ type, tool_use_id: id }: JsonObject): boolean {
  return typeof type === 'string' && type !== 'tool_result' && type.endsWith('_tool_result') && typeof id === 'string';
}

/** What is beside a call without a result is left out with it. */
function dropUnanswered({ rows, blocks }: RequestMessage): void {
  const unanswered = new Set(rows.filter((each) => each.isUnanswered === true).map(({ row }) => row));
  if (unanswered.size > 0) keepOnly(blocks, (block) => !unanswered.has(block.origin.row));
}

/** The client leaves out a message that holds nothing but thinking. */
function isLoneThinking({ role, blocks }: RequestMessage, report: Report): boolean {
  const [first] = blocks;
  if (role !== 'assistant' || first === undefined || !blocks.every(isThinking)) return false;
  report('thinking-alone', first);
  return true;
}

/** Messages of the user that follow each other are one. */
function joinMessages(messages: readonly RequestMessage[]): readonly RequestMessage[] {
  const joined: RequestMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role !== 'user' || message.role !== 'user') {
      joined.push(message);
      continue;
    }
    last.blocks.push(...message.blocks);
    last.rows.push(...message.rows);
    if (message.isReminded === true) last.isReminded = true;
  }
  return joined;
}

/** Where rows of the user are joined, results go before everything else. A message of one row stays as it is. */
function resultsFirst({ blocks }: RequestMessage): void {
  const isResult = (block: SentBlock): boolean => resultId(block).length > 0;
  const rows = new Set(blocks.map(({ origin }) => origin.row));
  if (rows.size < 2 || !blocks.some(isResult)) return;
  const ordered = [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
  blocks.splice(0, blocks.length, ...ordered);
}

import { isJsonObject, type JsonObject } from '../../../util/json';
import { composeRequest, type ComposedRequest, innerPath, type RequestMessage, type SentBlock } from './composeRequest';
import { healRequest, isEmptyText, isServerCall, isServerResult, resultId } from './healRequest';
import { imageFacts } from './imageFacts';
import type { RequestHistory } from './requestRows';
import type { Fault, Origin, RuleName } from './requestRules';

export interface JudgedRequest extends ComposedRequest {
  /** What the client mends, and what the API refuses, in the order of the messages within each. */
  readonly faults: readonly Fault[];
  /** The messages before the client mends them, with what it leaves out. */
  readonly stored: readonly RequestMessage[];
}

/** Composes the next request of a history, mends it as the client does, and judges the rest by the rules of the API. */
export function judgeRequest(history: Pick<RequestHistory, 'model' | 'rows'>): JudgedRequest {
  const composed = composeRequest(history);
  const stored = composed.messages.map((message) => ({
    ...message,
    blocks: [...message.blocks],
    rows: [...message.rows],
  }));
  const { messages, faults } = healRequest(composed, history.model);
  return { ...composed, messages, stored, faults: [...faults, ...refusedBlocks(messages)] };
}

const BLOCK_TYPES: ReadonlySet<unknown> = new Set([
  ...['text', 'image', 'document', 'search_result', 'thinking', 'redacted_thinking', 'tool_use', 'tool_result'],
  ...['server_tool_use', 'web_search_tool_result', 'web_fetch_tool_result', 'code_execution_tool_result'],
  ...['bash_code_execution_tool_result', 'text_editor_code_execution_tool_result', 'tool_search_tool_result'],
  ...['advisor_tool_result', 'mcp_tool_use', 'mcp_tool_result', 'container_upload', 'compaction', 'mid_conv_system'],
]);
const INNER_TYPES: ReadonlySet<unknown> = new Set(['text', 'image', 'document', 'search_result', 'tool_reference']);

/** The fields of blocks. Blocks of other types are not compared. */
const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  text: new Set(['type', 'text', 'cache_control', 'citations']),
  thinking: new Set(['type', 'thinking', 'signature']),
  redacted_thinking: new Set(['type', 'data']),
  tool_use: new Set(['type', 'id', 'name', 'input', 'cache_control', 'caller']),
  tool_result: new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control']),
  image: new Set(['type', 'source', 'cache_control']),
};

const TOOL_ID = /^[a-zA-Z0-9_-]+$/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const SERVER_ID = /^srvtoolu_[a-zA-Z0-9_]+$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const IMAGE_TYPES: ReadonlySet<unknown> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

const MAX_CACHED = 4;
/** The client itself marks up to three blocks of a request. */
const CACHED_BY_CLIENT = 3;
/** Characters of base64. */
const MAX_IMAGE_UNITS = 5 * 1024 * 1024;
const MAX_PIXELS = 8000;
const MAX_PIXELS_OF_MANY = 2000;
/** With more images than this, each may have fewer pixels. */
const FEW_IMAGES = 20;
const MAX_IMAGES = 100;
const MAX_PAGES = 100;

type Report = (rule: RuleName, origin: Origin, ...also: readonly Origin[]) => void;

/** What the API refuses in messages that the client has mended. */
function refusedBlocks(messages: readonly RequestMessage[]): Fault[] {
  const faults: Fault[] = [];
  const report: Report = (rule, origin, ...also) => faults.push({ rule, origin, also });
  const totals = new Totals();
  let calls: readonly SentBlock[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    for (const block of message.blocks) judgeBlock(block, totals, report);
    if (message.role === 'user') judgeOrder(message, calls, report);
    else judgeServerResults(message, report);
    calls = message.blocks.filter(({ value }) => value['type'] === 'tool_use');
  }
  totals.judge(report);
  return faults;
}

/** What is limited over all messages. */
class Totals {
  readonly cached: Origin[] = [];
  readonly images: { readonly origin: Origin; readonly pixels: number }[] = [];
  pages = 0;

  judge(report: Report): void {
    const [firstCached, ...otherCached] = this.cached;
    if (firstCached !== undefined && this.cached.length + CACHED_BY_CLIENT > MAX_CACHED) {
      report('cache-count', firstCached, ...otherCached);
    }
    const surplus = Math.max(0, this.images.length + this.pages - MAX_IMAGES);
    const [firstSurplus, ...otherSurplus] = this.images.slice(0, surplus);
    if (firstSurplus !== undefined) {
      report('image-count', firstSurplus.origin, ...otherSurplus.map(({ origin }) => origin));
    }
    if (this.images.length > FEW_IMAGES) {
      for (const { origin, pixels } of this.images) if (pixels > MAX_PIXELS_OF_MANY) report('image-pixels', origin);
    }
  }
}

function judgeBlock(block: SentBlock, totals: Totals, report: Report): void {
  const { origin, value, isString } = block;
  if (value['cache_control'] !== undefined && value['cache_control'] !== null && value['type'] !== 'thinking') {
    totals.cached.push(origin);
  }
  const { type } = value;
  if (!BLOCK_TYPES.has(type)) {
    report('block-type', origin);
    return;
  }
  judgeFields(block, report);
  switch (type) {
    case 'text':
      if (isString && value['text'] === '') report('prompt-empty', origin);
      else if (isString && isEmptyText(value['text'])) report('prompt-blank', origin);
      return;
    case 'thinking':
      if (typeof value['thinking'] !== 'string') report('thinking-text', origin);
      if (typeof value['signature'] !== 'string' || value['signature'] === '') report('thinking-unsigned', origin);
      return;
    case 'redacted_thinking':
      if (textOf(value['data']) === '') report('thinking-unsigned', origin);
      return;
    case 'tool_use':
      if (!TOOL_ID.test(textOf(value['id']))) report('tool-id', below(origin, 'id'));
      if (!TOOL_NAME.test(textOf(value['name']))) report('tool-name', below(origin, 'name'));
      if (!isJsonObject(value['input'])) report('tool-input', below(origin, 'input'));
      return;
    case 'server_tool_use':
      if (!SERVER_ID.test(textOf(value['id']))) report('server-id', below(origin, 'id'));
      return;
    case 'tool_result':
      judgeResult(block, totals, report);
      return;
    case 'image':
    case 'document':
      judgeMedia(value, origin, totals, report);
      return;
    default:
      return;
  }
}

function judgeFields({ origin, value }: SentBlock, report: Report): void {
  const type = textOf(value['type']);
  const known = FIELDS[type];
  if (known === undefined) return;
  for (const field of Object.keys(value)) {
    if (known.has(field)) continue;
    report(type.endsWith('thinking') ? 'thinking-field' : 'extra-field', below(origin, field));
  }
}

function judgeResult(block: SentBlock, totals: Totals, report: Report): void {
  const { origin, value } = block;
  const { content, is_error: isError } = value;
  const isEmpty = content === undefined || content === '' || (Array.isArray(content) && content.length === 0);
  if (isError === true && isEmpty) report('error-empty', origin);
  if (!Array.isArray(content)) return;
  const list: readonly unknown[] = content;
  if (Boolean(isError) && list.includes(null)) {
    report('error-null', origin);
    return;
  }
  for (const [at, inner] of list.entries()) {
    const place = below(origin, ...innerPath(block, at));
    if (!isJsonObject(inner)) {
      report('inner-type', place);
      continue;
    }
    if (inner['cache_control'] !== undefined && inner['cache_control'] !== null) totals.cached.push(place);
    if (!INNER_TYPES.has(inner['type'])) report('inner-type', place);
    else if (inner['type'] === 'text' && isEmptyText(inner['text'])) report('inner-text-empty', place);
    else judgeMedia(inner, place, totals, report);
  }
}

function judgeMedia(value: JsonObject, origin: Origin, totals: Totals, report: Report): void {
  const source = value['source'];
  if (!isJsonObject(source)) return;
  const data = textOf(source['data']);
  if (value['type'] === 'image') {
    const judged = source['type'] === 'base64' ? judgeImage(textOf(source['media_type']), data) : { pixels: 0 };
    totals.images.push({ origin, pixels: judged.pixels });
    if (judged.rule !== undefined) report(judged.rule, origin);
  } else if (value['type'] === 'document' && source['type'] === 'base64') {
    const { pages, isRefused } = readPdf(data);
    totals.pages += pages;
    if (isRefused) report('document', origin);
  }
}

/** Bytes of an image in which its size and its end are looked for; its data is decoded only as far. */
function judgeImage(mediaType: string, data: string): { readonly rule?: RuleName; readonly pixels: number } {
  if (!IMAGE_TYPES.has(mediaType)) return { rule: 'image-type', pixels: 0 };
  if (data === '' || !BASE64.test(data) || data.length % 4 === 1) return { rule: 'image-data', pixels: 0 };
  if (data.length > MAX_IMAGE_UNITS) return { rule: 'image-bytes', pixels: 0 };
  const facts = imageFacts(Buffer.from(data, 'base64'));
  if (facts === null) return { rule: 'image-unreadable', pixels: 0 };
  if (facts.mediaType !== mediaType) return { rule: 'image-mismatch', pixels: 0 };
  if (facts.pixels > MAX_PIXELS) return { rule: 'image-pixels', pixels: 0 };
  return { pixels: facts.pixels };
}

function readPdf(data: string): { readonly pages: number; readonly isRefused: boolean } {
  const text = Buffer.from(data, 'base64').toString('latin1');
  const pages = text.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  return { pages, isRefused: !text.startsWith('%PDF-') || /\/Encrypt\b/.test(text) || pages > MAX_PAGES };
}

/** The results of the calls before must come before everything else. Only a message of one row can be in another order. */
function judgeOrder({ blocks }: RequestMessage, calls: readonly SentBlock[], report: Report): void {
  const waiting = new Map(calls.map((call) => [textOf(call.value['id']), call]));
  let behind: SentBlock | null = null;
  const reported = new Set<number>();
  for (const block of blocks) {
    const [id] = resultId(block);
    if (id === undefined) {
      behind ??= block;
      continue;
    }
    const call = waiting.get(id);
    if (behind === null || call === undefined || reported.has(block.origin.row)) continue;
    reported.add(block.origin.row);
    report('result-behind-text', block.origin, call.origin);
  }
}

function judgeServerResults({ blocks }: RequestMessage, report: Report): void {
  const calls = new Set<unknown>();
  for (const { value, origin } of blocks) {
    if (isServerCall(value)) calls.add(value['id']);
    else if (isServerResult(value) && !calls.has(value['tool_use_id'])) report('server-result-alone', origin);
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function below({ row, line, path }: Origin, ...keys: readonly (string | number)[]): Origin {
  return { row, line, path: [...path, ...keys] };
}

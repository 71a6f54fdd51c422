import { type FileHandle } from 'node:fs/promises';
import type { ContentBlock, ItemRole } from '../../protocol/conversation';
import type { ConversationEnd } from '../../protocol/message';
import type { TranscriptTail } from '../../protocol/sessionInfo';
import { CHAIN_ROW_TYPES, CLOSING_ROW_TYPE, COMPACT_BOUNDARY } from '../providers/claude/format/rowTypes';
import { dissectLine } from '../transcript/dissectLine';
import { isJsonObject, type JsonObject, objectField, parseObject, stringField } from '../util/json';
import { openRegularHandle, readFileEnd } from '../util/openForeignFile';
import { describeRow } from './items/describeRow';
import { bareContext } from './items/rowContext';

/** Number of bytes read from the end, increased in steps until they contain enough rows. */
const TAIL_BYTES = [128 * 1024, 1024 * 1024, 4 * 1024 * 1024];
/** Longer than the row with which the client ends a session. */
const CLOSING_BYTES = 64 * 1024;
const NEWLINE = 10;

/** Rows of the conversation tree; `progress` rows between them carry no content. */
const TREE_TYPES: ReadonlySet<unknown> = new Set(CHAIN_ROW_TYPES);

/**
 * How a conversation ends, inferred from the end of its transcript alone; `SessionReader` infers the
 * same from the whole transcript.
 * @param leafUuid uuid of the row that a resume continues from
 * @returns null if the end cannot be read. Never rejects. Line numbers are counted from the part that was read.
 */
export async function readTranscriptEnd(filePath: string, leafUuid: string): Promise<TranscriptTail | null> {
  let file: FileHandle | null = null;
  try {
    const opened = await openRegularHandle(filePath);
    file = opened.file;
    const { size } = opened;
    for (const bytes of TAIL_BYTES) {
      const isWhole = bytes >= size;
      const isLast = isWhole || bytes === TAIL_BYTES.at(-1);
      const chain = chainTo(leafUuid, await readTail(file, isWhole ? 0 : size - bytes, size));
      if (chain.length >= END_ROWS || isLast) {
        return { ...describeEnd(chain.slice(-END_ROWS)), isClosed: isClosed(filePath) };
      }
    }
    return null;
  } catch {
    return null;
  } finally {
    await file?.close().catch(() => undefined);
  }
}

/** @param ends the last rows of a chain, oldest first */
export function describeEnd(ends: readonly EndRow[]): Omit<TranscriptTail, 'isClosed'> {
  const end = inferEnd(ends);
  const call = end.kind === 'waitingOnTool' ? lastCall(ends, end.calls.at(-1)?.id ?? null) : null;
  return { end, call, entrypoint: lastText(ends, 'entrypoint') };
}

function lastText(ends: readonly EndRow[], field: string): string | null {
  return ends.map(({ object }) => stringField(object, field)).findLast((text) => text !== null) ?? null;
}

/** A call as one line, such as `Bash: npm test`. */
function lastCall(ends: readonly EndRow[], id: string | null): string | null {
  for (const { object, line } of ends.toReversed()) {
    for (const block of describeRow(object, bareContext(line)).blocks) {
      if (block.kind !== 'tool' || block.id !== id) continue;
      return block.title === '' ? block.name : `${block.name}: ${block.title}`;
    }
  }
  return null;
}

/**
 * Whether the client has written the row with which it ends a session, and no later run has begun. The result of a command that
 * ends with the client can follow that row.
 */
export function isClosed(filePath: string): boolean {
  try {
    const lines = readFileEnd(filePath, CLOSING_BYTES).bytes.toString('utf8').split('\n').reverse();
    for (const line of lines) {
      const row = parseObject(line);
      if (row === null) continue;
      if (row['type'] === CLOSING_ROW_TYPE) return true;
      if (
        row['type'] === 'assistant' ||
        (row['type'] === 'user' && idsIn(row, 'tool_result', 'tool_use_id').length === 0)
      )
        return false;
    }
    return false;
  } catch {
    return false;
  }
}

/** The chain rows of complete lines, in file order. */
async function readTail(file: FileHandle, start: number, end: number): Promise<EndRow[]> {
  const bytes = Buffer.allocUnsafe(end - start);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  const window = bytes.subarray(0, bytesRead);
  const rows: EndRow[] = [];
  let from = start === 0 ? 0 : window.indexOf(NEWLINE) + 1;
  if (start > 0 && from === 0) return [];
  for (let line = 1; from < window.length; line++) {
    const newline = window.indexOf(NEWLINE, from);
    const to = newline < 0 ? window.length : newline;
    for (const { object, visibility } of dissectLine(window.subarray(from, to), start === 0 && from === 0).objects) {
      if (visibility !== 'never' && TREE_TYPES.has(object['type'])) rows.push({ line, object });
    }
    from = to + 1;
  }
  return rows;
}

/** The ancestors of the leaf, and the rows of parallel calls, in file order. */
function chainTo(leafUuid: string, rows: readonly EndRow[]): EndRow[] {
  const byUuid = new Map<string | null, JsonObject>();
  for (const { object } of rows) byUuid.set(stringField(object, 'uuid'), object);
  byUuid.delete(null);
  const chain = new Set<JsonObject>();
  for (let row = byUuid.get(leafUuid); row !== undefined && !chain.has(row);) {
    chain.add(row);
    row = byUuid.get(stringField(row, 'parentUuid') ?? stringField(row, 'logicalParentUuid'));
  }
  const messages = new Set([...chain].map(messageOf));
  messages.delete(null);
  const calls = new Set<string>();
  return rows.filter(({ object }) => {
    const isKept =
      chain.has(object) ||
      messages.has(messageOf(object)) ||
      idsIn(object, 'tool_result', 'tool_use_id').some((id) => calls.has(id));
    if (isKept) for (const id of idsIn(object, 'tool_use', 'id')) calls.add(id);
    return isKept && object['type'] !== 'progress';
  });
}

/** Id of the message that an assistant row belongs to. */
function messageOf(row: JsonObject): string | null {
  return row['type'] === 'assistant' ? stringField(objectField(row, 'message') ?? {}, 'id') : null;
}

function idsIn(row: JsonObject, type: string, key: string): string[] {
  const content = objectField(row, 'message')?.['content'];
  if (!Array.isArray(content)) return [];
  return (content as readonly unknown[]).flatMap((block) =>
    isJsonObject(block) && block['type'] === type ? (stringField(block, key) ?? []) : [],
  );
}

/** A row at the end of a conversation. */
export interface EndRow {
  readonly line: number;
  readonly object: JsonObject;
}

/** Number of rows at the end of a chain from which its end is inferred. */
export const END_ROWS = 60;

/** Maximum number of calls in an end. */
const MAX_CALLS = 20;

type Waiting = ConversationEnd & { readonly kind: 'waitingOnTool' };

/**
 * Infers how a conversation ends from the last rows of its chain, oldest first: calls without a
 * result come first, then the last conclusive row. Rows that the client writes for itself are ignored, and so are
 * commands that were not sent to Claude.
 */
export function inferEnd(rows: readonly EndRow[]): ConversationEnd {
  const said = withoutLocalCommands(rows);
  const waiting = openCalls(said);
  for (const row of said.toReversed()) {
    const state = stateAt(row, waiting);
    if (state === null) continue;
    return row.object['isCompactSummary'] && isCompactedByHand(said, row) ? { kind: 'ended' } : state;
  }
  return { kind: 'empty' };
}

/** Null for a row without content. */
function stateAt(row: EndRow, waiting: Waiting): ConversationEnd | null {
  const { role, blocks } = describeRow(row.object, bareContext(row.line));
  for (const block of [...blocks].reverse()) {
    const state = stateOf(block, role, row, waiting);
    if (state !== null) return state;
  }
  return null;
}

/** Null for a block that says nothing about the state. */
function stateOf(
  block: ContentBlock,
  role: ItemRole,
  { line, object }: EndRow,
  waiting: Waiting,
): ConversationEnd | null {
  switch (block.kind) {
    case 'interruption':
      return { kind: 'interrupted', by: 'person', duringTool: block.duringTool, line };
    case 'error':
      // Other errors of the client, for example if an editor cannot be reached, do not concern the reply.
      if (role === 'system' && object['subtype'] !== 'api_error') return null;
      return { kind: 'apiError', text: block.body.text, line };
    case 'tool':
      if (waiting.calls.length > 0) return waiting;
      return { kind: 'interrupted', by: 'unknown', duringTool: false, line };
    case 'result':
      // Another one of several parallel calls may lack a result.
      if (waiting.calls.length > 0) return waiting;
      return { kind: 'interrupted', by: isRejection(object) ? 'person' : 'unknown', duringTool: true, line };
    case 'text':
    case 'image':
    case 'summary':
      if (role === 'assistant') return { kind: 'ended' };
      if (role !== 'user' && role !== 'attachment') return null;
      return { kind: 'interrupted', by: 'unknown', duringTool: false, line };
    case 'thinking':
      // The reply after it is missing.
      return { kind: 'interrupted', by: 'unknown', duringTool: false, line };
    case 'compaction':
    case 'note':
    case 'raw':
      return null;
  }
}

/** A compaction that a person requested was the only task; an automatic one interrupts other work. */
function isCompactedByHand(rows: readonly EndRow[], summary: EndRow): boolean {
  const before = rows.slice(0, rows.indexOf(summary)).findLast(({ object }) => object['subtype'] === COMPACT_BOUNDARY);
  return objectField(before?.object ?? {}, 'compactMetadata')?.['trigger'] === 'manual';
}

/** The calls of the last message that no later row answers. */
function openCalls(rows: readonly EndRow[]): Waiting {
  const open = new Map<string, { id: string; name: string; line: number }>();
  let messageId: string | null = null;
  for (const { line, object } of rows) {
    const message = objectField(object, 'message');
    const content = message?.['content'];
    const blocks = Array.isArray(content) ? (content as readonly unknown[]).filter(isJsonObject) : [];
    if (object['type'] === 'assistant') {
      // Claude continues only with all results, so it continued without those of earlier calls.
      const id = message === null ? null : stringField(message, 'id');
      if (id !== messageId) open.clear();
      messageId = id;
    } else if (object['type'] === 'user' && isPrompt(object, blocks)) {
      open.clear();
    }
    for (const block of blocks) {
      const id = stringField(block, 'id');
      if (block['type'] === 'tool_use' && id !== null) {
        open.set(id, { id, name: stringField(block, 'name') ?? '', line });
      }
      if (block['type'] === 'tool_result') open.delete(stringField(block, 'tool_use_id') ?? '');
    }
  }
  return { kind: 'waitingOnTool', calls: [...open.values()].slice(0, MAX_CALLS) };
}

/**
 * Whether the row ends the wait for results: it is neither a result nor text that a call adds, such as a skill's text,
 * which contains the id of its call.
 */
function isPrompt(row: JsonObject, blocks: readonly JsonObject[]): boolean {
  return !blocks.some((block) => block['type'] === 'tool_result') && stringField(row, 'sourceToolUseID') === null;
}

/** Whether a person rejected the call. */
function isRejection(row: JsonObject): boolean {
  const said = row['toolUseResult'];
  return typeof said === 'string' && said.startsWith('User rejected');
}

/** The role of a row in a command that a person gave to the client. */
type Part = 'caveat' | 'command' | 'shell' | 'output';

const PARTS: readonly (readonly [RegExp, Part])[] = [
  [/^\s{0,100}<command-(name|message)>/, 'command'],
  [/^\s{0,100}<bash-input>/, 'shell'],
  [/^\s{0,100}<(local-command|bash)-std(out|err)>/, 'output'],
];
/** In tags since 2.1.x; clients 1.0.x and 2.0.x wrote only the text. Always `isMeta`. */
const CAVEAT = /^\s{0,100}(<local-command-caveat>|Caveat: The messages below were generated by the user)/;

/**
 * Leaves out the rows of commands that are not sent to Claude, such as `/exit`. The client announces them with a
 * caveat; a slash command with an output of its own is never sent. Client 2.1.330 sends a shell command to Claude
 * unless it writes the caveat (setting `respondToBashCommands`), and the text that `/init` and similar commands stand
 * for is a prompt.
 */
function withoutLocalCommands(rows: readonly EndRow[]): readonly EndRow[] {
  const left = new Set<EndRow>();
  let isAnnounced = false;
  let command: EndRow | null = null;
  for (const row of rows) {
    switch (partOf(row.object)) {
      case 'caveat':
        left.add(row);
        isAnnounced = true;
        command = null;
        break;
      case 'command':
        if (isAnnounced) left.add(row);
        isAnnounced = false;
        command = row;
        break;
      case 'shell':
        if (isAnnounced) left.add(row);
        isAnnounced = false;
        command = null;
        break;
      case 'output':
        if (command !== null) left.add(command);
        left.add(row);
        command = null;
        break;
      case null:
        if (!isMessage(row.object)) break;
        isAnnounced = false;
        command = null;
    }
  }
  return rows.filter((row) => !left.has(row));
}

/** Null for rows that are not part of a command. */
function partOf(row: JsonObject): Part | null {
  const text = textOf(row);
  if (text === null) return null;
  if (row['isMeta']) return CAVEAT.test(text) ? 'caveat' : null;
  return PARTS.find(([start]) => start.test(text))?.[1] ?? null;
}

/**
 * The first text of a user row, or the content of a `local_command` row: the client writes commands of either kind as
 * both.
 */
function textOf(row: JsonObject): string | null {
  if (row['type'] === 'system') return row['subtype'] === 'local_command' ? stringField(row, 'content') : null;
  if (row['type'] !== 'user') return null;
  const content = objectField(row, 'message')?.['content'];
  if (typeof content === 'string') return content;
  const first: unknown = Array.isArray(content) ? content[0] : null;
  return isJsonObject(first) ? stringField(first, 'text') : null;
}

function isMessage(row: JsonObject): boolean {
  return row['type'] === 'user' || row['type'] === 'assistant';
}

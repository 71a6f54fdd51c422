import { isMendable, type PlannedMemory } from '../../protocol/repair';
import type {
  ContentBlock,
  ConversationItem,
  ConversationView,
  CutText,
  RowItem,
  ToolResult,
} from '../../protocol/conversation';
import { losesHistory } from '../../protocol/losesHistory';
import type { Memory } from '../../protocol/memory';
import type {
  MessagePart,
  MessageRow,
  MessageToolResult,
  SessionMessage,
  SessionOverview,
} from '../../protocol/message';
import { sessionTimes } from '../diagnose/sessionTimes';
import type { Diagnostics } from '../diagnose/verdict';
import { readSessionContext } from '../providers/claude/format/sessionMetadata';
import type { Activities } from '../providers/provider';
import { NO_ID } from '../transcript/idTable';
import { RowFlag, RowKind } from '../transcript/rowFlags';
import type { ScannerFactory } from '../transcript/scanner';
import { rowAtLine, type TranscriptRows } from '../transcript/transcriptRows';
import { diskSessionFiles } from '../util/diskFiles';
import { type JsonObject, objectField, stringField } from '../util/json';
import type { Pacer } from '../util/scheduling';
import type { ItemReader } from './itemReader';
import { describeRow } from './items/describeRow';
import { bareContext } from './items/rowContext';
import { parseValuePath, valueAt } from './items/itemText';
import { countAfter, countNow, MessageCounter } from './messageCounter';
import { readText } from './rowValues';
import { describeEnd, END_ROWS, type EndRow, isClosed } from './sessionEnd';
import { SessionParts } from './sessionParts';
import type { TranscriptState } from './transcriptState';

export interface SessionReaderDeps {
  readonly filePath: string;
  readonly createScanner: ScannerFactory;
  readonly pacer: Pacer;
  readonly diagnostics?: Diagnostics;
  /** Returns what the session is doing. `end`: how its transcript ends. */
  readonly activityOf: Activities['of'];
}

/** Number of messages read at a time. */
const PAGE = 64;

/** Of the last answer: enough for what is shown of it. */
const MAX_ANSWER_CHARACTERS = 1000;

const CHAIN: ConversationView = { kind: 'chain' };

/** Reads one session: its overview and its messages. Its owner must close it. */
export class SessionReader {
  readonly #deps: SessionReaderDeps;
  readonly #parts: SessionParts;

  constructor(deps: SessionReaderDeps) {
    this.#deps = deps;
    this.#parts = new SessionParts(deps);
  }

  /**
   * Why the transcript, or anything in it, cannot be read, in one sentence for people; null if it can be read, and before the
   * first reading.
   */
  get problem(): string | null {
    return this.#parts.problem;
  }

  close(): void {
    this.#parts.close();
  }

  /** Null if the transcript cannot be read; `problem` then has the reason, and also if nothing in the transcript can be read. */
  async overview(): Promise<SessionOverview | null> {
    const { filePath } = this.#parts;
    const { id: sessionId } = this.#parts.session;
    const subagents = await this.#parts.subagentLinks();
    if (subagents === null) return null;
    const stamp = await diskSessionFiles.stamp(filePath);
    const read = await this.#parts.answers.ask((state, rows) => {
      const { result, metadata } = state.session;
      const { title, cwd, gitBranch, model, clientVersion, parentSessionId, lastMessageMs } = metadata;
      const times = sessionTimes(metadata, stamp);
      const { loads, of, client, isExact } = result.resume;
      const ends = endRows(state, rows);
      const { end, call, entrypoint } = describeEnd(ends);
      return {
        ...{ call, entrypoint, lastMessageMs },
        about: {
          sessionId,
          filePath,
          ...{ title, cwd, gitBranch, model, clientVersion, parentSessionId },
          firstPrompt: state.index.titles.firstPrompt,
          lastAnswer: lastAnswer(state, rows),
          createdMs: times.createdMs,
          updatedMs: times.lastMessageMs,
          ...countNow(state, new MessageCounter(), rows, Infinity),
          hasSummary: state.edges.hasSummary,
          ...(state.losesMessages && { losesMessages: true as const }),
          end,
          health: result.status,
          isMendable: result.findings.some(isMendable),
          resume: { loads, of, client, isExact },
          fileSize: state.index.fileSize,
          subagents,
        },
      };
    });
    if (read === null) return null;
    const { about, call, entrypoint, lastMessageMs } = read;
    const end = { end: about.end, isClosed: isClosed(filePath), entrypoint, lastMessageMs };
    const { activity, live } = await this.#deps.activityOf(filePath, end);
    return { ...about, activity, live, call: live === 'not-live' ? null : call };
  }

  /**
   * How many messages there are, and how many of them Claude remembers, now or after a repair that was planned. Null if the
   * transcript cannot be read.
   */
  async memory(plan?: PlannedMemory): Promise<Memory | null> {
    return this.#parts.answers.ask((state, rows) => {
      const counter = new MessageCounter();
      if (plan !== undefined) return { ...countAfter(plan, state, counter, rows), losesMessages: true };
      const { messages, remembered } = countNow(state, counter, rows, Infinity);
      const { edges, losesMessages } = state;
      return { messages, remembered, hasSummary: edges.hasSummary, losesMessages };
    });
  }

  /** The number of messages in a view. */
  async count(view: ConversationView = CHAIN): Promise<number> {
    return (await this.#parts.answers.ask((state) => state.order(view).count)) ?? 0;
  }

  /** The messages of a view, starting at index `from`. They are read on demand; at most `PAGE` are in memory. */
  async *messages(view: ConversationView = CHAIN, from = 0, count = Infinity): AsyncGenerator<SessionMessage> {
    const end = from + count;
    for (let at = from; at < end;) {
      const page = await this.#page(view, at, Math.min(PAGE, end - at));
      if (page.length === 0) return;
      yield* page;
      at += page.length;
    }
  }

  /** Whether Claude forgot anything above a break, which is at an index of a view. Also true if it cannot be read. */
  async losesHistory(view: ConversationView, index: number): Promise<boolean> {
    const loses = await this.#parts.answers.ask((state, rows) => {
      return losesHistoryAt(this.#parts.itemReader(state, state.order(view), rows), index);
    });
    return loses ?? true;
  }

  /** The line of the row that ends a branch, given by its uuid or its line number. Null if there is none. */
  async leafLine(leaf: string): Promise<number | null> {
    return this.#parts.answers.ask(({ index: { ids, rows } }) => {
      const line = /^\d{1,12}$/.test(leaf) ? Number(leaf) : null;
      for (let row = rows.count - 1; row >= 0; row--) {
        if (rows.kind(row) === RowKind.other) continue;
        if (line === null ? ids.text(rows.uuid(row)) === leaf : rows.line(row) === line) return rows.line(row);
      }
      return null;
    });
  }

  async #page(view: ConversationView, from: number, count: number): Promise<readonly SessionMessage[]> {
    const page = await this.#parts.answers.ask(async (state, rows, pause) => {
      const order = state.order(view);
      const reader = this.#parts.itemReader(state, order, rows);
      const source = sourceOf(rows);
      const messages: SessionMessage[] = [];
      const end = Math.min(order.count, from + count);
      for (let index = from; index < end; index++) {
        messages.push(toMessage(reader.item(index), index, source));
        if (!(await pause())) return null;
      }
      return messages;
    });
    return page ?? [];
  }
}

/** False only for a break above which nothing is lost. */
export function losesHistoryAt(reader: ItemReader, index: number): boolean {
  const item = reader.item(index);
  return item.kind !== 'break' || losesHistory(item, index === 0 ? 'nothing' : reader.item(index - 1));
}

/** Reads the whole values of the items from their rows. */
export function sourceOf(rows: TranscriptRows): MessageSource {
  return {
    row: (line): JsonObject | null => {
      const row = rowAtLine(rows.table, line);
      return row === NO_ID ? (rows.objectsOfLine(line)[0] ?? null) : rows.object(row);
    },
    text: (line, path) => readText(rows, line, path),
  };
}

/** The beginning of the last text that Claude wrote in the resumed chain. */
function lastAnswer(state: TranscriptState, rows: TranscriptRows): string | null {
  const { table } = rows;
  const order = state.order(CHAIN);
  const isMainChain = state.session.result.resume.of > 0;
  for (let row = table.count - 1; row >= 0; row--) {
    if (table.kind(row) !== RowKind.assistant || !table.has(row, RowFlag.hasText)) continue;
    if ((order.itemOfRow[row] ?? NO_ID) === NO_ID || (isMainChain && table.has(row, RowFlag.sidechain))) continue;
    const object = rows.object(row);
    const blocks = object === null ? [] : describeRow(object, bareContext(table.line(row))).blocks;
    const text = blocks.find((block) => block.kind === 'text');
    return text === undefined ? null : text.body.text.slice(0, MAX_ANSWER_CHARACTERS);
  }
  return null;
}

/** The last rows of the resumed chain, oldest first. */
function endRows(state: TranscriptState, rows: TranscriptRows): EndRow[] {
  const order = state.order(CHAIN);
  const isMainChain = state.session.result.resume.of > 0;
  const ends: number[] = [];
  for (let row = rows.table.count - 1; row >= 0 && ends.length < END_ROWS; row--) {
    const kind = rows.table.kind(row);
    // Clients up to 2.1.50 may write hundreds of progress rows after the last message.
    if ((order.itemOfRow[row] ?? NO_ID) === NO_ID || kind === RowKind.other || kind === RowKind.progress) continue;
    // Rows of a subagent in the session's own file are not part of its end.
    if (!isMainChain || !rows.table.has(row, RowFlag.sidechain)) ends.push(row);
  }
  return ends.reverse().flatMap((row): EndRow[] => {
    const object = rows.object(row);
    return object === null ? [] : [{ line: rows.table.line(row), object }];
  });
}

/** Reads values that the items of a conversation omit. */
interface MessageSource {
  /** The row of an item; null if it contains no JSON. */
  row(line: number): JsonObject | null;
  /** The whole of a truncated text; null if it no longer exists. */
  text(line: number, path: string): string | null;
}

/** Converts an item of a conversation to a message, with its whole text. */
export function toMessage(item: ConversationItem, index: number, source: MessageSource): SessionMessage {
  if (item.kind !== 'row') return { ...item, index };
  const { line, uuid, timeMs } = item;
  const [first] = item.blocks;
  if (first?.kind === 'compaction') {
    const { trigger, tokensBefore } = first;
    return { kind: 'compaction', index, line, uuid, timeMs, trigger, tokensBefore };
  }
  return toRow(item, index, source);
}

function toRow(item: RowItem, index: number, source: MessageSource): MessageRow {
  const { line, uuid, role, timeMs, model, isSidechain, isLoaded } = item;
  const row = source.row(line);
  const context = row === null ? null : readSessionContext(row);
  return {
    kind: 'message',
    index,
    line,
    uuid,
    role,
    timeMs,
    messageId: row === null ? null : stringField(objectField(row, 'message') ?? {}, 'id'),
    model,
    gitBranch: context?.gitBranch ?? null,
    cwd: context?.cwd ?? null,
    isSidechain,
    isLoaded,
    parts: item.blocks.map((block) => toPart(block, line, row, source)),
    branches: item.branches.map(({ leafLine, rows, messages, label }) => ({ leafLine, rows, messages, label })),
  };
}

function toPart(block: ContentBlock, line: number, row: JsonObject | null, source: MessageSource): MessagePart {
  const whole = (body: CutText, path: string): string => wholeText(body, line, path, source);
  switch (block.kind) {
    case 'text':
    case 'summary':
    case 'error':
      return { kind: block.kind, text: whole(block.body, block.path) };
    case 'thinking':
      return { kind: 'thinking', text: whole(block.body, block.path), isRedacted: block.isRedacted };
    case 'tool': {
      const { id, name, title, result, subagent } = block;
      const answer = result === null ? null : { ...toResult(result, result.line, source), line: result.line };
      return { kind: 'tool', id, name, title, input: inputOf(row, block.path), result: answer, subagent };
    }
    case 'result':
      return { kind: 'result', toolUseId: block.toolUseId, result: toResult(block.result, line, source) };
    case 'image':
      return { kind: 'image', mediaType: block.mediaType, bytes: block.bytes };
    case 'interruption':
      return { kind: 'interruption', duringTool: block.duringTool };
    case 'note':
      return { kind: 'note', title: block.title, text: block.body === null ? null : whole(block.body, block.path) };
    case 'raw':
      return { kind: 'raw', title: block.title, text: whole(block.body, block.path) };
    case 'compaction':
      return { kind: 'note', title: 'Compaction', text: null };
  }
}

function toResult(result: ToolResult, line: number, source: MessageSource): MessageToolResult {
  const { isError, text, path, images, persisted } = result;
  return {
    isError,
    text: text === null ? null : wholeText(text, line, path, source),
    images: images.length,
    persisted,
  };
}

function wholeText({ text, more }: CutText, line: number, path: string, source: MessageSource): string {
  return more === 0 ? text : (source.text(line, path) ?? text);
}

/** The input as in the row; null if the row has none. */
function inputOf(row: JsonObject | null, path: string): unknown {
  const parsed = parseValuePath(path);
  if (row === null || parsed === null || parsed.object > 0) return null;
  return valueAt(row, [...parsed.keys, 'input']) ?? null;
}

import type { ContentBlock, ConversationItem, CutText, RowItem, ToolResult } from '../../shared/conversation';
import type { MessagePart, MessageRow, MessageToolResult, SessionMessage } from '../../shared/message';
import { objectField, stringField, type JsonObject } from '../claude/json';
import { readSessionContext } from '../claude/sessionContext';
import { parseValuePath, valueAt } from '../read/describe/valuePath';

/** Reads what items of a conversation leave out. */
export interface MessageSource {
  /** The row that an item is of; null when it holds no JSON. */
  row(line: number): JsonObject | null;
  /** All of a text that was cut; null when it is not there any more. */
  text(line: number, path: string): string | null;
}

/** An item of a conversation as a message, with all of its text. */
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
    branches: item.branches.map(({ leafLine, rows, label }) => ({ leafLine, rows, label })),
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

/** As the row holds it; null when it does not. */
function inputOf(row: JsonObject | null, path: string): unknown {
  const parsed = parseValuePath(path);
  if (row === null || parsed === null || parsed.object > 0) return null;
  return valueAt(row, [...parsed.keys, 'input']) ?? null;
}

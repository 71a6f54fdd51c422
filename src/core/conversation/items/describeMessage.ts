import type { ContentBlock } from '../../../protocol/conversation';
import { isJsonObject, type JsonObject, objectField, stringField } from '../../util/json';
import { describePrompt } from './describePrompt';
import { describeToolCall, isCallBlock } from './describeToolCall';
import { describeResult, isResultBlock } from './describeToolResult';
import { cutText, MAX_UNITS } from './itemText';
import { describeImage, noteBlock, rawBlock, type RowContext } from './rowContext';

/** The blocks of `message.content` of a user or assistant row. */
export function describeMessage(
  row: JsonObject,
  role: 'user' | 'assistant',
  context: RowContext,
): readonly ContentBlock[] {
  const message = objectField(row, 'message');
  const content = message?.['content'];
  const path = `${context.pathPrefix}message.content`;
  if (typeof content === 'string') return orEmpty(describeText(content, path, row, role), context);
  if (!Array.isArray(content)) return [rawBlock(role, context.pathPrefix, row)];
  const answers = answersWithin(content);
  const own = { line: context.line, pathPrefix: context.pathPrefix, object: row };
  const withOwn = answers.size === 0 ? context : { ...context, results: [own, ...context.results] };
  const blocks = content.flatMap((block: unknown, at) =>
    answers.has(at) ? [] : describeBlock(block, `${path}.${at}`, row, role, withOwn),
  );
  return orEmpty(blocks, context);
}

/**
 * Indexes of results whose calls are in the same list, as with tools that run on the server. They are displayed with
 * their calls.
 */
function answersWithin(content: readonly unknown[]): ReadonlySet<number> {
  const calls = new Set<string | null>();
  const answers = new Set<number>();
  for (const block of content) if (isJsonObject(block) && isCallBlock(block)) calls.add(stringField(block, 'id'));
  calls.delete(null);
  for (const [at, block] of content.entries()) {
    if (isJsonObject(block) && isResultBlock(block) && calls.delete(stringField(block, 'tool_use_id'))) answers.add(at);
  }
  return answers;
}

function orEmpty(blocks: readonly ContentBlock[], context: RowContext): readonly ContentBlock[] {
  return blocks.length > 0 ? blocks : [noteBlock('Empty message', context.pathPrefix)];
}

function describeBlock(
  block: unknown,
  path: string,
  row: JsonObject,
  role: 'user' | 'assistant',
  context: RowContext,
): readonly ContentBlock[] {
  if (typeof block === 'string') return describeText(block, path, row, role);
  if (!isJsonObject(block)) return [rawBlock('JSON', path, block)];
  if (isCallBlock(block)) return [describeToolCall(block, path, context)];
  const type = stringField(block, 'type');
  const text = stringField(block, 'text');
  switch (type) {
    case 'text':
      return text === null ? [rawBlock('text', path, block)] : describeText(text, `${path}.text`, row, role);
    case 'thinking': {
      const thinking = stringField(block, 'thinking') ?? '';
      return [
        { kind: 'thinking', path: `${path}.thinking`, body: cutText(thinking, MAX_UNITS.text), isRedacted: false },
      ];
    }
    case 'redacted_thinking':
      return [{ kind: 'thinking', path, body: { text: '', more: 0 }, isRedacted: true }];
    case 'image':
      return [describeImage(block['source'], `${path}.source`) ?? rawBlock('image', path, block)];
    case 'document':
      return [noteBlock(documentTitle(block), path)];
    default:
      return isResultBlock(block) ? [describeResult(block, path, row)] : [rawBlock(type ?? 'JSON', path, block)];
  }
}

function describeText(
  text: string,
  path: string,
  row: JsonObject,
  role: 'user' | 'assistant',
): readonly ContentBlock[] {
  if (text.trim() === '') return [];
  if (row['isCompactSummary']) return [{ kind: 'summary', path, body: cutText(text, MAX_UNITS.text) }];
  if (row['isApiErrorMessage']) return [{ kind: 'error', path, body: cutText(text, MAX_UNITS.text) }];
  if (role === 'user') return describePrompt(text, path, Boolean(row['isMeta']));
  return [{ kind: 'text', path, body: cutText(text, MAX_UNITS.text) }];
}

function documentTitle(block: JsonObject): string {
  const name = stringField(block, 'title') ?? stringField(objectField(block, 'source') ?? {}, 'media_type');
  return name === null ? 'Document' : `Document: ${name}`;
}

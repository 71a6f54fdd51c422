import assert from 'node:assert/strict';
import { bareContext, describeRow, type RowContext } from '../../rooms/conversation';
import type { JsonObject } from '../../rooms/util';
import type { ContentBlock, RowItem, ToolBlock } from '../../../src/protocol/conversation';

export function describeJson(row: unknown, context: Partial<RowContext> = {}): RowItem {
  return describeRow(row, { ...bareContext(7), ...context });
}

export function blocksOf(row: unknown, context: Partial<RowContext> = {}): readonly ContentBlock[] {
  return describeJson(row, context).blocks;
}

export function user(content: unknown, fields: JsonObject = {}): JsonObject {
  return { type: 'user', message: { role: 'user', content }, ...fields };
}

export function assistant(content: unknown, fields: JsonObject = {}): JsonObject {
  return { type: 'assistant', message: { role: 'assistant', model: 'claude-test', content }, ...fields };
}

/** The only tool call of a row with the given call, answered by a row with the given result. */
export function toolOf(name: string, input: unknown, answer?: JsonObject, toolUseResult?: unknown): ToolBlock {
  const object = user([{ type: 'tool_result', tool_use_id: 'a', ...answer }], { toolUseResult });
  const results = answer === undefined ? [] : [{ line: 9, pathPrefix: '', object }];
  const [block] = blocksOf(assistant([{ type: 'tool_use', id: 'a', name, input }]), { results });
  assert.ok(block?.kind === 'tool');
  return block;
}

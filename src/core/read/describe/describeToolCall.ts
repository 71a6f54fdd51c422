import type { ToolBlock } from '../../../shared/conversation';
import { objectField, stringField, type JsonObject } from '../../claude/json';
import { oneLine, shortId } from './cutText';
import { describeToolInput } from './describeToolInput';
import { findResult } from './describeToolResult';
import type { ResultRow, RowContext } from './rowContext';

/** Tools that start a subagent: `Task` until 2.1.x, `Agent` since. */
const AGENT_TOOLS: ReadonlySet<string> = new Set(['Task', 'Agent']);

/** Also of a tool that runs on the server. */
const CALL_TYPES: ReadonlySet<unknown> = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use']);

export function isCallBlock(block: JsonObject): boolean {
  return CALL_TYPES.has(block['type']);
}

/** A call, with its result where one of the context's rows holds it. */
export function describeToolCall(block: JsonObject, path: string, context: RowContext): ToolBlock {
  const id = stringField(block, 'id');
  const name = stringField(block, 'name') ?? '';
  const isAgent = AGENT_TOOLS.has(name);
  const answer = id === null ? null : firstAnswer(id, context.results);
  const details = objectField(answer?.row.object ?? {}, 'toolUseResult');
  const agentId = isAgent && details !== null ? stringField(details, 'agentId') : null;
  const { input, title } = describeToolInput({ name, input: block['input'], path: `${path}.input`, details });
  const leafLine = isAgent && id !== null ? context.findLane(id) : null;
  return {
    kind: 'tool',
    path,
    id: shortId(id),
    name: oneLine(name),
    title: oneLine(title),
    input,
    result: answer?.result ?? null,
    subagent: isAgent ? context.findSubagent(id, agentId) : null,
    ...(leafLine === null ? {} : { subagentLeaf: leafLine }),
  };
}

function firstAnswer(
  id: string,
  rows: readonly ResultRow[],
): { readonly row: ResultRow; readonly result: NonNullable<ToolBlock['result']> } | null {
  for (const row of rows) {
    const result = findResult(id, row);
    if (result !== null) return { row, result };
  }
  return null;
}

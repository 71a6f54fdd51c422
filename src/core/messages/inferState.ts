import type { SessionState } from '../../shared/message';
import { isJsonObject, objectField, stringField, type JsonObject } from '../claude/json';
import { COMPACT_BOUNDARY } from '../claude/rowTypes';
import { describeRow } from '../read/describe/describeRow';
import { bareContext } from '../read/describe/rowContext';
import { withoutLocalCommands } from './localCommands';

/** A row at the end of a conversation. */
export interface EndRow {
  readonly line: number;
  readonly object: JsonObject;
}

/** Rows at the end of a chain that a state is told by. */
export const END_ROWS = 60;

/** Calls that are named. */
const MAX_CALLS = 20;

type Waiting = SessionState & { readonly kind: 'waitingOnTool' };

/**
 * What the last rows of a chain say of a session that nobody runs, oldest first: calls that wait for a result before anything
 * else, then the last row that says something. Rows that the client writes for itself, and commands that Claude was not asked
 * about, say nothing.
 */
export function inferState(rows: readonly EndRow[]): SessionState {
  const said = withoutLocalCommands(rows);
  const waiting = openCalls(said);
  for (const row of said.toReversed()) {
    const state = stateAt(row, waiting);
    if (state === null) continue;
    return row.object['isCompactSummary'] && isCompactedByHand(said, row) ? { kind: 'ended' } : state;
  }
  return { kind: 'empty' };
}

/** Null for a row that says nothing. */
function stateAt({ line, object }: EndRow, waiting: Waiting): SessionState | null {
  const item = describeRow(object, bareContext(line));
  for (const block of [...item.blocks].reverse()) {
    switch (block.kind) {
      case 'interruption':
        return { kind: 'interrupted', by: 'person', duringTool: block.duringTool, line };
      case 'error':
        // Other errors of the client, such as of an editor that cannot be reached, say nothing of the reply.
        if (item.role === 'system' && object['subtype'] !== 'api_error') break;
        return { kind: 'apiError', text: block.body.text, line };
      case 'tool':
        if (waiting.calls.length > 0) return waiting;
        return { kind: 'interrupted', by: 'unknown', duringTool: false, line };
      case 'result':
        // Of parallel calls, another one may have none.
        if (waiting.calls.length > 0) return waiting;
        return { kind: 'interrupted', by: isRejection(object) ? 'person' : 'unknown', duringTool: true, line };
      case 'text':
      case 'image':
      case 'summary':
        if (item.role === 'assistant') return { kind: 'ended' };
        if (item.role === 'user' || item.role === 'attachment') {
          return { kind: 'interrupted', by: 'unknown', duringTool: false, line };
        }
        break;
      case 'thinking':
        // The reply that it was for did not come.
        return { kind: 'interrupted', by: 'unknown', duringTool: false, line };
      default:
        break;
    }
  }
  return null;
}

/** A summary that a person asked for is all that Claude was asked for; one that the client needed stands amid work. */
function isCompactedByHand(rows: readonly EndRow[], summary: EndRow): boolean {
  const before = rows.slice(0, rows.indexOf(summary)).findLast(({ object }) => object['subtype'] === COMPACT_BOUNDARY);
  return objectField(before?.object ?? {}, 'compactMetadata')?.['trigger'] === 'manual';
}

/** The calls of the last message, which no row after them answers. */
function openCalls(rows: readonly EndRow[]): Waiting {
  const open = new Map<string, { id: string; name: string; line: number }>();
  let messageId: string | null = null;
  for (const { line, object } of rows) {
    const message = objectField(object, 'message');
    const content = message?.['content'];
    const blocks = Array.isArray(content) ? (content as readonly unknown[]).filter(isJsonObject) : [];
    if (object['type'] === 'assistant') {
      // Claude says nothing more before it has the results: it went on without these.
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

/** It ends what was waited for: neither a result, nor what a call adds to it (a skill's text, which names its call). */
function isPrompt(row: JsonObject, blocks: readonly JsonObject[]): boolean {
  return !blocks.some((block) => block['type'] === 'tool_result') && stringField(row, 'sourceToolUseID') === null;
}

/** A person said no to the call. */
function isRejection(row: JsonObject): boolean {
  const said = row['toolUseResult'];
  return typeof said === 'string' && said.startsWith('User rejected');
}

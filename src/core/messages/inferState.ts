import type { SessionState } from '../../shared/message';
import { isJsonObject, objectField, stringField, type JsonObject } from '../claude/json';
import { describeRow } from '../read/describe/describeRow';
import { bareContext } from '../read/describe/rowContext';

/** A row at the end of a conversation. */
export interface EndRow {
  readonly line: number;
  readonly object: JsonObject;
}

/** Calls that are named. */
const MAX_CALLS = 20;

/**
 * What the last rows of a chain say of a session that nobody runs, oldest first: calls that wait for a result before anything
 * else, then the last row that says something. Rows that the client writes for itself say nothing.
 */
export function inferState(rows: readonly EndRow[]): SessionState {
  const waiting = openCalls(rows);
  for (const row of [...rows].reverse()) {
    const state = stateAt(row, waiting);
    if (state !== null) return state;
  }
  return { kind: 'empty' };
}

/** Null for a row that says nothing. */
function stateAt(
  { line, object }: EndRow,
  waiting: SessionState & { readonly kind: 'waitingOnTool' },
): SessionState | null {
  const item = describeRow(object, bareContext(line));
  for (const block of [...item.blocks].reverse()) {
    switch (block.kind) {
      case 'interruption':
        return { kind: 'interrupted', by: 'person', duringTool: block.duringTool, line };
      case 'error':
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

/** The calls of the last message, which no row after them answers. */
function openCalls(rows: readonly EndRow[]): SessionState & { readonly kind: 'waitingOnTool' } {
  const open = new Map<string, { id: string; name: string; line: number }>();
  for (const { line, object } of rows) {
    const content = objectField(object, 'message')?.['content'];
    // A prompt ends what was waited for.
    if (object['type'] === 'user' && typeof content === 'string') open.clear();
    if (!Array.isArray(content)) continue;
    for (const block of content as readonly unknown[]) {
      if (!isJsonObject(block)) continue;
      const id = stringField(block, 'id');
      if (block['type'] === 'tool_use' && id !== null) {
        open.set(id, { id, name: stringField(block, 'name') ?? '', line });
      }
      if (block['type'] === 'tool_result') open.delete(stringField(block, 'tool_use_id') ?? '');
    }
  }
  return { kind: 'waitingOnTool', calls: [...open.values()].slice(0, MAX_CALLS) };
}

/** A person said no to the call. */
function isRejection(row: JsonObject): boolean {
  const said = row['toolUseResult'];
  return typeof said === 'string' && said.startsWith('User rejected');
}

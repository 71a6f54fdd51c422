import { objectField, parseObject, stringField } from './json';

/** What Claude Code tells a PreToolUse hook of a tool call that changes files. */
export interface HookCall {
  readonly sessionId: string;
  /** Absolute path; empty when it is not told. */
  readonly transcriptPath: string;
  readonly cwd: string;
  readonly toolName: string;
  /** Of the file that the call will change, as the call names it. */
  readonly filePath: string;
  /** Null with clients that do not tell it. */
  readonly toolUseId: string | null;
  /** What rows of the transcript call the turn, `promptId`; null with clients that do not tell it. */
  readonly promptId: string | null;
  /** The subagent that makes the call; null for the main conversation. */
  readonly agentId: string | null;
}

/**
 * Reads what a hook is given on its stdin. Null for anything but a call of a tool that changes one file. Which fields there
 * are was observed with client 2.1.330; older ones tell the session, the transcript, the folder, the tool and its input.
 */
export function readHookCall(text: string): HookCall | null {
  const row = parseObject(text.replace(/^\uFEFF/u, ''));
  const sessionId = row === null ? null : stringField(row, 'session_id');
  const input = row === null ? null : objectField(row, 'tool_input');
  if (row === null || sessionId === null || sessionId === '' || input === null) return null;
  const filePath = stringField(input, 'file_path') ?? stringField(input, 'notebook_path');
  if (filePath === null || filePath === '') return null;
  return {
    sessionId,
    transcriptPath: stringField(row, 'transcript_path') ?? '',
    cwd: stringField(row, 'cwd') ?? '',
    toolName: stringField(row, 'tool_name') ?? '',
    filePath,
    toolUseId: stringField(row, 'tool_use_id'),
    promptId: stringField(row, 'prompt_id'),
    agentId: stringField(row, 'agent_id'),
  };
}

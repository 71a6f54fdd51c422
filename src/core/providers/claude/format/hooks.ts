import { isJsonObject, type JsonObject, objectField, parseObject, stringField } from '../../../util/json';

/** The input of a PreToolUse hook for a tool call that changes files. */
export interface HookCall {
  readonly sessionId: string;
  /** Absolute path; empty if it is not given. */
  readonly transcriptPath: string;
  readonly cwd: string;
  readonly toolName: string;
  /** Path of the file that the call will change, as in the call. */
  readonly filePath: string;
  /** Null for clients that do not pass it. */
  readonly toolUseId: string | null;
  /** The `promptId` of the turn in the transcript's rows; null for clients that do not pass it. */
  readonly promptId: string | null;
  /** The subagent that makes the call; null for the main conversation. */
  readonly agentId: string | null;
}

/**
 * Reads the input that a hook receives on stdin. Null for anything but a call of a tool that changes one file. The
 * fields were observed with client 2.1.330; older ones pass the session, the transcript, the folder, the tool and its
 * input.
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

/** A command in the settings that Claude Code runs before tool calls. (https://code.claude.com/docs/en/hooks) */
export interface HookCommand {
  /** Index among the groups of `hooks.PreToolUse`, and within the group. */
  readonly group: number;
  readonly at: number;
  readonly command: string;
}

/** Tools that change a file given in their call. */
const MUTATING_TOOLS = 'Edit|Write|MultiEdit|NotebookEdit';

/** Path of the list in the settings. */
export const PRE_TOOL_USE = ['hooks', 'PreToolUse'] as const;

/** A group with one command. `timeoutS`: the longest time that Claude Code waits for it, in seconds. */
export function hookGroup(command: string, timeoutS: number): JsonObject {
  return { matcher: MUTATING_TOOLS, hooks: [{ type: 'command', command, timeout: timeoutS }] };
}

/** Null if Claude Code would not accept the shape of the settings. */
export function readHookCommands(settings: JsonObject): readonly HookCommand[] | null {
  const hooks = settings['hooks'];
  if (hooks === undefined) return [];
  if (!isJsonObject(hooks)) return null;
  const groups = hooks['PreToolUse'];
  if (groups === undefined) return [];
  if (!Array.isArray(groups)) return null;
  return groups.flatMap((group: unknown, at): HookCommand[] => {
    const commands = isJsonObject(group) ? group['hooks'] : null;
    return Array.isArray(commands) ? commands.flatMap((hook: unknown, within) => commandOf(hook, at, within)) : [];
  });
}

function commandOf(hook: unknown, group: number, at: number): HookCommand[] {
  const command = isJsonObject(hook) && hook['type'] === 'command' ? stringField(hook, 'command') : null;
  return command === null ? [] : [{ group, at, command }];
}

/**
 * Whether the commands of a group run before every tool that changes a file. A group without a matcher applies to all
 * tools.
 */
export function isForAllMutatingTools(settings: JsonObject, group: number): boolean {
  const matcher = groupAt(settings, group)?.['matcher'];
  if (matcher === undefined || matcher === '' || matcher === '*') return true;
  if (typeof matcher !== 'string') return false;
  const tools = matcher.split('|');
  return MUTATING_TOOLS.split('|').every((tool) => tools.includes(tool));
}

/** The number of commands in a group. */
export function groupSize(settings: JsonObject, group: number): number {
  const commands = groupAt(settings, group)?.['hooks'];
  return Array.isArray(commands) ? commands.length : 0;
}

function groupAt(settings: JsonObject, group: number): JsonObject | null {
  const groups = objectField(settings, 'hooks')?.['PreToolUse'];
  const found: unknown = Array.isArray(groups) ? groups[group] : null;
  return isJsonObject(found) ? found : null;
}

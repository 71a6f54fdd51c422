import { isJsonObject, objectField, stringField, type JsonObject } from './json';

/** A command in the settings that Claude Code runs before tool calls. (https://code.claude.com/docs/en/hooks) */
export interface HookCommand {
  /** Place among the groups of `hooks.PreToolUse`, and within the group. */
  readonly group: number;
  readonly at: number;
  readonly command: string;
}

/** Which tools change a file that their call names. */
const MUTATING_TOOLS = 'Edit|Write|MultiEdit|NotebookEdit';

/** Path of the list in the settings. */
export const PRE_TOOL_USE = ['hooks', 'PreToolUse'] as const;

/** What a group with one command looks like. `timeoutS`: seconds that Claude Code waits for it at most. */
export function hookGroup(command: string, timeoutS: number): JsonObject {
  return { matcher: MUTATING_TOOLS, hooks: [{ type: 'command', command, timeout: timeoutS }] };
}

/** Null when the settings are of a shape that Claude Code would not take. */
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

/** Whether the commands of a group run before every tool that changes a file. No matcher stands for all tools. */
export function isForAllMutatingTools(settings: JsonObject, group: number): boolean {
  const matcher = groupAt(settings, group)?.['matcher'];
  if (matcher === undefined || matcher === '' || matcher === '*') return true;
  if (typeof matcher !== 'string') return false;
  const tools = matcher.split('|');
  return MUTATING_TOOLS.split('|').every((tool) => tools.includes(tool));
}

/** How many commands a group has. */
export function groupSize(settings: JsonObject, group: number): number {
  const commands = groupAt(settings, group)?.['hooks'];
  return Array.isArray(commands) ? commands.length : 0;
}

function groupAt(settings: JsonObject, group: number): JsonObject | null {
  const groups = objectField(settings, 'hooks')?.['PreToolUse'];
  const found: unknown = Array.isArray(groups) ? groups[group] : null;
  return isJsonObject(found) ? found : null;
}

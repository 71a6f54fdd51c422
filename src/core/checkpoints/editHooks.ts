import { groupSize, hookGroup, PRE_TOOL_USE, readHookCommands, type HookCommand } from '../claude/hookSettings';
import { isJsonObject, parseObject, type JsonObject } from '../claude/json';
import { withAdded, withoutAt, withReplaced } from './settingsText';

/** Null text: there is no file, or none is to be left. */
export type EditedSettings =
  | { readonly kind: 'edited'; readonly text: string | null }
  /** One sentence for people. */
  | { readonly kind: 'refused'; readonly problem: string };

/** Seconds that Claude Code waits for a checkpoint at most; then it goes on without. */
const TIMEOUT_S = 60;
const BOM = '\uFEFF';

/** What our command ends with, whatever path it begins with; or as a person writes it who has it installed. */
const OWN_COMMAND = /\bcheckpoint --hook\s*$|(?:^|[\\/\s'"])rethread(?:\.\w+)?['"]?\s+checkpoint\s*$/u;

/** The command of the hook, for a shell. */
function hookCommand(program: string): string {
  return `${program} checkpoint --hook`;
}

/** The settings with the hook in them. */
export function withHook(text: string | null, program: string): EditedSettings {
  const command = hookCommand(program);
  const group = hookGroup(command, TIMEOUT_S);
  if (text === null) return edited(`${JSON.stringify({ hooks: { PreToolUse: [group] } }, null, 2)}\n`);
  const change: Change = (plain, settings, [first, ...others]) => {
    if (first === undefined) return withGroup(plain, settings, group);
    const path = [...PRE_TOOL_USE, first.group, 'hooks', first.at, 'command'];
    return withoutCommands(first.command === command ? plain : withReplaced(plain, path, command), others);
  };
  return edit(text, [command], change);
}

/** The settings without the hook, and without what it leaves empty. `isOurs`: we made the file, so nothing need be left of it. */
export function withoutHook(text: string | null, isOurs: boolean): EditedSettings {
  if (text === null) return edited(null);
  const result = edit(text, [], (plain, _settings, own) => withoutCommands(plain, own));
  if (result.kind === 'refused' || result.text === text || !isOurs) return result;
  const left = parseObject(stripBom(result.text ?? ''));
  return left !== null && Object.keys(left).length === 0 ? edited(null) : result;
}

type Change = (plain: string, settings: JsonObject, own: readonly HookCommand[]) => string;

/**
 * Shared checks: what is edited is what Claude Code reads, and afterwards it holds the `wanted` commands of ours, and nothing
 * else in it differs.
 */
function edit(text: string, wanted: readonly string[], change: Change): EditedSettings {
  const bom = text.startsWith(BOM) ? BOM : '';
  const plain = stripBom(text).trim() === '' ? '{}\n' : stripBom(text);
  const settings = parseObject(plain);
  // Comments, too: with one in it the client takes nothing from the file. (seen with 2.1.330)
  if (settings === null) return refused('is not valid JSON, so Claude Code does not read it. Mend it first.');
  const commands = readHookCommands(settings);
  if (commands === null) return refused('holds hooks in a form that Claude Code does not know. Mend it first.');
  const after = change(plain, settings, ownAmong(commands));
  const result = parseObject(after);
  const left = ownAmong((result === null ? null : readHookCommands(result)) ?? []).map(({ command }) => command);
  const isAsMeant = result !== null && left.join('\n') === wanted.join('\n') && isSameElsewhere(result, settings);
  if (!isAsMeant) return refused('could not be changed without changing something else in it.');
  return edited(after === plain ? text : bom + after);
}

function ownAmong(commands: readonly HookCommand[]): readonly HookCommand[] {
  return commands.filter(({ command }) => OWN_COMMAND.test(command));
}

function withGroup(text: string, settings: JsonObject, group: JsonObject): string {
  const hooks = settings['hooks'];
  if (!isJsonObject(hooks)) return withAdded(text, [], 'hooks', { PreToolUse: [group] });
  if (!Array.isArray(hooks['PreToolUse'])) return withAdded(text, ['hooks'], 'PreToolUse', [group]);
  return withAdded(text, PRE_TOOL_USE, null, group);
}

function withoutCommands(text: string, own: readonly HookCommand[]): string {
  let left = text;
  // From the end, so that the places before stay.
  for (const { group, at } of own.toReversed()) {
    const settings = parseObject(left);
    if (settings === null) return left;
    const path = [...PRE_TOOL_USE, group];
    left = withoutAt(left, groupSize(settings, group) > 1 ? [...path, 'hooks', at] : path);
  }
  if (own.length === 0) return left;
  const hooks = parseObject(left)?.['hooks'];
  if (!isJsonObject(hooks)) return left;
  const isListEmpty = Array.isArray(hooks['PreToolUse']) && hooks['PreToolUse'].length === 0;
  if (!isListEmpty) return left;
  return withoutAt(left, Object.keys(hooks).length === 1 ? ['hooks'] : PRE_TOOL_USE);
}

function isSameElsewhere(one: JsonObject, other: JsonObject): boolean {
  return JSON.stringify(withoutOwn(one)) === JSON.stringify(withoutOwn(other));
}

/** What a person has in the file beside our hook: containers that would be empty without it are not theirs. */
function withoutOwn(settings: JsonObject): JsonObject {
  const hooks = settings['hooks'];
  if (!isJsonObject(hooks)) return settings;
  const groups: readonly unknown[] = Array.isArray(hooks['PreToolUse']) ? hooks['PreToolUse'] : [];
  const theirs = groups.map(withoutOwnIn).filter((group) => group !== null);
  const others = { ...hooks, PreToolUse: theirs.length === 0 ? undefined : theirs };
  const isEmpty = Object.values(others).every((value) => value === undefined);
  return { ...settings, hooks: isEmpty ? undefined : others };
}

function withoutOwnIn(group: unknown): unknown {
  const commands = isJsonObject(group) ? group['hooks'] : null;
  if (!isJsonObject(group) || !Array.isArray(commands)) return group;
  const theirs = commands.filter(
    (hook: unknown) => !isJsonObject(hook) || typeof hook['command'] !== 'string' || !OWN_COMMAND.test(hook['command']),
  );
  return theirs.length === 0 ? null : { ...group, hooks: theirs };
}

function stripBom(text: string): string {
  return text.startsWith(BOM) ? text.slice(BOM.length) : text;
}

function edited(text: string | null): EditedSettings {
  return { kind: 'edited', text };
}

/** The sentence begins with the file's name. */
function refused(what: string): EditedSettings {
  return { kind: 'refused', problem: `settings.local.json ${what}` };
}

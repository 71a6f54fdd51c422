import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import {
  groupSize,
  type HookCommand,
  hookGroup,
  isForAllMutatingTools,
  PRE_TOOL_USE,
  readHookCommands,
} from '../../providers/claude/format/hooks';
import { isJsonObject, type JsonObject, parseObject } from '../../util/json';
import { MAX_FILE_SIZE_OPTION } from './maxFileSize';

/** The edited text; null if no file should remain. */
export type EditedSettings =
  | {
      readonly kind: 'edited';
      readonly text: string | null;
      /** The command of another installation of Rethread that the edit removes or replaces; null if there is none. */
      readonly replaced: string | null;
    }
  /** One sentence for people. */
  | { readonly kind: 'refused'; readonly problem: string };

/** The maximum number of seconds that Claude Code waits for a checkpoint; after that, it continues without one. */
const TIMEOUT_S = 60;
const BOM = '\uFEFF';

/**
 * Rethread's script in the storage of any VS Code installation, or a program named `rethread` in a hand-written hook.
 */
const OWN_PROGRAM =
  /(?:[\\/]rethread\.rethread[\\/]checkpoints[\\/]checkpoint\.sh|(?:^|[\\/\s'"])rethread(?:\.\w+)?)['"]?\s+checkpoint(?:\s+--hook)?(?:\s+--max-file-size-mb\s+\S+)?\s*$/u;

/** The shell command of the hook. `maxFileSizeMB`: of larger files, no copy is kept; null leaves that to the program. */
function hookCommand(program: string, maxFileSizeMB: number | null): string {
  return `${program} checkpoint --hook${maxFileSizeMB === null ? '' : ` ${MAX_FILE_SIZE_OPTION} ${maxFileSizeMB}`}`;
}

/** Whether the command runs this program, whatever its limit is. */
function isOfProgram(command: string, program: string): boolean {
  const plain = hookCommand(program, null);
  return command === plain || command.startsWith(`${plain} ${MAX_FILE_SIZE_OPTION} `);
}

/** The settings with exactly one hook of Rethread, which runs for all tools that change files. */
export function withHook(text: string | null, program: string, maxFileSizeMB: number | null = null): EditedSettings {
  const command = hookCommand(program, maxFileSizeMB);
  const group = hookGroup(command, TIMEOUT_S);
  if (text === null) return edited(`${JSON.stringify({ hooks: { PreToolUse: [group] } }, null, 2)}\n`);
  const change: Change = (plain, settings, own) => {
    const kept = own.find((each) => isForAllMutatingTools(settings, each.group));
    const others = own.filter((each) => each !== kept);
    if (kept === undefined) return withGroup(withoutCommands(plain, others), group);
    const path = [...PRE_TOOL_USE, kept.group, 'hooks', kept.at, 'command'];
    return withoutCommands(kept.command === command ? plain : withReplaced(plain, path, command), others);
  };
  const result = edit(text, isOwnOr(program), [command], change);
  const isSame = result.kind === 'edited' && result.replaced !== null && isOfProgram(result.replaced, program);
  return isSame ? { ...result, replaced: null } : result;
}

/**
 * The settings without the hook, and without the objects and arrays that would be empty without it.
 *
 * @param isOurs Rethread created the file, so the file is removed if nothing else is in it
 */
export function withoutHook(text: string | null, program: string, isOurs: boolean): EditedSettings {
  if (text === null) return edited(null);
  return withoutOwnHooks(text, isOwnOr(program), isOurs);
}

/** As `withoutHook`, for the hooks of installed extensions alone: hand-written ones stay. */
export function withoutInstalledHook(text: string, isOurs: boolean): EditedSettings {
  return withoutOwnHooks(text, (command) => INSTALLED_PROGRAM.test(command), isOurs);
}

/** Whether a hook of Rethread is in the settings. */
export function hasOwnHook(text: string): boolean {
  const settings = parseObject(stripBom(text));
  const commands = settings === null ? null : readHookCommands(settings);
  return (commands ?? []).some(({ command }) => OWN_PROGRAM.test(command));
}

function withoutOwnHooks(text: string, isOwn: IsOwn, isOurs: boolean): EditedSettings {
  const result = edit(text, isOwn, [], (plain, _settings, own) => withoutCommands(plain, own));
  if (result.kind === 'refused' || result.text === text || !isOurs) return result;
  const left = parseObject(stripBom(result.text ?? ''));
  return left !== null && Object.keys(left).length === 0 ? edited(null) : result;
}

/** Rethread's script in the storage of any VS Code installation. */
const INSTALLED_PROGRAM = /[\\/]rethread\.rethread[\\/]checkpoints[\\/]checkpoint\.sh/u;

type IsOwn = (command: string) => boolean;

function isOwnOr(program: string): IsOwn {
  return (command) => isOfProgram(command, program) || OWN_PROGRAM.test(command);
}

type Change = (plain: string, settings: JsonObject, own: readonly HookCommand[]) => string;

/**
 * Makes a change and checks it: Claude Code can read the file before the change, and after it, Rethread's commands are
 * those in `wanted`, and everything else in the file is the same.
 */
function edit(text: string, isOwn: IsOwn, wanted: readonly string[], change: Change): EditedSettings {
  const bom = text.startsWith(BOM) ? BOM : '';
  const plain = stripBom(text).trim() === '' ? '{}\n' : stripBom(text);
  const settings = parseObject(plain);
  // A comment counts as invalid, too: the client then ignores the whole file. (seen with 2.1.330)
  if (settings === null) return refused('is not valid JSON, so Claude Code does not read it. Mend it first.');
  const commands = readHookCommands(settings);
  if (commands === null) return refused('holds hooks in a form that Claude Code does not know. Mend it first.');
  const after = change(plain, settings, ownAmong(commands, isOwn));
  const result = parseObject(after);
  const found = (result === null ? null : readHookCommands(result)) ?? [];
  const left = ownAmong(found, isOwn).map(({ command }) => command);
  const isAsMeant =
    result !== null && left.join('\n') === wanted.join('\n') && isSameElsewhere(result, settings, isOwn);
  if (!isAsMeant) return refused('could not be changed without changing something else in it.');
  const other = ownAmong(commands, isOwn).find(({ command }) => !wanted.includes(command));
  return { kind: 'edited', text: after === plain ? text : bom + after, replaced: other?.command ?? null };
}

function ownAmong(commands: readonly HookCommand[], isOwn: IsOwn): readonly HookCommand[] {
  return commands.filter(({ command }) => isOwn(command));
}

function withGroup(text: string, group: JsonObject): string {
  const hooks = parseObject(text)?.['hooks'];
  if (!isJsonObject(hooks)) return withAdded(text, [], 'hooks', { PreToolUse: [group] });
  if (!Array.isArray(hooks['PreToolUse'])) return withAdded(text, ['hooks'], 'PreToolUse', [group]);
  return withAdded(text, PRE_TOOL_USE, null, group);
}

function withoutCommands(text: string, own: readonly HookCommand[]): string {
  let left = text;
  // From the end, so that the positions of the earlier commands stay valid.
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

function isSameElsewhere(one: JsonObject, other: JsonObject, isOwn: IsOwn): boolean {
  return JSON.stringify(withoutOwn(one, isOwn)) === JSON.stringify(withoutOwn(other, isOwn));
}

/** The settings without Rethread's hook, and without the objects and arrays that would be empty without it. */
function withoutOwn(settings: JsonObject, isOwn: IsOwn): JsonObject {
  const hooks = settings['hooks'];
  if (!isJsonObject(hooks)) return settings;
  const groups: readonly unknown[] = Array.isArray(hooks['PreToolUse']) ? hooks['PreToolUse'] : [];
  const theirs = groups.map((group) => withoutOwnIn(group, isOwn)).filter((group) => group !== null);
  const others = { ...hooks, PreToolUse: theirs.length === 0 ? undefined : theirs };
  const isEmpty = Object.values(others).every((value) => value === undefined);
  return { ...settings, hooks: isEmpty ? undefined : others };
}

function withoutOwnIn(group: unknown, isOwn: IsOwn): unknown {
  const commands = isJsonObject(group) ? group['hooks'] : null;
  if (!isJsonObject(group) || !Array.isArray(commands)) return group;
  const theirs = commands.filter(
    (hook: unknown) => !isJsonObject(hook) || typeof hook['command'] !== 'string' || !isOwn(hook['command']),
  );
  return theirs.length === 0 ? null : { ...group, hooks: theirs };
}

function stripBom(text: string): string {
  return text.startsWith(BOM) ? text.slice(BOM.length) : text;
}

function edited(text: string | null): EditedSettings {
  return { kind: 'edited', text, replaced: null };
}

/** The sentence begins with the file's name. */
function refused(what: string): EditedSettings {
  return { kind: 'refused', problem: `settings.local.json ${what}` };
}

const DEFAULT_INDENT = '  ';

type Path = readonly (string | number)[];

/**
 * The JSON with one property or item appended to an object or array. It is formatted like its neighbours: on separate
 * lines or on the same line. All other bytes are kept. Returns the text unchanged if there is no such object or array.
 *
 * @param key null for an item of an array
 */
function withAdded(text: string, path: Path, key: string | null, value: unknown): string {
  const container = nodeAt(text, path);
  if (container === null) return text;
  const name = key === null ? '' : JSON.stringify(key);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const last = container.children?.at(-1);
  const end = last === undefined ? container.offset + 1 : endOf(last);
  const close = endOf(container) - 1;
  const comma = last === undefined ? '' : ',';
  if (last !== undefined && !text.slice(container.offset, close).includes('\n')) {
    const isTight = !/[,:] /u.test(text.slice(container.offset, close));
    const added = `${isTight ? '' : ' '}${name === '' ? '' : `${name}:${isTight ? '' : ' '}`}${JSON.stringify(value)}`;
    return text.slice(0, end) + comma + added + text.slice(end);
  }
  const indent = indentOf(text);
  const outer = /[ \t]*/uy.exec(text.slice(text.lastIndexOf('\n', container.offset) + 1))?.[0] ?? '';
  const inner = outer + indent;
  const written = JSON.stringify(value, null, indent).replaceAll('\n', eol + inner);
  const added = `${comma}${eol}${inner}${name === '' ? '' : `${name}: `}${written}`;
  const tail = last === undefined ? eol + outer + text.slice(close) : text.slice(end);
  return text.slice(0, end) + added + tail;
}

/** The JSON without the property or item at a path. Removes everything that `withAdded` added. */
function withoutAt(text: string, path: Path): string {
  const value = nodeAt(text, path);
  const node = value?.parent?.type === 'property' ? value.parent : value;
  const siblings = node?.parent?.children;
  if (node?.parent === undefined || siblings === undefined) return text;
  const at = siblings.indexOf(node);
  const [before, after] = [siblings[at - 1], siblings[at + 1]];
  if (before !== undefined) return text.slice(0, endOf(before)) + text.slice(endOf(node));
  if (after !== undefined) return text.slice(0, node.offset) + text.slice(after.offset);
  return text.slice(0, node.parent.offset + 1) + text.slice(endOf(node.parent) - 1);
}

/** The JSON with another value at a path. */
function withReplaced(text: string, path: Path, value: unknown): string {
  const node = nodeAt(text, path);
  if (node === null) return text;
  return text.slice(0, node.offset) + JSON.stringify(value) + text.slice(endOf(node));
}

function nodeAt(text: string, path: Path): Node | null {
  const root = parseTree(text);
  return root === undefined ? null : (findNodeAtLocation(root, [...path]) ?? null);
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

/** The indentation of the first indented line. */
function indentOf(text: string): string {
  return /^(?:\t|[ ]{1,8})(?=\S)/mu.exec(text)?.[0] ?? DEFAULT_INDENT;
}

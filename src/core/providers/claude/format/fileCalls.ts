import { isJsonObject, type JsonObject, objectField, stringField } from '../../../util/json';

/** A call that may have changed files. */
export type FileCall =
  /** The client usually stores a copy of the file before the first of these. */
  | { readonly kind: 'edit'; readonly path: string; readonly toolUseId: string | null }
  /** It may change anything, and no copy is stored. `text`: the command, or the tool's name. */
  | { readonly kind: 'command'; readonly text: string };

const EDITING_TOOLS: ReadonlySet<string> = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'Update']);
const SHELL_TOOLS: ReadonlySet<string> = new Set(['Bash', 'PowerShell']);
/** The client's own tools that change none of a person's files. All others may. */
const HARMLESS_TOOLS: ReadonlySet<string> = new Set(
  (
    'Read Glob Grep LS NotebookRead WebFetch WebSearch TodoWrite TodoRead TaskCreate TaskUpdate TaskGet TaskList TaskOutput ' +
    'TaskStop Task Agent Skill SlashCommand BashOutput KillShell KillBash AskUserQuestion EnterPlanMode ExitPlanMode ' +
    'ToolSearch ListMcpResources ReadMcpResource ListMcpResourcesTool ReadMcpResourceTool SendMessage StructuredOutput'
  ).split(' '),
);

/** Commands that only read, if they are followed only by words and options. */
const READING_COMMAND =
  /^(ls|pwd|cat|head|tail|wc|grep|rg|which|file|stat|du|echo|whoami|date|git (status|log|diff|show))\b/;
const SIMPLE_WORDS = /^(?!.*--output)[\w ./,:@=+*"'-]*$/;

/** The calls of an assistant row, and a person's `!` commands, that may have changed files. */
export function readFileCalls(row: JsonObject): readonly FileCall[] {
  const content = objectField(row, 'message')?.['content'];
  if (row['type'] === 'user') return typeof content === 'string' ? shellInput(content) : [];
  if (row['type'] !== 'assistant' || !Array.isArray(content)) return [];
  return (content as readonly unknown[]).flatMap((block) =>
    isJsonObject(block) && block['type'] === 'tool_use' ? (readCall(block) ?? []) : [],
  );
}

/** The results of calls in a user row. */
export function readCallResults(row: JsonObject): readonly { readonly toolUseId: string; readonly isError: boolean }[] {
  const content = row['type'] === 'user' ? objectField(row, 'message')?.['content'] : null;
  if (!Array.isArray(content)) return [];
  return (content as readonly unknown[]).flatMap((block) => {
    const toolUseId = isJsonObject(block) && block['type'] === 'tool_result' ? stringField(block, 'tool_use_id') : null;
    return isJsonObject(block) && toolUseId !== null ? [{ toolUseId, isError: block['is_error'] === true }] : [];
  });
}

function readCall(block: JsonObject): FileCall | null {
  const name = stringField(block, 'name') ?? '';
  const input = objectField(block, 'input') ?? {};
  if (EDITING_TOOLS.has(name)) {
    const path = stringField(input, 'file_path') ?? stringField(input, 'notebook_path');
    return path === null ? null : { kind: 'edit', path, toolUseId: stringField(block, 'id') };
  }
  if (HARMLESS_TOOLS.has(name) || name === '') return null;
  if (!SHELL_TOOLS.has(name)) return { kind: 'command', text: name };
  const command = stringField(input, 'command') ?? '';
  return READING_COMMAND.test(command) && SIMPLE_WORDS.test(command) ? null : { kind: 'command', text: command };
}

function shellInput(content: string): readonly FileCall[] {
  const text = /^\s{0,100}<bash-input>([\s\S]*?)<\/bash-input>/.exec(content)?.[1];
  return text === undefined ? [] : [{ kind: 'command', text: text.trim() }];
}

/** The contents of a file in the result of an edit. (docs/format.md, "What rows hold beside messages") */
export interface EditResult {
  readonly path: string;
  /** The file before the edit; null if there was none, undefined if unknown. */
  readonly before: string | null | undefined;
  /** The file after the edit; null if unknown. */
  readonly after: string | null;
}

/** Searched in a row's bytes: a row without it is not the result of an edit. */
export const EDIT_RESULT_NEEDLE = '"filePath"';

/**
 * Null for every other row.
 *
 * @param readMoved returns a text that slimming may have moved out of the row, or null if it is not there any more
 */
export function readEditResult(row: JsonObject, readMoved: (text: string) => string | null): EditResult | null {
  const result = row['type'] === 'user' ? objectField(row, 'toolUseResult') : null;
  const path = result === null ? null : stringField(result, 'filePath');
  // The result of Read has its path one level deeper.
  if (result === null || path === null) return null;
  const content = stringField(result, 'content');
  const named = result['originalFile'] ?? result['originalFileContents'];
  const original = typeof named === 'string' ? readMoved(named) : named;
  const before =
    typeof original === 'string'
      ? original
      : result['type'] === 'create' && typeof named !== 'string'
        ? null
        : undefined;
  if (content !== null) return { path, before, after: content };
  const edits = editsOf(result);
  if (edits === null) return { path, before, after: null };
  return { path, before, after: typeof before === 'string' ? applyEdits(before, edits) : null };
}

interface Edit {
  readonly from: string;
  readonly to: string;
  readonly isEverywhere: boolean;
}

function editsOf(result: JsonObject): readonly Edit[] | null {
  const list: unknown = result['edits'];
  const edits = (Array.isArray(list) ? (list as readonly unknown[]) : [result]).map(editOf);
  return edits.every((edit) => edit !== null) ? edits : null;
}

function editOf(value: unknown): Edit | null {
  if (!isJsonObject(value)) return null;
  const from = stringField(value, 'oldString') ?? stringField(value, 'old_string');
  const to = stringField(value, 'newString') ?? stringField(value, 'new_string');
  if (from === null || to === null) return null;
  return { from, to, isEverywhere: value['replaceAll'] === true || value['replace_all'] === true };
}

/** Null if the edits do not match this text. */
function applyEdits(text: string, edits: readonly Edit[]): string | null {
  let edited = text;
  for (const { from, to, isEverywhere } of edits) {
    if (from === '' ? edited !== '' : !edited.includes(from)) return null;
    if (isEverywhere && from !== '') edited = edited.split(from).join(to);
    else edited = edited.replace(from, () => to);
  }
  return edited;
}

import { isJsonObject, objectField, stringField, type JsonObject } from './json';

/** A call by which files may have changed. */
export type FileCall =
  /** The client keeps a copy of the file before the first of these, as a rule. */
  | { readonly kind: 'edit'; readonly path: string; readonly toolUseId: string | null }
  /** It may change anything, and nothing is kept. `text`: what was run, or the tool's name. */
  | { readonly kind: 'command'; readonly text: string };

const EDITING_TOOLS: ReadonlySet<string> = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'Update']);
const SHELL_TOOLS: ReadonlySet<string> = new Set(['Bash', 'PowerShell']);
/** The client's own tools that change no file of the person's. All others may. */
const HARMLESS_TOOLS: ReadonlySet<string> = new Set(
  (
    'Read Glob Grep LS NotebookRead WebFetch WebSearch TodoWrite TodoRead TaskCreate TaskUpdate TaskGet TaskList TaskOutput ' +
    'TaskStop Task Agent Skill SlashCommand BashOutput KillShell KillBash AskUserQuestion EnterPlanMode ExitPlanMode ' +
    'ToolSearch ListMcpResources ReadMcpResource ListMcpResourcesTool ReadMcpResourceTool SendMessage StructuredOutput'
  ).split(' '),
);

/** Commands that only read, when nothing but words and options follows. */
const READING_COMMAND =
  /^(ls|pwd|cat|head|tail|wc|grep|rg|which|file|stat|du|echo|whoami|date|git (status|log|diff|show))\b/;
const SIMPLE_WORDS = /^(?!.*--output)[\w ./,:@=+*"'-]*$/;

/** The calls of an assistant row, and the `!` commands of a person's, that may have changed files. */
export function readFileCalls(row: JsonObject): readonly FileCall[] {
  const content = objectField(row, 'message')?.['content'];
  if (row['type'] === 'user') return typeof content === 'string' ? shellInput(content) : [];
  if (row['type'] !== 'assistant' || !Array.isArray(content)) return [];
  return (content as readonly unknown[]).flatMap((block) =>
    isJsonObject(block) && block['type'] === 'tool_use' ? (readCall(block) ?? []) : [],
  );
}

/** The ends of calls that a person's row tells. */
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

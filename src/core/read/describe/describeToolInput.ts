import type { ToolInput } from '../../../shared/conversation';
import { isJsonObject, stringField, type JsonObject } from '../../claude/json';
import { cutText, MAX_UNITS, oneLine } from './cutText';
import { describeEdit, editsOf, readPatch } from './describeEdit';
import { valueText } from './valueText';

export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
  /** Path of the input. */
  readonly path: string;
  /** `toolUseResult` of the row with the result. */
  readonly details: JsonObject | null;
}

export interface DescribedInput {
  readonly input: ToolInput;
  /** What it is about. */
  readonly title: string;
}

type Describe = (input: JsonObject, details: JsonObject | null) => DescribedInput | null;

/** By the name of the tool; each gives null for an input that is not as the client writes it. */
const TOOLS: Readonly<Record<string, Describe>> = {
  Bash: describeBash,
  Read: describeRead,
  NotebookRead: describeRead,
  Write: describeWrite,
  Edit: describeEditing,
  MultiEdit: describeEditing,
  NotebookEdit: describeNotebookEdit,
  Grep: describeSearch,
  Glob: describeSearch,
  LS: describeSearch,
  WebFetch: describeWeb,
  WebSearch: describeWeb,
  Task: describeAgent,
  Agent: describeAgent,
  TodoWrite: describeTodos,
};

const MAX_TODOS = 100;
/** Fields that say best what an unknown call is about. */
const TELLING_FIELDS = ['subject', 'description', 'title', 'query', 'command', 'file_path', 'path', 'url', 'name'];

/** The input of a call by the kind of its tool; of other tools, and of inputs that are not as expected, as JSON. */
export function describeToolInput({ name, input, details }: ToolCall): DescribedInput {
  const describe = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  const described = isJsonObject(input) ? (describe?.(input, details) ?? null) : null;
  return (
    described ?? {
      input: { kind: 'json', json: valueText(input ?? null, MAX_UNITS.toolInput) },
      title: aboutTask(input) ?? about(input),
    }
  );
}

/** `#3 · completed`: an update names a task by its number, and then what changes. */
function aboutTask(input: unknown): string | null {
  const id = isJsonObject(input) ? stringField(input, 'taskId') : null;
  if (!isJsonObject(input) || id === null) return null;
  const { status, subject } = { status: stringField(input, 'status'), subject: stringField(input, 'subject') };
  return [`#${id}`, status?.replaceAll('_', ' ') ?? '', subject ?? ''].filter((part) => part !== '').join(' · ');
}

function about(input: unknown): string {
  if (!isJsonObject(input)) return '';
  for (const key of TELLING_FIELDS) {
    const value = stringField(input, key);
    if (value !== null && value !== '') return value;
  }
  for (const value of Object.values(input)) if (typeof value === 'string' && value !== '') return value;
  return '';
}

function describeBash(input: JsonObject): DescribedInput | null {
  const command = stringField(input, 'command');
  if (command === null) return null;
  const description = stringField(input, 'description');
  return {
    input: {
      kind: 'bash',
      command: cutText(command, MAX_UNITS.toolInput),
      description: description === null ? null : oneLine(description, 400),
    },
    title: command,
  };
}

function describeRead(input: JsonObject): DescribedInput | null {
  const filePath = filePathOf(input);
  if (filePath === null) return null;
  return {
    input: { kind: 'read', filePath, offset: numberField(input, 'offset'), limit: numberField(input, 'limit') },
    title: filePath,
  };
}

function describeWrite(input: JsonObject, details: JsonObject | null): DescribedInput | null {
  const filePath = filePathOf(input);
  const content = stringField(input, 'content');
  if (filePath === null || content === null) return null;
  const patch = readPatch(details);
  // A file that was there already: what changed in it says more than all of it.
  if (patch !== null) return { input: { kind: 'diff', filePath, ...patch }, title: filePath };
  return { input: { kind: 'write', filePath, content: cutText(content, MAX_UNITS.toolInput) }, title: filePath };
}

function describeEditing(input: JsonObject, details: JsonObject | null): DescribedInput | null {
  const filePath = filePathOf(input);
  const edits = editsOf(input);
  if (filePath === null || edits === null) return null;
  const diff = readPatch(details) ?? describeEdit(edits);
  return { input: { kind: 'diff', filePath, ...diff }, title: filePath };
}

function describeNotebookEdit(input: JsonObject): DescribedInput | null {
  const filePath = filePathOf(input);
  const source = stringField(input, 'new_source');
  if (filePath === null || source === null) return null;
  return { input: { kind: 'write', filePath, content: cutText(source, MAX_UNITS.toolInput) }, title: filePath };
}

function describeSearch(input: JsonObject): DescribedInput | null {
  const pattern = stringField(input, 'pattern') ?? stringField(input, 'path');
  if (pattern === null) return null;
  const hasPattern = stringField(input, 'pattern') !== null;
  const places = [hasPattern ? stringField(input, 'path') : null, stringField(input, 'glob')];
  const where = places.filter((place) => place !== null && place !== '').join(' ');
  const shown = cutText(pattern, MAX_UNITS.toolInput).text;
  return {
    input: { kind: 'search', pattern: shown, where: where === '' ? null : oneLine(where, 1000) },
    title: pattern,
  };
}

function describeWeb(input: JsonObject): DescribedInput | null {
  const url = stringField(input, 'url');
  const query = stringField(input, 'query');
  const prompt = stringField(input, 'prompt');
  if (url === null && query === null) return null;
  const cut = (text: string | null): string | null => (text === null ? null : cutText(text, MAX_UNITS.toolInput).text);
  return { input: { kind: 'web', url: cut(url), query: cut(query), prompt: cut(prompt) }, title: url ?? query ?? '' };
}

function describeAgent(input: JsonObject): DescribedInput | null {
  const prompt = stringField(input, 'prompt');
  if (prompt === null) return null;
  const agentType = stringField(input, 'subagent_type');
  return {
    input: {
      kind: 'agent',
      agentType: agentType === null ? null : oneLine(agentType),
      prompt: cutText(prompt, MAX_UNITS.toolInput),
    },
    title: stringField(input, 'description') ?? prompt,
  };
}

function describeTodos(input: JsonObject): DescribedInput | null {
  const list = input['todos'];
  if (!Array.isArray(list) || list.length > MAX_TODOS) return null;
  const todos: { text: string; status: string }[] = [];
  for (const entry of list as readonly unknown[]) {
    const text = isJsonObject(entry) ? stringField(entry, 'content') : null;
    if (!isJsonObject(entry) || text === null) return null;
    todos.push({ text: oneLine(text, 400), status: oneLine(stringField(entry, 'status') ?? '', 40) });
  }
  const open = todos.find(({ status }) => status === 'in_progress');
  return { input: { kind: 'todos', todos }, title: open?.text ?? '' };
}

function filePathOf(input: JsonObject): string | null {
  const path = stringField(input, 'file_path') ?? stringField(input, 'notebook_path');
  return path === null ? null : cutText(path, MAX_UNITS.toolInput).text;
}

function numberField(input: JsonObject, key: string): number | null {
  const value = input[key];
  return typeof value === 'number' ? value : null;
}

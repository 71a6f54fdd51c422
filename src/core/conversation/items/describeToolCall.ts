import { structuredPatch } from 'diff';
import type { DiffHunk, LineCounts, ToolBlock, ToolInput } from '../../../protocol/conversation';
import { isJsonObject, type JsonObject, objectField, stringField } from '../../util/json';
import { findResult } from './describeToolResult';
import { cutText, MAX_LINES, MAX_UNITS, oneLine, shortId, valueText } from './itemText';
import type { ResultRow, RowContext } from './rowContext';

/** Tools that start a subagent: `Task` until 2.1.x, `Agent` since. */
const AGENT_TOOLS: ReadonlySet<string> = new Set(['Task', 'Agent']);

/** Includes calls of tools that run on the server. */
const CALL_TYPES: ReadonlySet<unknown> = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use']);

export function isCallBlock(block: JsonObject): boolean {
  return CALL_TYPES.has(block['type']);
}

/** Describes a call, with its result if one of the context's rows contains it. */
export function describeToolCall(block: JsonObject, path: string, context: RowContext): ToolBlock {
  const id = stringField(block, 'id');
  const name = stringField(block, 'name') ?? '';
  const isAgent = AGENT_TOOLS.has(name);
  const answer = id === null ? null : firstAnswer(id, context.results);
  const details = objectField(answer?.row.object ?? {}, 'toolUseResult');
  const agentId = isAgent && details !== null ? stringField(details, 'agentId') : null;
  const { input, title } = describeToolInput({ name, input: block['input'], path: `${path}.input`, details });
  const leafLine = isAgent && id !== null ? context.findSidechain(id) : null;
  return {
    kind: 'tool',
    path,
    id: shortId(id),
    name: oneLine(name),
    title: oneLine(title),
    input,
    result: answer?.result ?? null,
    subagent: isAgent ? context.findSubagent(id, agentId) : null,
    ...(leafLine === null ? {} : { subagentLeaf: leafLine }),
  };
}

function firstAnswer(
  id: string,
  rows: readonly ResultRow[],
): { readonly row: ResultRow; readonly result: NonNullable<ToolBlock['result']> } | null {
  for (const row of rows) {
    const result = findResult(id, row);
    if (result !== null) return { row, result };
  }
  return null;
}

export interface Edit {
  readonly before: string;
  readonly after: string;
}

export interface Diff {
  readonly hunks: readonly DiffHunk[];
  /** Number of lines that were left out. */
  readonly more: number;
  readonly counts: LineCounts;
}

type DiffLine = DiffHunk['lines'][number];

/** Longer texts are not compared line by line: the diff removes all of the one and adds all of the other. */
const MAX_COMPARED_UNITS = 60_000;
/** Maximum number of differing lines; a comparison with more is abandoned. */
const MAX_EDIT_LENGTH = 200;
const CONTEXT_LINES = 3;
const MAX_EDITS = 200;

/** The edits of an Edit or MultiEdit call; null if the input contains none. */
export function editsOf(input: JsonObject): readonly Edit[] | null {
  const list: readonly unknown[] = Array.isArray(input['edits']) ? input['edits'] : [input];
  const edits: Edit[] = [];
  for (const entry of list.slice(0, MAX_EDITS)) {
    const before = isJsonObject(entry) ? stringField(entry, 'old_string') : null;
    const after = isJsonObject(entry) ? stringField(entry, 'new_string') : null;
    if (before === null || after === null) return null;
    edits.push({ before, after });
  }
  return edits.length === 0 ? null : edits;
}

/** The diff of edits. Their position in the file is not known. */
function describeEdit(edits: readonly Edit[]): Diff {
  const cutter = new HunkCutter();
  for (const { before, after } of edits) {
    const patch = before.length + after.length > MAX_COMPARED_UNITS ? undefined : compare(before, after);
    if (patch === undefined) {
      cutter.add(null, null, [...linesOf(before, '-'), ...linesOf(after, '+')]);
      continue;
    }
    for (const { lines } of patch.hunks) cutter.add(null, null, lines);
  }
  return cutter.diff;
}

/** The diff that the client recorded (`toolUseResult.structuredPatch`); null if it recorded none. */
function readPatch(details: JsonObject | null): Diff | null {
  const patch = details?.['structuredPatch'];
  if (!Array.isArray(patch) || patch.length === 0) return null;
  const cutter = new HunkCutter();
  for (const hunk of patch as readonly unknown[]) {
    if (!isJsonObject(hunk)) return null;
    const { oldStart, newStart, lines } = hunk;
    if (typeof oldStart !== 'number' || typeof newStart !== 'number' || !Array.isArray(lines)) return null;
    if (!(lines as readonly unknown[]).every((line) => typeof line === 'string')) return null;
    cutter.add(oldStart, newStart, lines);
  }
  return cutter.diff;
}

function compare(before: string, after: string): ReturnType<typeof structuredPatch> | undefined {
  // They are parts of a file: the last line of one may be the same as a line within the other, which ends with a newline.
  const isOfWholeLines = before.endsWith('\n') || after.endsWith('\n');
  const ended = (text: string): string => (isOfWholeLines || text === '' ? text : `${text}\n`);
  return structuredPatch('', '', ended(before), ended(after), undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDIT_LENGTH,
  });
}

function linesOf(text: string, sign: string): string[] {
  return text === '' ? [] : text.split('\n').map((line) => sign + line);
}

/** Collects hunks up to a maximum number of lines and UTF-16 units. */
class HunkCutter {
  readonly #hunks: DiffHunk[] = [];
  #lines = 0;
  #units = 0;
  #more = 0;
  #added = 0;
  #removed = 0;

  get diff(): Diff {
    return { hunks: this.#hunks, counts: { added: this.#added, removed: this.#removed }, more: this.#more };
  }

  /** Lines as in a patch: each begins with a space, `-` or `+`. */
  add(oldStart: number | null, newStart: number | null, lines: readonly string[]): void {
    const taken: DiffLine[] = [];
    for (const line of lines) {
      // "\ No newline at end of file"
      if (line.startsWith('\\')) continue;
      if (line.startsWith('+')) this.#added++;
      else if (line.startsWith('-')) this.#removed++;
      if (this.#lines >= MAX_LINES || this.#units >= MAX_UNITS.toolInput) {
        this.#more++;
        continue;
      }
      const { text, more } = cutText(line.slice(1), MAX_UNITS.toolInput - this.#units);
      taken.push({ kind: kindOf(line), text: more > 0 ? `${text}…` : text });
      this.#lines++;
      this.#units += text.length;
    }
    if (taken.length > 0) this.#hunks.push({ oldStart, newStart, lines: taken });
  }
}

function kindOf(line: string): DiffLine['kind'] {
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'context';
}

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
  /** What the call is about. */
  readonly title: string;
}

type Describe = (input: JsonObject, details: JsonObject | null) => DescribedInput | null;

/** By the name of the tool. Each function returns null for an input in a form that the client does not write. */
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
/** Fields that best describe an unknown call, in the order in which they are tried. */
const TELLING_FIELDS = ['subject', 'description', 'title', 'query', 'command', 'file_path', 'path', 'url', 'name'];

/** Describes the input of a call by its tool; as JSON if the tool is unknown or the input has an unexpected form. */
function describeToolInput({ name, input, details }: ToolCall): DescribedInput {
  const describe = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  const described = isJsonObject(input) ? (describe?.(input, details) ?? null) : null;
  return (
    described ?? {
      input: { kind: 'json', json: valueText(input ?? null, MAX_UNITS.toolInput) },
      title: aboutTask(input) ?? about(input),
    }
  );
}

/** `#3 · completed`: the number of the task that an update changes, and the changes. */
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
  // The file existed before, so the diff is more useful than the whole content.
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

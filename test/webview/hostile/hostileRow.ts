import type {
  ContentBlock,
  CutText,
  ItemRole,
  ToolBlock,
  ToolInput,
  ToolResult,
} from '../../../src/protocol/conversation';

/** The answers of the fake extension when a block asks for more content. Null means that it is not available. */
export interface HostAnswers {
  readonly text?: string | null;
  readonly image?: string | null;
  readonly persisted?: string | null;
}

/** A transcript row that tries to harm the reader of the panel. */
export interface HostileRow {
  readonly name: string;
  readonly role?: ItemRole;
  /** Creates the blocks on demand, because some of them are megabytes in size. */
  readonly blocks: () => readonly ContentBlock[];
  /** The answers of the fake extension when a block asks for more content. */
  readonly answers?: HostAnswers;
}

export function cut(text: string, more = 0): CutText {
  return { text, more };
}

export function markdown(text: string): ContentBlock {
  return { kind: 'text', path: 'content.0', body: cut(text) };
}

export function result(text: string, also: Partial<ToolResult> = {}): ToolResult & { line: number } {
  return { path: 'result', isError: false, text: cut(text), images: [], persisted: null, line: 1, ...also };
}

export function tool(input: ToolInput, also: Partial<ToolBlock> = {}): ToolBlock {
  return {
    kind: 'tool',
    path: 'content.0',
    id: 'toolu_1',
    name: 'Tool',
    title: 'title',
    input,
    result: null,
    subagent: null,
    ...also,
  };
}

export function bash(output: string): ContentBlock {
  return tool(
    { kind: 'bash', command: cut('cat hostile'), description: null },
    { name: 'Bash', title: 'cat hostile', result: result(output) },
  );
}

/** A text in each place that shows text: what is harmless in one may not be in another. */
export function everywhere(text: string): readonly ContentBlock[] {
  const body = cut(text);
  return [
    markdown(text),
    { kind: 'thinking', path: 'content.1', body, isRedacted: false },
    { kind: 'summary', path: 'content.2', body },
    { kind: 'error', path: 'content.3', body },
    { kind: 'note', title: text, path: 'content.4', body },
    { kind: 'raw', title: text, path: 'content.5', body },
    bash(text),
    tool({ kind: 'diff', filePath: text, hunks: hunks(text), more: 0 }, { path: 'content.6', name: text, title: text }),
    tool({ kind: 'web', url: text, query: text, prompt: text }, { path: 'content.7', result: result(text) }),
    tool({ kind: 'json', json: body }, { path: 'content.8', result: result(text, { isError: true }) }),
    tool({ kind: 'todos', todos: [{ text, status: text }] }, { path: 'content.9' }),
  ];
}

function hunks(text: string): { oldStart: number; newStart: number; lines: { kind: 'added'; text: string }[] }[] {
  return [{ oldStart: 1, newStart: 1, lines: [{ kind: 'added', text }] }];
}

/** Values that a worker must not send, but that another version might. */
export function wild(block: unknown): ContentBlock {
  // SAFETY: It is not one; that is the purpose of the test.
  return block as ContentBlock;
}

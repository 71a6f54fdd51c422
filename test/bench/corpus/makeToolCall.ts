import type { Chance } from './chance';
import type { Texts } from './texts';

/** A tool call with its result: what the model reads (`content`) and what the client stores of it (`kept`). */
export interface ToolCall {
  readonly name: string;
  readonly input: object;
  readonly content: unknown;
  readonly kept: object;
}

/** The values from which a session's calls are created. */
export interface ToolSurroundings {
  readonly chance: Chance;
  readonly texts: Texts;
  readonly cwd: string;
  /** Maximum size of an image, so that a small session has no large one. */
  readonly maxImageBytes: number;
}

type ToolMaker = (around: ToolSurroundings) => ToolCall;

const SMALLEST_IMAGE_BYTES = 30_000;

/** With the cumulative fraction of the calls, as in coding sessions. */
const MAKERS: readonly { readonly upTo: number; readonly make: ToolMaker }[] = [
  { upTo: 0.35, make: read },
  { upTo: 0.65, make: bash },
  { upTo: 0.85, make: edit },
  { upTo: 0.91, make: todoWrite },
  { upTo: 0.965, make: task },
  { upTo: 0.993, make: grep },
  { upTo: 1, make: readImage },
];

export function makeToolCall(around: ToolSurroundings): ToolCall {
  const drawn = around.chance.next();
  return (MAKERS.find(({ upTo }) => drawn < upTo)?.make ?? read)(around);
}

function read({ chance, texts, cwd }: ToolSurroundings): ToolCall {
  const filePath = fileIn(cwd, chance);
  const content = texts.code(chance.around(3500, 0.9, 200, 40_000));
  const numLines = content.split('\n').length;
  return {
    name: 'Read',
    input: { file_path: filePath },
    content: numbered(content),
    kept: { type: 'text', file: { filePath, content, numLines, startLine: 1, totalLines: numLines } },
  };
}

function bash({ chance, texts }: ToolSurroundings): ToolCall {
  const stdout = texts.code(chance.around(900, 1.3, 10, 30_000));
  return {
    name: 'Bash',
    input: { command: texts.code(chance.between(20, 300)), description: texts.prose(50) },
    content: stdout,
    kept: { stdout, stderr: chance.hasLuck(0.1) ? texts.code(200) : '', interrupted: false, isImage: false },
  };
}

function edit({ chance, texts, cwd }: ToolSurroundings): ToolCall {
  const filePath = fileIn(cwd, chance);
  const originalFile = texts.code(chance.around(5000, 0.8, 200, 50_000));
  const oldString = originalFile.slice(0, chance.between(50, 600));
  const newString = texts.code(chance.between(50, 800));
  const lines = [
    ...oldString.split('\n').map((line) => `-${line}`),
    ...newString.split('\n').map((line) => `+${line}`),
  ];
  const structuredPatch = [{ oldStart: 1, oldLines: 10, newStart: 1, newLines: 12, lines }];
  return {
    name: 'Edit',
    input: { file_path: filePath, old_string: oldString, new_string: newString, replace_all: false },
    content: `The file ${filePath} has been updated. Here's the result of running \`cat -n\` on a snippet of the edited file:\n${numbered(newString)}`,
    kept: { filePath, oldString, newString, originalFile, structuredPatch, userModified: false, replaceAll: false },
  };
}

function todoWrite({ chance, texts }: ToolSurroundings): ToolCall {
  const todos = Array.from({ length: chance.between(2, 9) }, () => ({
    content: texts.prose(50),
    status: chance.pick(['pending', 'in_progress', 'completed']),
    activeForm: texts.prose(40),
  }));
  return {
    name: 'TodoWrite',
    input: { todos },
    content:
      'Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress.',
    kept: { oldTodos: todos, newTodos: todos },
  };
}

function task({ chance, texts }: ToolSurroundings): ToolCall {
  const prompt = texts.prose(600);
  const content = [{ type: 'text', text: texts.prose(2000) }];
  return {
    name: 'Task',
    input: { description: texts.prose(30), prompt, subagent_type: 'Explore' },
    content,
    kept: {
      status: 'completed',
      prompt,
      agentId: chance.hex(17),
      content,
      totalDurationMs: chance.between(1, 99_999),
      // Keys of a row, in a place where they do not describe the row.
      uuid: chance.uuid(),
      parentUuid: null,
    },
  };
}

function grep({ chance, texts, cwd }: ToolSurroundings): ToolCall {
  const filenames = [fileIn(cwd, chance), fileIn(cwd, chance)];
  return {
    name: 'Grep',
    input: { pattern: texts.code(20), path: cwd },
    content: `Found 2 files\n${filenames.join('\n')}`,
    kept: { mode: 'files_with_matches', filenames, numFiles: 2 },
  };
}

function readImage({ chance, texts, cwd, maxImageBytes }: ToolSurroundings): ToolCall {
  const filePath = `${fileIn(cwd, chance)}.png`;
  const data = texts.base64(
    chance.around(350_000, 1, SMALLEST_IMAGE_BYTES, Math.max(SMALLEST_IMAGE_BYTES, maxImageBytes)),
  );
  const base64 = chance.hasLuck(0.3) ? data : data.slice(0, 2000);
  return {
    name: 'Read',
    input: { file_path: filePath },
    content: [{ type: 'image', source: { type: 'base64', data, media_type: 'image/png' } }],
    kept: { type: 'image', file: { base64, type: 'image/png', originalSize: data.length } },
  };
}

function fileIn(cwd: string, chance: Chance): string {
  return `${cwd}/src/${chance.hex(6)}.ts`;
}

function numbered(text: string): string {
  return text
    .split('\n')
    .map((line, at) => `${String(at + 1).padStart(6)}→${line}`)
    .join('\n');
}

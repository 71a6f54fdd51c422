import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ContentBlock, RowItem, ToolBlock } from '../../../src/shared/conversation';
import { MAX_LINES, MAX_UNITS } from '../../../src/core/read/describe/cutText';
import { describeRow } from '../../../src/core/read/describe/describeRow';
import { bareContext, type RowContext } from '../../../src/core/read/describe/rowContext';
import { isJsonObject, type JsonObject } from '../../../src/core/claude/json';

function describeJson(row: unknown, context: Partial<RowContext> = {}): RowItem {
  return describeRow(row, { ...bareContext(7), ...context });
}

function blocksOf(row: unknown, context: Partial<RowContext> = {}): readonly ContentBlock[] {
  return describeJson(row, context).blocks;
}

function user(content: unknown, fields: JsonObject = {}): JsonObject {
  return { type: 'user', message: { role: 'user', content }, ...fields };
}

function assistant(content: unknown, fields: JsonObject = {}): JsonObject {
  return { type: 'assistant', message: { role: 'assistant', model: 'claude-test', content }, ...fields };
}

/** The only call of a row with the given call, answered by a row with the given result. */
function toolOf(name: string, input: unknown, answer?: JsonObject, toolUseResult?: unknown): ToolBlock {
  const object = user([{ type: 'tool_result', tool_use_id: 'a', ...answer }], { toolUseResult });
  const results = answer === undefined ? [] : [{ line: 9, pathPrefix: '', object }];
  const [block] = blocksOf(assistant([{ type: 'tool_use', id: 'a', name, input }]), { results });
  assert.ok(block?.kind === 'tool');
  return block;
}

describe('A row of a conversation', () => {
  it('is told with who, when and by which model', () => {
    const item = describeJson({
      ...assistant('hello'),
      uuid: 'u',
      timestamp: '2026-01-01T00:00:00.000Z',
      isSidechain: true,
    });
    assert.deepEqual(
      { ...item },
      {
        kind: 'row',
        line: 7,
        uuid: 'u',
        role: 'assistant',
        timeMs: Date.UTC(2026, 0, 1),
        isLoaded: null,
        isSidechain: true,
        continues: false,
        model: 'claude-test',
        blocks: [{ kind: 'text', path: 'message.content', body: { text: 'hello', more: 0 } }],
        branches: [],
      },
    );
  });

  it('holds what a person typed, and what the client wrote in their name, apart', () => {
    const kinds = (text: string, fields: JsonObject = {}): string => {
      const [block] = blocksOf(user(text, fields));
      return block?.kind === 'note' ? `note ${block.title}` : (block?.kind ?? '');
    };
    assert.equal(kinds('hello'), 'text');
    assert.equal(kinds('[Request interrupted by user]'), 'interruption');
    assert.equal(kinds('<local-command-stdout>x</local-command-stdout>'), 'note Command output');
    assert.equal(kinds('<system-reminder>x</system-reminder>'), 'note Note to Claude');
    assert.equal(
      kinds('<task-notification><summary>Agent done</summary></task-notification>'),
      'note Task notification: Agent done',
    );
    assert.equal(kinds('anything', { isMeta: true }), 'note Note to Claude');
    assert.equal(kinds('anything', { isCompactSummary: true }), 'summary');
    assert.equal(kinds('<b>hello</b>'), 'text');
  });

  it('shows a command as it was typed', () => {
    const text =
      '<command-name>/rename</command-name>\n <command-message>rename</command-message><command-args>my title</command-args>';
    assert.deepEqual(blocksOf(user(text)), [
      { kind: 'text', path: 'message.content', body: { text: '/rename my title', more: 0 } },
    ]);
  });

  it('tells an interruption during a tool from others', () => {
    assert.deepEqual(blocksOf(user([{ type: 'text', text: '[Request interrupted by user for tool use]' }])), [
      { kind: 'interruption', duringTool: true },
    ]);
  });

  it('holds thinking, redacted or not', () => {
    const blocks = blocksOf(
      assistant([
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'redacted_thinking', data: 'x' },
      ]),
    );
    assert.deepEqual(
      blocks.map((block) => block.kind === 'thinking' && [block.body.text, block.isRedacted]),
      [
        ['hm', false],
        ['', true],
      ],
    );
  });

  it('tells an API error', () => {
    assert.equal(
      blocksOf(assistant([{ type: 'text', text: 'API Error: 500' }], { isApiErrorMessage: true }))[0]?.kind,
      'error',
    );
  });

  it('tells a compaction', () => {
    const row = { type: 'system', subtype: 'compact_boundary', compactMetadata: { trigger: 'auto', preTokens: 1234 } };
    assert.deepEqual(blocksOf(row, { earlierRows: 5 }), [
      { kind: 'compaction', trigger: 'auto', tokensBefore: 1234, earlierRows: 5 },
    ]);
  });

  it('holds a picture without its bytes', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
    assert.deepEqual(blocksOf(user([{ type: 'image', source }])), [
      { kind: 'image', path: 'message.content.0.source', mediaType: 'image/png', bytes: 3 },
    ]);
  });

  it('takes no script for a picture', () => {
    const source = { type: 'base64', media_type: 'image/svg+xml', data: 'AAAA' };
    assert.equal(blocksOf(user([{ type: 'image', source }]))[0]?.kind, 'raw');
  });

  it('shows unknown blocks and rows as they are', () => {
    const [block] = blocksOf(assistant([{ type: 'of_tomorrow', value: 1 }]));
    assert.ok(block?.kind === 'raw');
    assert.equal(block.title, 'of_tomorrow');
    assert.match(block.body.text, /"value": 1/);
    const unknown = describeJson({ type: 'of-tomorrow' });
    assert.equal(unknown.role, 'unknown');
    assert.equal(unknown.blocks[0]?.kind, 'raw');
    assert.equal(blocksOf({ type: 'custom-title', customTitle: 'x' })[0]?.kind, 'note');
  });

  it('shows a prompt that had to wait as a prompt', () => {
    const row = { type: 'attachment', attachment: { type: 'queued_command', prompt: 'and then?' } };
    assert.deepEqual(blocksOf(row), [
      { kind: 'text', path: 'attachment.prompt', body: { text: 'and then?', more: 0 } },
    ]);
  });
});

describe('A call of a tool', () => {
  it('is told by its kind', () => {
    const kinds = (name: string, input: unknown): string => {
      const block = toolOf(name, input);
      return `${block.input.kind}: ${block.title}`;
    };
    assert.equal(kinds('Bash', { command: 'ls\n -l' }), 'bash: ls -l');
    assert.equal(kinds('Read', { file_path: '/a', offset: 3 }), 'read: /a');
    assert.equal(kinds('Write', { file_path: '/a', content: 'x' }), 'write: /a');
    assert.equal(kinds('Edit', { file_path: '/a', old_string: 'x', new_string: 'y' }), 'diff: /a');
    assert.equal(kinds('MultiEdit', { file_path: '/a', edits: [{ old_string: 'x', new_string: 'y' }] }), 'diff: /a');
    assert.equal(kinds('Grep', { pattern: 'x', path: '/a' }), 'search: x');
    assert.equal(kinds('Glob', { pattern: '*.ts' }), 'search: *.ts');
    assert.equal(kinds('WebFetch', { url: 'https://a', prompt: 'p' }), 'web: https://a');
    assert.equal(kinds('WebSearch', { query: 'q' }), 'web: q');
    assert.equal(kinds('Task', { description: 'look', prompt: 'p', subagent_type: 't' }), 'agent: look');
    assert.equal(kinds('TodoWrite', { todos: [{ content: 'a', status: 'in_progress' }] }), 'todos: a');
    assert.equal(kinds('mcp__server__tool', { query: 'q' }), 'json: q');
    assert.equal(kinds('toString', { x: 'y' }), 'json: y');
    assert.equal(kinds('Bash', { command: 5 }), 'json: ');
    assert.equal(kinds('Edit', null), 'json: ');
  });

  it('shows an edit as the client wrote it down, where it did', () => {
    const structuredPatch = [
      { oldStart: 10, oldLines: 1, newStart: 10, newLines: 1, lines: [' a', '-b', '+c', '\\ No newline'] },
    ];
    const { input } = toolOf(
      'Edit',
      { file_path: '/a', old_string: 'b', new_string: 'c' },
      { content: 'ok' },
      { structuredPatch },
    );
    assert.deepEqual(input, {
      kind: 'diff',
      filePath: '/a',
      hunks: [
        {
          oldStart: 10,
          newStart: 10,
          lines: [
            { kind: 'context', text: 'a' },
            { kind: 'removed', text: 'b' },
            { kind: 'added', text: 'c' },
          ],
        },
      ],
      more: 0,
    });
  });

  it('compares the two texts of an edit otherwise', () => {
    const { input } = toolOf('Edit', { file_path: '/a', old_string: 'a\nb\nc', new_string: 'a\nx\nc' });
    assert.ok(input.kind === 'diff');
    assert.deepEqual(
      input.hunks.flatMap(({ lines }) => lines.map(({ kind, text }) => `${kind} ${text}`)),
      ['context a', 'removed b', 'added x', 'context c'],
    );
  });

  it('leaves out the lines of a long edit', () => {
    const text = (word: string): string => Array.from({ length: 5000 }, (_, at) => `${word} ${at}`).join('\n');
    const { input } = toolOf('Edit', { file_path: '/a', old_string: text('x'), new_string: text('y') });
    assert.ok(input.kind === 'diff');
    const lines = input.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
    assert.ok(lines <= MAX_LINES);
    assert.equal(lines + input.more, 10_000);
  });

  it('holds its result: text, error, pictures', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
    const { result } = toolOf(
      'Bash',
      { command: 'ls' },
      { content: [{ type: 'text', text: 'out' }, image], is_error: true },
    );
    assert.deepEqual(result, {
      line: 9,
      path: 'message.content.0.content',
      isError: true,
      text: { text: 'out', more: 0 },
      images: [{ path: 'message.content.0.content.1.source', mediaType: 'image/png', bytes: 3 }],
      persisted: null,
    });
  });

  it('tells where the client kept an output that was too long', () => {
    const content =
      '<persisted-output>\nOutput too large (50KB). Full output saved to: /s/tool-results/x.txt\n\nPreview:\n…</persisted-output>';
    assert.equal(toolOf('Bash', { command: 'ls' }, { content }).result?.persisted, '/s/tool-results/x.txt');
  });

  it('says nothing of an empty result', () => {
    assert.equal(toolOf('Bash', { command: 'ls' }, {}).result?.text, null);
    assert.equal(toolOf('Bash', { command: 'ls' }, {}, 'Error: no').result?.text?.text, 'Error: no');
  });
});

const HOSTILE_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  'text',
  '\u0000\ud800',
  [],
  {},
  [null],
  [[]],
  [{}],
  { type: null },
  { type: {} },
  { __proto__: null, constructor: 1 },
  JSON.parse('{"__proto__": {"type": "text"}}'),
  JSON.parse(`${'['.repeat(10_000)}${']'.repeat(10_000)}`),
  JSON.parse(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
  'x'.repeat(70_000),
  '\n'.repeat(70_000),
  ' '.repeat(70_000),
  '😀'.repeat(30_000),
  Array.from({ length: 2_000 }, () => ({ type: 'text', text: 'x' })),
];

/** Longest text of one block that a panel is sent, in units: an edit is told line by line. */
const LONGEST = Math.max(...Object.values(MAX_UNITS)) + 10;

function longestText(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return Math.max(0, ...value.map(longestText));
  return isJsonObject(value) ? Math.max(0, ...Object.values(value).map(longestText)) : 0;
}

describe('A hostile row', () => {
  const places: readonly ((value: unknown) => unknown)[] = [
    (value) => value,
    ...['user', 'assistant', 'system', 'attachment', 'progress', 'of-tomorrow'].flatMap((type) => [
      (value: unknown): unknown => ({
        type,
        message: value,
        attachment: value,
        data: value,
        content: value,
        subtype: value,
      }),
      (value: unknown): unknown => ({
        type,
        uuid: value,
        timestamp: value,
        isSidechain: value,
        isMeta: value,
        message: { content: 'x', model: value },
      }),
      (value: unknown): unknown => ({
        type,
        message: { content: value },
        attachment: { type: value, content: value, prompt: value },
      }),
      (value: unknown): unknown => ({
        type,
        message: { content: [value] },
        attachment: { content: { type: 'image', file: value } },
      }),
      ...['text', 'thinking', 'tool_use', 'tool_result', 'image', 'document'].map(
        (block) =>
          (value: unknown): unknown => ({
            type,
            toolUseResult: value,
            message: {
              content: [
                {
                  type: block,
                  text: value,
                  thinking: value,
                  id: value,
                  tool_use_id: value,
                  name: value,
                  input: value,
                  content: value,
                  source: value,
                },
              ],
            },
          }),
      ),
    ]),
    ...[
      'Bash',
      'Read',
      'Write',
      'Edit',
      'MultiEdit',
      'NotebookEdit',
      'Grep',
      'LS',
      'WebFetch',
      'Task',
      'TodoWrite',
    ].map(
      (name) =>
        (value: unknown): unknown =>
          assistant([
            {
              type: 'tool_use',
              id: 'a',
              name,
              input: {
                ...{ command: value, description: value, file_path: value, content: value, old_string: value },
                ...{ new_string: value, edits: value, pattern: value, path: value, url: value, query: value },
                ...{ prompt: value, subagent_type: value, todos: value, offset: value, new_source: value },
              },
            },
          ]),
    ),
    ...['compact_boundary', 'turn_duration', 'local_command', 'api_error', 'x'].map(
      (subtype) =>
        (value: unknown): unknown => ({
          type: 'system',
          subtype,
          content: value,
          compactMetadata: value,
          durationMs: value,
          level: 'error',
          error: { message: value },
        }),
    ),
  ];

  it('is described, and no text of it is longer than its bound', function () {
    this.timeout(60_000);
    for (const place of places) {
      for (const value of HOSTILE_VALUES) {
        const row = place(value);
        const { blocks, ...item } = describeJson(row);
        assert.ok(blocks.length > 0);
        for (const block of blocks) assert.ok(longestText(block) <= LONGEST);
        assert.ok(longestText(item) <= LONGEST);
      }
    }
  });

  it('is described with hostile results', () => {
    for (const value of HOSTILE_VALUES) {
      const patch = { structuredPatch: [{ oldStart: value, newStart: value, lines: value }], agentId: value };
      for (const name of ['Bash', 'Edit', 'Agent']) {
        const block = toolOf(
          name,
          { file_path: '/a', old_string: 'a', new_string: 'b', prompt: 'x' },
          { content: value, is_error: value },
          patch,
        );
        assert.ok(longestText(block) <= LONGEST);
      }
    }
  });

  it('is described whatever JSON it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...places), (value, place) => {
        assert.ok(describeJson(place(value)).blocks.length > 0);
      }),
      { numRuns: 500 },
    );
  });

  it('is cut between characters, not within one', () => {
    const text = `x${'😀'.repeat(MAX_UNITS.text)}`;
    const [block] = blocksOf(assistant(text));
    assert.ok(block?.kind === 'text');
    assert.equal(block.body.text.length + block.body.more, text.length);
    assert.ok(block.body.text.endsWith('😀'));
  });
});

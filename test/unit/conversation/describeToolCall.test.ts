import assert from 'node:assert/strict';
import { MAX_LINES } from '../../rooms/conversation';
import { assistant, blocksOf, toolOf } from './describing';

describe('A tool call', () => {
  it('is described by its kind', () => {
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
    assert.equal(
      kinds('TaskCreate', { description: 'All of it', subject: 'Write the parser' }),
      'json: Write the parser',
    );
    assert.equal(kinds('TaskUpdate', { taskId: '3', status: 'in_progress' }), 'json: #3 · in progress');
    assert.equal(kinds('TaskUpdate', { taskId: '3', subject: 'Ship it' }), 'json: #3 · Ship it');
    assert.equal(kinds('TodoWrite', { todos: [{ content: 'a', status: 'in_progress' }] }), 'todos: a');
    assert.equal(kinds('mcp__server__tool', { query: 'q' }), 'json: q');
    assert.equal(kinds('toString', { x: 'y' }), 'json: y');
    assert.equal(kinds('Bash', { command: 5 }), 'json: ');
    assert.equal(kinds('Edit', null), 'json: ');
  });

  it('is shown with its result if both are in one row, as for a server-side search', () => {
    const call = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } };
    const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [{ type: 'text', text: 'T' }] };
    const other = { ...found, tool_use_id: 'elsewhere' };
    const [first, second, ...more] = blocksOf(assistant([call, found, other]));
    assert.ok(first?.kind === 'tool' && second?.kind === 'result');
    assert.equal(first.result?.line, 7);
    assert.equal(first.result.path, 'message.content.1.content');
    assert.equal(first.result.text?.text, 'T');
    assert.deepEqual([second.toolUseId, more], ['elsewhere', []]);
  });

  it('keeps the last line of an edited part if the new part goes on after it', () => {
    const { input } = toolOf('Edit', {
      file_path: '/a',
      old_string: 'let a;\nlet b;',
      new_string: 'let a2;\nlet b;\nlet c;',
    });
    assert.ok(input.kind === 'diff');
    const lines = input.hunks.flatMap((hunk) => hunk.lines.map(({ kind, text }) => `${kind} ${text}`));
    assert.deepEqual(lines, ['removed let a;', 'added let a2;', 'context let b;', 'added let c;']);
  });

  it('shows an edit as the client recorded it, if it did', () => {
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
      counts: { added: 1, removed: 1 },
      more: 0,
    });
  });

  it('otherwise compares the two texts of an edit', () => {
    const { input } = toolOf('Edit', { file_path: '/a', old_string: 'a\nb\nc', new_string: 'a\nx\nc' });
    assert.ok(input.kind === 'diff');
    assert.deepEqual(
      input.hunks.flatMap(({ lines }) => lines.map(({ kind, text }) => `${kind} ${text}`)),
      ['context a', 'removed b', 'added x', 'context c'],
    );
  });

  it('shortens a long edit', () => {
    const text = (word: string): string => Array.from({ length: 5000 }, (_, at) => `${word} ${at}`).join('\n');
    const { input } = toolOf('Edit', { file_path: '/a', old_string: text('x'), new_string: text('y') });
    assert.ok(input.kind === 'diff');
    const lines = input.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
    assert.ok(lines <= MAX_LINES);
    assert.equal(lines + input.more, 10_000);
  });

  it('shows its result: text, error, images', () => {
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

  it('states where the client kept an output that was too long', () => {
    const content =
      '<persisted-output>\nOutput too large (50KB). Full output saved to: /s/tool-results/x.txt\n\nPreview:\n…</persisted-output>';
    assert.equal(toolOf('Bash', { command: 'ls' }, { content }).result?.persisted, '/s/tool-results/x.txt');
  });

  it('shows nothing for an empty result', () => {
    assert.equal(toolOf('Bash', { command: 'ls' }, {}).result?.text, null);
    assert.equal(toolOf('Bash', { command: 'ls' }, {}, 'Error: no').result?.text?.text, 'Error: no');
  });
});

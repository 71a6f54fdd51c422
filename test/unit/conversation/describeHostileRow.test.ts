import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MAX_UNITS } from '../../rooms/conversation';
import { isJsonObject } from '../../rooms/util';
import { assistant, blocksOf, describeJson, toolOf } from './describing';

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

/** Longest text of one block that a panel receives, in UTF-16 units. An edit is sent line by line. */
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

  it('is described, with no text longer than its limit', function () {
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

  it('is described, whatever JSON it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...places), (value, place) => {
        assert.ok(describeJson(place(value)).blocks.length > 0);
      }),
      { numRuns: 500 },
    );
  });

  it('is cut between characters, not inside one', () => {
    const text = `x${'😀'.repeat(MAX_UNITS.text)}`;
    const [block] = blocksOf(assistant(text));
    assert.ok(block?.kind === 'text');
    assert.equal(block.body.text.length + block.body.more, text.length);
    assert.ok(block.body.text.endsWith('😀'));
  });
});

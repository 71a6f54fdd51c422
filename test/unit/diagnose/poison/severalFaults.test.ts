import assert from 'node:assert/strict';
import { type Block, type NewMessage, type Repaired, repaired, withMessages } from './addedMessages';

function call(id: string, input: unknown = {}): Block {
  return { type: 'tool_use', id, name: 'Bash', input };
}

function resultOf(id: string, more: Block = { content: 'done' }): Block {
  return { type: 'tool_result', tool_use_id: id, ...more };
}

function idsOf(blocks: Repaired['blocks'], key: string): unknown[] {
  return blocks.flat().flatMap((block) => (key in block ? [block[key]] : []));
}

describe('Illegal ids that differ only in illegal characters', () => {
  it('stay different for calls of one message', async () => {
    const { blocks, findings } = await repaired(
      withMessages([
        ['assistant', [call('a:b'), call('a.b')]],
        ['user', [resultOf('a:b'), resultOf('a.b')]],
        ['assistant', [{ type: 'text', text: 'Done.' }]],
      ]),
    );
    assert.deepEqual(idsOf(blocks, 'id'), ['a_b', 'a_b_b2']);
    assert.deepEqual(idsOf(blocks, 'tool_use_id'), ['a_b', 'a_b_b2']);
    assert.deepEqual(findings, []);
  });

  it('stay different for calls of two turns', async () => {
    const { blocks, findings } = await repaired(
      withMessages([
        ['assistant', [call('a:b')]],
        ['user', [resultOf('a:b')]],
        ['assistant', [call('a.b')]],
        ['user', [resultOf('a.b')]],
        ['assistant', [{ type: 'text', text: 'Done.' }]],
      ]),
    );
    assert.deepEqual(idsOf(blocks, 'id'), ['a_b', 'a_b_b2']);
    assert.deepEqual(idsOf(blocks, 'tool_use_id'), ['a_b', 'a_b_b2']);
    assert.deepEqual(findings, []);
  });

  it("stay different for calls of the API's own tools", async () => {
    const search = { type: 'server_tool_use', name: 'web_search', input: {} };
    const found = { type: 'web_search_tool_result', content: [] };
    const { blocks, findings } = await repaired(
      withMessages([
        [
          'assistant',
          [
            { ...search, id: 'call-1' },
            { ...found, tool_use_id: 'call-1' },
            { ...search, id: 'call.1' },
            { ...found, tool_use_id: 'call.1' },
          ],
        ],
      ]),
    );
    assert.deepEqual(idsOf(blocks, 'id'), ['srvtoolu_call_1', 'srvtoolu_call_1_b2']);
    assert.deepEqual(idsOf(blocks, 'tool_use_id'), ['srvtoolu_call_1', 'srvtoolu_call_1_b2']);
    assert.deepEqual(findings, []);
  });

  it("stay different for a tool and one of the API's own", async () => {
    const { blocks } = await repaired(
      withMessages([
        [
          'assistant',
          [
            { type: 'server_tool_use', name: 'web_search', input: {}, id: 'x.1' },
            { type: 'web_search_tool_result', content: [], tool_use_id: 'x.1' },
            call('srvtoolu_x:1'),
          ],
        ],
        ['user', [resultOf('srvtoolu_x:1')]],
      ]),
    );
    assert.deepEqual(idsOf(blocks, 'id'), ['srvtoolu_x_1', 'srvtoolu_x_1_b2']);
    assert.deepEqual(idsOf(blocks, 'tool_use_id'), ['srvtoolu_x_1', 'srvtoolu_x_1_b2']);
  });

  it('become none that the client takes for another name of an id that is there', async () => {
    const { blocks } = await repaired(
      withMessages([
        ['assistant', [call('a'), call('a:1')]],
        ['user', [resultOf('a'), resultOf('a:1')]],
      ]),
    );
    assert.deepEqual(idsOf(blocks, 'id'), ['a', 'a_1_b2']);
  });

  it('stay different where later calls get an id of their own', async () => {
    const turn = (id: string): NewMessage[] => [
      ['assistant', [call(id)]],
      ['user', [resultOf(id)]],
    ];
    const { blocks, findings } = await repaired(withMessages(['a', 'a_b2', 'a', 'a_b2'].flatMap(turn)), 'tool-pairing');
    assert.equal(new Set(idsOf(blocks, 'id')).size, 4);
    assert.deepEqual(idsOf(blocks, 'tool_use_id'), idsOf(blocks, 'id'));
    assert.deepEqual(findings, []);
  });
});

describe('A result behind a text in a message with another fault', () => {
  const note = { type: 'text', text: 'note' };
  const good = resultOf('toolu_x');
  const cases: readonly (readonly [what: string, id: string, content: readonly Block[], after: readonly Block[]])[] = [
    ['the id of the call', 'a:1', [note, resultOf('a:1')], [resultOf('a_1'), note]],
    [
      'an empty text in the result',
      'toolu_x',
      [note, resultOf('toolu_x', { content: [{ type: 'text', text: '' }] })],
      [resultOf('toolu_x', { content: [{ type: 'text', text: '[no output]' }] }), note],
    ],
    [
      'a block of an unknown type',
      'toolu_x',
      [{ type: 'odd' }, note, good],
      [good, { type: 'text', text: '{"type":"odd"}' }, note],
    ],
    [
      'an unknown kind of content in the result',
      'toolu_x',
      [note, resultOf('toolu_x', { content: [{ type: 'odd' }] })],
      [resultOf('toolu_x', { content: [{ type: 'text', text: '{"type":"odd"}' }] }), note],
    ],
    ['a field that the API does not know', 'toolu_x', [{ ...note, odd: 1 }, good], [good, note]],
    [
      'an empty text that Claude leaves out',
      'toolu_x',
      [{ type: 'text', text: '' }, note, good],
      [good, { type: 'text', text: '' }, note],
    ],
  ];
  for (const [what, id, content, after] of cases) {
    it(`is mended by the same repair: ${what}`, async () => {
      const { blocks } = await repaired(
        withMessages([
          ['assistant', [call(id)]],
          ['user', content],
        ]),
      );
      assert.deepEqual(blocks[1], after);
    });
  }
});

describe('A later call with the id of an earlier one', () => {
  it('is sent after a repair that also mends what else is wrong with it', async () => {
    const { blocks, findings } = await repaired(
      withMessages([
        ['assistant', [call('toolu_x')]],
        ['user', [resultOf('toolu_x')]],
        ['assistant', [call('toolu_x', 'ls')]],
        ['user', [resultOf('toolu_x')]],
      ]),
      'tool-pairing',
    );
    assert.deepEqual(blocks[2], [call('toolu_x_b2', { value: 'ls' })]);
    assert.deepEqual(blocks[3], [resultOf('toolu_x_b2')]);
    assert.deepEqual(findings, []);
  });
});

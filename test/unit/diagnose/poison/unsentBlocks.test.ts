import assert from 'node:assert/strict';
import { type Block, foundIn, repaired, type Row, useStored, withMessages } from './addedMessages';

const TEXT = { type: 'text', text: 'Found it.' };
const TOOLS = ['web_search', 'web_fetch', 'code_execution', 'bash_code_execution', 'tool_search'];

function pair(tool: string): readonly [call: Block, result: Block] {
  return [
    { type: 'server_tool_use', id: 'srvtoolu_1', name: tool, input: {} },
    { type: `${tool}_tool_result`, tool_use_id: 'srvtoolu_1', content: [] },
  ];
}

/** Puts a prompt between a call and its result, which are rows of one message or of two. `isLast`: nothing follows. */
function split(tool: string, isOneMessage: boolean, isLast = false): Row[] {
  const [call, result] = pair(tool);
  const rows = withMessages([
    ['assistant', [call]],
    ['user', 'go on'],
    ['assistant', [result, TEXT]],
    ...(isLast ? [] : ([['user', 'and now?']] as const)),
  ]);
  const calling = rows.length - (isLast ? 3 : 4);
  const id = rows[calling]?.message.id ?? '';
  return rows.map((row, at) =>
    isOneMessage && at === calling + 2 ? { ...row, message: { ...row.message, id } } : row,
  );
}

describe("A result of one of the API's own tools", () => {
  for (const tool of TOOLS) {
    it(`is refused apart from its call, which it joins again: ${tool}`, async () => {
      const rows = split(tool, true);
      assert.deepEqual(await foundIn(rows), ['server-tool error', 'server-tool info']);
      const { result, findings, blocks } = await repaired(rows);
      assert.deepEqual(
        result.edits.map(({ field }) => field),
        ['parentUuid', 'parentUuid', 'parentUuid'],
      );
      assert.deepEqual(findings, []);
      assert.deepEqual(blocks, [[pair(tool)[0]], [], [pair(tool)[1], TEXT], []]);
    });
  }

  it('becomes a text if its call is in another message', async () => {
    const rows = split('web_search', false);
    assert.deepEqual(await foundIn(rows), ['server-tool error', 'server-tool info']);
    const { findings, blocks } = await repaired(rows);
    assert.deepEqual(findings, ['server-tool']);
    const [, result] = pair('web_search');
    assert.deepEqual(blocks.at(-2), [{ type: 'text', text: JSON.stringify(result) }, TEXT]);
  });

  it('becomes a text if the session ends with it: moved behind it, the prompt would be the end', async () => {
    const { blocks } = await repaired(split('web_search', true, true));
    const [, result] = pair('web_search');
    assert.deepEqual(blocks.at(-1), [{ type: 'text', text: JSON.stringify(result) }, TEXT]);
  });

  it('becomes a text with its call if that is behind it', async () => {
    const [call, result] = pair('web_search');
    const rows = withMessages([['assistant', [result, call, TEXT]]]);
    assert.deepEqual(await foundIn(rows), ['server-tool error']);
    const { findings, blocks } = await repaired(rows);
    assert.deepEqual(findings, []);
    assert.deepEqual(blocks, [
      [result, call].map((each) => ({ type: 'text', text: JSON.stringify(each) })).concat(TEXT),
    ]);
  });

  it('is not sent at all if it is the advisor’s, so nothing is wrong', async () => {
    const [call, result] = pair('advisor');
    for (const content of [[call, result, TEXT], [result, call, TEXT], [result, TEXT], [result]]) {
      assert.deepEqual(await foundIn(withMessages([['assistant', content]])), [], JSON.stringify(content));
    }
  });
});

describe('Thinking', () => {
  const odd = { type: 'thinking', thinking: 'hm', signature: 'c2ln', cache_control: { type: 'ephemeral' } };
  const withModels = (models: readonly string[]): Row[] =>
    withMessages(models.map((_, at) => ['assistant', [at === 0 ? odd : TEXT, TEXT]])).map((row, at, all) => {
      const model = models[at - (all.length - models.length)];
      return model === undefined ? row : { ...row, message: { ...row.message, model } };
    });

  it('is refused with a field that the API does not know, if the session goes on with the same model', async () => {
    for (const models of [
      ['claude-opus-4-6'],
      ['claude-opus-4-6', '<synthetic>'],
      ['claude-opus-4-6', 'claude-opus-4-6'],
    ])
      assert.deepEqual(await foundIn(withModels(models)), ['thinking error'], models.join());
  });

  it('of another model is not sent, so nothing is wrong', async () => {
    assert.deepEqual(await foundIn(withModels(['claude-opus-4-6', 'claude-opus-5-5'])), []);
    const retired = 'claude-3-7-sonnet-20250219';
    assert.deepEqual(await foundIn(withModels([retired])), []);
    assert.deepEqual(await foundIn(withModels(['claude-opus-4-6', retired])), []);
  });

  it('that is redacted and has no data costs all thinking after a refusal, which is told', async () => {
    const redacted = { type: 'redacted_thinking' };
    const rows = withMessages([['assistant', [{ ...redacted, data: 'c2ln' }, redacted, TEXT]]]);
    assert.deepEqual(await foundIn(rows), ['thinking info']);
    const { findings, blocks } = await repaired(rows, 'thinking');
    assert.deepEqual(findings, []);
    assert.deepEqual(blocks, [[{ ...redacted, data: 'c2ln' }, TEXT]]);
  });

  for (const thinking of [undefined, null]) {
    it(`is refused without a text, and gets an empty one: ${String(thinking)}`, async () => {
      const block = { type: 'thinking', ...(thinking === undefined ? {} : { thinking }), signature: 'c2ln' };
      const rows = withMessages([['assistant', [block, TEXT]]]);
      assert.deepEqual(await foundIn(rows), ['thinking error']);
      const { findings, blocks } = await repaired(rows);
      assert.deepEqual(findings, []);
      assert.deepEqual(blocks, [[{ ...block, thinking: '' }, TEXT]]);
    });
  }
});

describe('What is said of several faults of one kind', () => {
  it('names each with its own lines', async () => {
    const [, result] = pair('web_search');
    const first = withMessages([]).length + 1;
    const rows = withMessages([
      ['assistant', [result, TEXT]],
      ['user', 'and now?'],
      [
        'assistant',
        [
          { type: 'server_tool_use', id: 'call_1', name: 'web_search', input: {} },
          { ...result, tool_use_id: 'call_1' },
        ],
      ],
    ]);
    await useStored(rows, async ({ engine, filePath }) => {
      const { findings } = (await engine.scan(filePath, { isThorough: true })).result;
      assert.deepEqual(
        findings.filter(({ isRefused }) => isRefused === true).map(({ message }) => message),
        [
          `A result of one of the API's own tools has no call before it in its message (line ${first}). The id of a call of one of the API's own tools has a form that the API does not accept (line ${first + 2}). Claude's API refuses every further prompt because of them.`,
        ],
      );
    });
  });
});

describe('A session that the API has refused', () => {
  it('is judged by every scan, also if a prompt without a reply follows the error', async () => {
    const [, result] = pair('web_search');
    const rows = withMessages([
      ['assistant', [result, TEXT]],
      ['user', 'and now?'],
      ['assistant', [{ type: 'text', text: 'API Error: 400 something' }]],
      ['user', 'hello?'],
    ]);
    const refused = rows.map((row, at) =>
      at === rows.length - 2
        ? { ...row, isApiErrorMessage: true, message: { ...row.message, model: '<synthetic>' } }
        : row,
    );
    for (const [stored, isFound] of [
      [rows, false],
      [refused, true],
    ] as const) {
      await useStored(stored, async ({ engine, filePath }) => {
        const { findings } = (await engine.scan(filePath)).result;
        assert.equal(
          findings.some(({ isRefused }) => isRefused === true),
          isFound,
        );
      });
    }
  });
});

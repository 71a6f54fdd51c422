import assert from 'node:assert/strict';
import { readMessageWeight } from '../../rooms/format';
import { scanBytes } from '../../support/scanBytes';

const LONG = 'QUJD'.repeat(50_000);
const image = (data: string): object => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } });
const toolResult = (content: unknown): object => ({ type: 'tool_result', tool_use_id: 'toolu_1', content });

function rowWith(content: unknown, type: 'user' | 'assistant' = 'user'): string {
  const [parentUuid, uuid] = [null, '11111111-1111-4111-8111-111111111111'];
  return JSON.stringify({ parentUuid, type, message: { role: type, content }, uuid, toolUseResult: { file: LONG } });
}

describe('What a row weighs that no count of tokens covers', () => {
  const contents: readonly (readonly [string, unknown])[] = [
    ['a prompt', `Say "no": \\ ${LONG}`],
    ['an image', [image(LONG)]],
    ['text beside images', [{ type: 'text', text: 'What is this?' }, image(LONG), image('QQ=='), image(LONG)]],
    ['an image in the result of a tool', [toolResult([{ type: 'text', text: 'Read.' }, image(LONG)])]],
    ['a result that is a text', [toolResult(`é ${LONG}`)]],
    ['results in results', [toolResult([toolResult([image(LONG), { type: 'text', text: 'inner' }])])]],
    ['a result without content', [{ type: 'tool_result', tool_use_id: 'toolu_1' }, image(LONG)]],
    ['a document', [{ type: 'document', source: { type: 'base64', data: LONG } }]],
    ['a document that is a text', [{ type: 'document', source: { type: 'text', data: LONG } }]],
    ['a call with the data of an image', [{ type: 'tool_use', id: 'toolu_1', name: 'Show', input: image(LONG) }]],
    ['a block of an unknown type', [{ type: 'hologram', source: { type: 'base64', data: LONG } }]],
    ['elements that are no blocks', ['image', null, 7, [image(LONG)], image(LONG)]],
    ['an object', image(LONG)],
    ['nothing', []],
  ];
  for (const [what, content] of contents) {
    it(`is the same for a long row with ${what} as for its parsed message`, () => {
      const row = rowWith(content);
      const expected = readMessageWeight(JSON.parse(row) as Record<string, unknown>);
      assert.deepEqual(scanBytes(Buffer.from(`${row}\n`)).uncounted?.weightOf(0), expected);
    });
  }

  const image1 = JSON.stringify(image(LONG));
  const spellings: readonly (readonly [string, string])[] = [
    ['white space', rowWith([image(LONG)]).replaceAll(/([[{:,])(?=["[{])/g, '$1 \t')],
    ['an escape in the type', rowWith([image(LONG)]).replace('"image"', '"im\\u0061ge"')],
    ['two contents', rowWith([]).replace('"content":[]', `"content":[${image1}],"content":"short"`)],
    ['two messages', rowWith([]).replace('{"parentUuid"', `{"message":{"content":[${image1}]},"parentUuid"`)],
    ['a type that follows the data', rowWith([]).replace('[]', `[{"source":{"data":"${LONG}"},"type":"image"}]`)],
    ['two types', rowWith([]).replace('[]', `[{"type":"image","type":"text","text":"${LONG}"}]`)],
  ];
  for (const [what, row] of spellings) {
    it(`is the same for a long row with ${what}`, () => {
      const expected = readMessageWeight(JSON.parse(row) as Record<string, unknown>);
      assert.deepEqual(scanBytes(Buffer.from(`${row}\n`)).uncounted?.weightOf(0), expected);
    });
  }

  it('is that of the first row of a line that holds two', () => {
    const row = rowWith([image(LONG)]);
    const glued = `${row}${row.replace('11111111', '22222222').replace('"image"', '"text"')}\n`;
    assert.deepEqual(scanBytes(Buffer.from(glued)).uncounted?.weightOf(0), { characters: 0, media: 1 });
  });

  it('is that of a row of several lines', () => {
    const row = JSON.stringify(JSON.parse(rowWith([{ type: 'text', text: LONG }, image(LONG)])), null, 2);
    const { rows, uncounted } = scanBytes(Buffer.from(`${row}\n`));
    assert.equal(rows.count, 1);
    assert.deepEqual(uncounted?.weightOf(0), { characters: LONG.length, media: 1 });
  });
});

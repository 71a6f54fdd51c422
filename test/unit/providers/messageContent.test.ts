import assert from 'node:assert/strict';
import { encodeProjectPath, isKnownRowType, type MessageContent, readMessageContent } from '../../rooms/format';

function read(content: unknown): MessageContent {
  return readMessageContent({ message: { content } });
}

describe('readMessageContent', () => {
  it('treats text as content unless it is blank', () => {
    assert.equal(read('hello').hasContent, true);
    assert.equal(read([{ type: 'text', text: 'hello' }]).hasContent, true);
    for (const blank of [
      '',
      ' \n\t',
      [],
      [{ type: 'text', text: ' ' }],
      [{ type: 'text' }],
      [{ type: 'text', text: 1 }],
    ]) {
      const { isUsable, hasContent, hasText } = read(blank);
      assert.deepEqual([isUsable, hasContent, hasText], [true, false, false], JSON.stringify(blank));
    }
  });

  it('reports that the client skips a row without a text or a list', () => {
    for (const content of [undefined, null, 1, true, {}]) assert.equal(read(content).isUsable, false);
    for (const message of [undefined, null, 'text', []]) assert.equal(readMessageContent({ message }).isUsable, false);
  });

  it('lists calls and results by their ids', () => {
    const { toolUses, toolResults } = read([
      { type: 'tool_use', id: 'a' },
      { type: 'tool_result', tool_use_id: 'b' },
      { type: 'tool_use', id: 'c' },
      'no block',
      null,
    ]);
    assert.deepEqual([toolUses, toolResults], [['a', 'c'], ['b']]);
  });

  it('treats thinking as content only beside other blocks', () => {
    const thinking = { type: 'thinking', thinking: 'hm' };
    assert.equal(read([thinking]).hasContent, false);
    assert.equal(read([thinking, { type: 'text', text: 'x' }]).hasContent, true);
    assert.equal(read([{ type: 'redacted_thinking' }]).hasContent, true);
    assert.equal(read([thinking, { type: 'redacted_thinking' }]).isRedacted, true);
    assert.equal(read([{ type: 'redacted_thinking' }, { type: 'text', text: 'x' }]).isRedacted, false);
  });

  it('recognises the placeholder reply that the client writes', () => {
    assert.equal(read('No response requested.').isNoResponse, true);
    assert.equal(read([{ type: 'text', text: 'No response requested.' }]).isNoResponse, true);
    assert.equal(read('No response requested. Or is there?').isNoResponse, false);
  });
});

describe('encodeProjectPath', () => {
  it('replaces all characters except ASCII letters and digits by dashes', () => {
    assert.equal(encodeProjectPath('/home/user/my.project_1'), '-home-user-my-project-1');
    assert.equal(encodeProjectPath('C:\\Users\\é☕𝄞'), 'C--Users-----');
  });

  it('shortens a long path and adds a hash of it', () => {
    const path = `/${'a'.repeat(300)}`;
    const encoded = encodeProjectPath(path);
    assert.match(encoded, /^-a{199}-[0-9a-z]+$/);
    assert.notEqual(encoded, encodeProjectPath(`${path}b`));
    assert.equal(encodeProjectPath(`/${'a'.repeat(199)}`).length, 200);
  });
});

describe('isKnownRowType', () => {
  it('accepts only the types that clients write', () => {
    for (const type of ['user', 'progress', 'summary', 'last-prompt', 'artifact-x'])
      assert.ok(isKnownRowType(type), type);
    for (const type of ['', 'User', 'novelty', 'artifact', '__proto__', 'constructor'])
      assert.ok(!isKnownRowType(type), type);
  });
});

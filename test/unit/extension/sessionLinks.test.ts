import assert from 'node:assert/strict';
import { sessionLinks } from '../../../src/extension/terminals/sessionLinks';
import { project, session, snapshot } from './fakes';

const { id, path } = session();
const KNOWN = snapshot([project([session()])]);

describe('The session ids in a terminal', () => {
  it('are links to their conversations, whatever is around them', () => {
    assert.deepEqual(sessionLinks(`claude --resume ${id}`, KNOWN), [{ startIndex: 16, length: 36, filePath: path }]);
    assert.equal(sessionLinks(`"${id}".jsonl, (${id.toUpperCase()})`, KNOWN).length, 2);
  });

  it('are none if no session has them, or if they are part of another word', () => {
    assert.deepEqual(sessionLinks(`claude --resume ${id.replace('4', '5')}`, KNOWN), []);
    for (const line of [`x${id}`, `${id}0`, `${id}-1`, id.slice(1)]) assert.deepEqual(sessionLinks(line, KNOWN), []);
  });

  it('are looked for at the beginning of a long line only', () => {
    assert.deepEqual(sessionLinks(`${'x '.repeat(10_000)}${id}`, KNOWN), []);
  });
});

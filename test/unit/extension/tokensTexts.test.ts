import assert from 'node:assert/strict';
import { tokensTexts } from '../../../src/extension/tokens/tokensTexts';
import { t } from './fakes';
import { textsOfWebview } from './textsOfWebview';

describe('the texts of the Tokens view', () => {
  const { texts, others } = textsOfWebview((path) => path.startsWith('tokens'));

  it('are plain texts in its sources, so that they can be listed', () => {
    assert.deepEqual(others, []);
  });

  it('are all translated by the host, and no other is', () => {
    assert.deepEqual(Object.keys(tokensTexts(t)).sort(), [...texts].sort());
  });

  it('are told by their English text', () => {
    for (const [english, told] of Object.entries(tokensTexts((message) => message))) assert.equal(told, english);
  });
});

import assert from 'node:assert/strict';
import { tokensTexts } from '../../../src/extension/tokens/tokensTexts';
import { t } from './fakes';
import { textsOfWebview } from './textsOfWebview';

describe('The texts of the Tokens view', () => {
  const { texts, others } = textsOfWebview((path) => path.startsWith('tokens'));

  it('are plain strings in its sources, so that they can be listed', () => {
    assert.deepEqual(others, []);
  });

  it('are all translated by the extension, and no others are', () => {
    assert.deepEqual(Object.keys(tokensTexts(t)).sort(), [...texts].sort());
  });

  it('are keyed by their English text', () => {
    for (const [english, reported] of Object.entries(tokensTexts((message) => message)))
      assert.equal(reported, english);
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redactor } from '../rooms/conversation';
import { FIXTURES } from '../support/fixtures';

/** The rows of the section of the page: what is not found, and an example. */
function listedAsNotFound(): readonly (readonly [what: string, example: string])[] {
  const page = readFileSync(join(FIXTURES, '..', 'docs', 'redaction.md'), 'utf8');
  const section = /^## What is not found$([^]*?)^## /m.exec(page)?.[1] ?? '';
  return [...section.matchAll(/^\| (.+?) +\| `(.+)` +\|$/gm)].map(([, what = '', example = '']) => [what, example]);
}

describe('The page about redaction', () => {
  it('lists what is not found', () => {
    assert.ok(listedAsNotFound().length >= 20);
  });

  for (const [what, example] of listedAsNotFound()) {
    it(`is right that this is not found: ${what}`, () => {
      assert.equal(new Redactor().text(example), example);
    });
  }
});

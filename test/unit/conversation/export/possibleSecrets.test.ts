import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Redactor } from '../../../rooms/conversation';
import { withTemporaryFolder } from '../../../support/temporaryFolder';
import { createExports, requestFor, writeMessages } from './exportFiles';
import { madeUp } from '../../../redaction/fakeSecrets';

const forEver = new AbortController().signal;
const UNKNOWN = madeUp(32, 900);
const MARK = '[redacted: possible-secret]';

function possiblyRedacted(text: string): string {
  return new Redactor('possible').text(text);
}

describe('What may be a secret', () => {
  it('is what looks random, beside no name and of no known form', () => {
    for (const seed of [901, 902, 903, 904, 905, 906]) {
      const text = (value: string): string => `I ran it with ${value} and "${value}", as before.`;
      const value = madeUp(40, seed);
      assert.equal(new Redactor().text(text(value)), text(value));
      assert.equal(possiblyRedacted(text(value)), text(MARK));
    }
  });

  it('is not a name, a path, a commit, a checksum, an id of the API or a placeholder', () => {
    for (const text of [
      'createConversationExportsForEveryFormat2 MAX_NUMBER_OF_ITEMS_IN_AN_ANSWER_V2',
      'src/core/conversation/export/secretRules.ts test/unit/Conversation2/Export3/files',
      'commit 3f786850e387550fdab836ed7e6dc881de23001b 00000000-0000-4000-8000-000000000001',
      'sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==',
      'toolu_01A09q90qw90lq917835lq9Xy msg_01XFDUDYJgAACzvnptvVoYEL',
      '[redacted: github-token] [redacted: possible-secret]',
      'A sentence of ordinary words, with some numbers: 1234567890123456789012.',
    ])
      assert.equal(possiblyRedacted(text), text);
  });

  it('is found in lines, and when colours split it', () => {
    assert.deepEqual(new Redactor('possible').lines(['a', UNKNOWN, 'b']), ['a', MARK, 'b']);
    const coloured = `${UNKNOWN.slice(0, 9)}\u001b[0m${UNKNOWN.slice(9)}`;
    assert.equal(possiblyRedacted(`x ${coloured} y`), `x ${MARK} y`);
  });

  it('is listed apart from the secrets, and replaced only if that is chosen', () =>
    withTemporaryFolder(async (folder) => {
      await writeMessages(folder, [['user', `Deploy ${UNKNOWN} with DB_PASSWORD=hunter2 and ${UNKNOWN}`]]);
      const request = requestFor(folder);
      const exports = createExports();
      const preview = await exports.previewRedaction(request.filePath, request.view, '1', forEver);
      assert.deepEqual(
        preview.secrets.map(({ kind }) => kind),
        ['password'],
      );
      // The title repeats the prompt.
      assert.equal(preview.possible?.kind, 'possible-secret');
      assert.equal(preview.possible.sample, `${UNKNOWN.slice(0, 4)}…`);
      for (const isPossibleRedacted of [false, true]) {
        const outcome = await exports.exportConversation({ ...request, isPossibleRedacted }, '2', forEver);
        const text = await readFile(request.target, 'utf8');
        assert.deepEqual([outcome.problem, text.includes(UNKNOWN)], [null, !isPossibleRedacted]);
        assert.ok(!text.includes('hunter2'));
        const kinds = outcome.redactions.map(({ kind }) => kind);
        assert.deepEqual(kinds, isPossibleRedacted ? ['password', 'possible-secret'] : ['password']);
      }
    }));

  it('is found in linear time', function () {
    this.timeout(30_000);
    for (const part of ['aB3', 'aB3/', '-', 'aB3 ', 'A'])
      assert.ok(possiblyRedacted(part.repeat(1_000_000 / part.length)).length > 0);
  });
});

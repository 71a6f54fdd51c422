import assert from 'node:assert/strict';
import { allPreviews, exportFileName, freeName } from '../../../src/extension/conversation/exportText';

describe('The export of several conversations', () => {
  it('gives each file a name that no other file has, whatever its case', () => {
    const taken = new Set(['plan.md']);
    const name = (title: string): string => freeName(exportFileName(title, 'markdown'), taken);
    assert.deepEqual(
      [name('Plan'), name('PLAN'), name('Plan'), name('Other')],
      ['Plan (2).md', 'PLAN (3).md', 'Plan (4).md', 'Other.md'],
    );
  });

  it('tells of the secrets of all of them at once', () => {
    const secret = (kind: string, count: number) => ({ kind, count, sample: `${kind}…` });
    const { secrets, possible } = allPreviews([
      { secrets: [secret('password', 1)], possible: null, title: 'a' },
      { secrets: [secret('token', 2), secret('password', 2)], possible: secret('possible', 4), title: 'b' },
      { secrets: [], possible: secret('possible', 1), title: null },
    ]);
    assert.deepEqual(secrets, [secret('password', 3), secret('token', 2)]);
    assert.deepEqual(possible, secret('possible', 5));
    assert.deepEqual(allPreviews([]), { secrets: [], possible: null, title: null });
  });
});

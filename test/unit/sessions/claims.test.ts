import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Claims } from '../../rooms/sessions';
import { withTemporaryFolder } from '../../support/temporaryFolder';

const DAY_MS = 24 * 3_600_000;

describe('What several windows could tell', () => {
  it('is told by one of them, however many ask at once', () =>
    withTemporaryFolder(async (folder) => {
      const windows = Array.from({ length: 5 }, () => new Claims(folder, () => 1));
      const answers = await Promise.all(windows.map((claims) => claims.claim('waits a 1')));
      assert.equal(answers.filter(Boolean).length, 1);
      assert.equal(await new Claims(folder, () => 2).claim('waits a 1'), false);
      assert.equal(await new Claims(folder, () => 2).claim('waits a 2'), true);
    }));

  it('is forgotten after a week', () =>
    withTemporaryFolder(async (folder) => {
      assert.equal(await new Claims(folder, () => 0).claim('a'), true);
      assert.equal(await new Claims(folder, () => 6 * DAY_MS).claim('a'), false);
      assert.equal(await new Claims(folder, () => 8 * DAY_MS).claim('a'), true);
    }));

  it('is told although the file of claims is damaged', () =>
    withTemporaryFolder(async (folder) => {
      await writeFile(join(folder, 'told.json'), '{"a":');
      assert.equal(await new Claims(folder, () => 1).claim('a'), true);
      assert.equal(await new Claims(folder, () => 1).claim('a'), false);
    }));

  it('is told by every window if nothing is kept', async () => {
    assert.equal(await new Claims(null, () => 1).claim('a'), true);
    assert.equal(await new Claims(null, () => 1).claim('a'), true);
  });
});

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SessionParts } from '../../rooms/conversation';
import { createPacer } from '../../rooms/util';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { plainScanner } from '../../support/plainScanner';

describe('The title of a subagent', () => {
  const titleOf = (meta: string | null, name = 'agent-a1'): Promise<string | null> =>
    withTemporaryFolder((folder) => {
      if (meta !== null) writeFileSync(join(folder, `${name}.meta.json`), meta);
      const filePath = join(folder, `${name}.jsonl`);
      const parts = new SessionParts({ filePath, createScanner: plainScanner, pacer: createPacer(10) });
      parts.close();
      return Promise.resolve(parts.subagentTitle());
    });

  it('is the description of its call, on one line', async () => {
    assert.equal(await titleOf('{"description":"Look\\naround","toolUseId":"toolu_1"}'), 'Look around');
  });

  it('is missing where nothing states it', async () => {
    for (const meta of [null, '', '{', '[]', '{}', '{"description":7}', '{"description":" "}'])
      assert.equal(await titleOf(meta), null);
    assert.equal(await titleOf(JSON.stringify({ description: 'x'.repeat(70_000) })), null);
  });

  it('is missing for a session', async () => {
    assert.equal(await titleOf('{"description":"Look around"}', '1f0c'), null);
  });
});

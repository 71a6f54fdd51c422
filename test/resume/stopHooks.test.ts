import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assertNoFaults } from '../support/assertNoFaults';
import { faultsOfCheck } from '../support/faultsOfCheck';
import { createRandom } from '../support/random';
import { runSize } from '../support/runSize';
import { stopHookSession } from '../support/stopHookSession';
import { tagRows } from '../support/tagRows';
import { useResumeChecks } from '../support/useResumeChecks';

describe('The real client loads all of a session with a Stop hook, as predicted', () => {
  const seeds = runSize().isFull ? 24 : 3;
  const check = useResumeChecks(
    Array.from({ length: seeds }, (_, at) => async (folder) => {
      const own = join(folder, `stop-hooks-${at}`);
      await mkdir(own);
      const filePath = join(own, '66666666-6666-4666-8666-666666666666.jsonl');
      await writeFile(filePath, tagRows(stopHookSession(createRandom(1000 + at))));
      return { name: `session ${at}`, filePath, operations: [] };
    }),
  );

  for (let at = 0; at < seeds; at++) {
    it(`session ${at}`, async () => {
      const { copy, check: checked } = await check(at);
      assertNoFaults(copy, faultsOfCheck(checked));
      assert.equal(checked.before.judged.loads, checked.before.judged.of);
      assert.equal(checked.wasChanged, false);
    });
  }
});

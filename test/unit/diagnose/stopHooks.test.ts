import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import { fullPath } from '../../support/sessionPaths';
import { loaded } from '../../support/diagnosed';
import { createRandom } from '../../support/random';
import { scanBytes } from '../../support/scanBytes';
import { stopHookSession } from '../../support/stopHookSession';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { allFindingsOf } from '../faults/faultsOf';

const SESSIONS = 60;

describe('A session with a Stop hook', () => {
  const sessions = Array.from({ length: SESSIONS }, (_, seed) => stopHookSession(createRandom(seed + 1)));

  it('is loaded whole, without an error or a warning', () => {
    for (const [at, bytes] of sessions.entries()) {
      const { loads, of } = loaded(scanBytes(bytes)).summary;
      const strong = allFindingsOf(bytes).filter(({ severity, action }) => severity !== 'info' || action !== 'tell');
      assert.deepEqual([loads, strong], [of, []], `seed ${at + 1}`);
    }
    const forked = sessions.filter((bytes) => allFindingsOf(bytes).some(({ code }) => code === 'progress-fork'));
    assert.ok(forked.length > SESSIONS / 2, `${forked.length} sessions have a progress fork`);
  });

  it('is not edited by a repair', () =>
    withTemporaryFolder(async (folder) => {
      const engine = createEngine({ configDir: join(folder, 'none') });
      for (const [at, bytes] of sessions.entries()) {
        const filePath = join(folder, fullPath(`${at}.jsonl`));
        await writeFile(filePath, bytes);
        const { result } = await engine.planRepair(filePath);
        assert.deepEqual([result.status, result.edits], ['already_healthy', []], `seed ${at + 1}`);
      }
    }));
});

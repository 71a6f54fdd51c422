import assert from 'node:assert/strict';
import { clientRules, SIMULATED_CLIENT } from '../../../src/core/resume/clientRules';
import { describePlain, describeSession } from '../../../src/core/sessions/describeSession';
import { examineFacts } from '../../../src/core/sessions/scanSession';
import { createRandom } from '../../support/random';
import { randomSession } from '../../support/randomSession';
import { scanBytes } from '../../support/scanBytes';
import { wasmScanners } from '../../support/scannerModule';

const SESSIONS = 6000;
const FILE = '/p/s.jsonl';

describe('The verdict on a plain transcript', () => {
  it(`is what is said of its facts, for ${SESSIONS} sessions made by chance`, () => {
    const createScanner = wasmScanners();
    const { selfHealMs } = clientRules(SIMULATED_CLIENT);
    const seen = { plain: 0, corrupted: 0, partly: 0 };
    for (let seed = 1; seed <= SESSIONS; seed++) {
      const bytes = randomSession(createRandom(seed));
      const scanner = createScanner();
      scanner.push(bytes);
      const plain = scanner.endPlain?.(selfHealMs) ?? null;
      if (plain === null) {
        scanner.end();
        continue;
      }
      const said = describePlain(FILE, plain);
      assert.deepEqual(said, describeSession(FILE, examineFacts(scanBytes(bytes))), `seed ${seed}`);
      seen.plain++;
      if (said.result.status === 'corrupted') seen.corrupted++;
      if (said.result.resume.loads < said.result.resume.of) seen.partly++;
    }
    assert.ok(
      seen.plain > SESSIONS / 2 && seen.corrupted > SESSIONS / 20 && seen.partly > SESSIONS / 10,
      JSON.stringify(seen),
    );
  }).timeout(60_000);
});

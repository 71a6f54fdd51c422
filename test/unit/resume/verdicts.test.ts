import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import { comparePrediction, describeDifference, loadsByContent } from '../../support/comparePrediction';
import { FIXTURES, listCorruptCases, listHealthyCases } from '../../support/fixtures';
import { copyCorrupt } from '../../support/workingCopies';
import { quietMachine } from '../../support/quietMachine';

describe('The rows of a transcript that the real client loaded', () => {
  const cases = listCorruptCases();
  let folder = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rethread-verdicts-'));
  });

  after(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  for (const corrupt of cases) {
    const { name, spacing, bytes, verdict } = corrupt;
    it(`are predicted, row for row: ${name}, ${spacing}`, async () => {
      const { filePath } = await copyCorrupt(corrupt, folder);
      const { result } = await createEngine({ machine: quietMachine(), configDir: join(folder, 'no-config') }).scan(
        filePath,
      );
      const { loaded, total, missingLines } = verdict;
      const judged = { loads: loaded, of: total, missingLines };
      const difference = comparePrediction(bytes, result.resume, judged);
      assert.ok(difference.isEqual, describeDifference(difference));
    });
  }

  for (const { recording, verdict } of listHealthyCases()) {
    it(`are predicted, row for row: ${recording}`, async () => {
      const filePath = join(FIXTURES, recording);
      const { result } = await createEngine({ machine: quietMachine(), configDir: join(folder, 'no-config') }).scan(
        filePath,
      );
      const judged = { loads: verdict.loaded, of: verdict.total, missingLines: verdict.missingLines };
      const difference = comparePrediction(await readFile(filePath), result.resume, judged);
      assert.ok(difference.isEqual, describeDifference(difference));
    });
  }

  for (const corrupt of cases.filter(({ verdict }) => verdict.afterBetterRepair !== undefined)) {
    const { name, spacing, verdict } = corrupt;
    it(`are restored by the repair as far as possible: ${name}, ${spacing}`, async () => {
      const { filePath } = await copyCorrupt({ ...corrupt, name: `${name}-repaired` }, folder);
      const engine = createEngine({ machine: quietMachine(), configDir: join(folder, 'no-config') });
      await engine.repair(filePath);
      const { result } = await engine.scan(filePath);
      const loads = loadsByContent(await readFile(filePath), result.resume);
      assert.ok(loads >= (verdict.afterBetterRepair?.loaded ?? 0), `${loads} rows load after the repair`);
    });
  }
});

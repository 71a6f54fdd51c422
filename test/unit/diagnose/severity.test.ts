import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CHECKS,
  diagnosticsFor,
  fixAll,
  locateEdits,
  planRepair,
  RepairDraft,
  type RepairPlan,
} from '../../rooms/diagnose';
import { LoadedTranscript } from '../../rooms/loader';
import { Splicer } from '../../rooms/storage';
import { createFileScanner } from '../../rooms/transcript';
import { createPacer } from '../../rooms/util';
import { createEngine } from '../../../src/core/engine';
import { WRONG_LEAF } from '../../../src/protocol/repair';
import { damage } from '../../support/damage';
import { DIAGNOSTICS, loaded } from '../../support/diagnosed';
import { FIXTURES, listCorruptCases, listRecordings } from '../../support/fixtures';
import { quietMachine } from '../../support/quietMachine';
import { scanBytes } from '../../support/scanBytes';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { allFindingsOf } from '../faults/faultsOf';
import { plainScanner } from '../../support/plainScanner';

/** Their findings state that the client does not see a row, or keeps one of several. */
const ROW_CODES: ReadonlySet<string> = new Set(['bom', 'nul-bytes', 'glued-lines', 'duplicate-uuid']);
const DAMAGES_OF_EACH = 40;

const scanFile = createFileScanner(plainScanner, createPacer(10));

describe('The severity of a finding', () => {
  const whole = listCorruptCases().filter(({ name, bytes, spacing, verdict }) => {
    if (verdict.loaded !== verdict.total || verdict.exitCode !== 0 || name === '00-healthy') return false;
    // A near variant with the verdict of the far one is a duplicate case.
    const isLinked = allFindingsOf(bytes).some(({ code }) => /dangling|cycle|parent/.test(code));
    return isLinked && (spacing === 'near' || !ROW_CODES.has(name));
  });

  it('is info if the client loads the whole transcript, and nothing is edited', async () => {
    assert.ok(whole.length >= 29, `${whole.length} stored damages load whole`);
    await withTemporaryFolder(async (folder) => {
      for (const { name, spacing, bytes } of whole) {
        const filePath = join(folder, `${name}-${spacing}.jsonl`);
        writeFileSync(filePath, bytes);
        const found = allFindingsOf(bytes).filter(({ code }) => code !== 'torn-line');
        const strong = found.filter(({ severity, action }) => severity !== 'info' || action !== 'tell');
        assert.deepEqual(strong, [], `${name}, ${spacing}`);
        assert.notEqual(found.length, 0, `${name}, ${spacing}`);
        const plan = await planRepair(
          filePath,
          loaded(scanBytes(bytes)),
          { scanFile, diagnostics: DIAGNOSTICS },
          { mayUnload: true },
        );
        assert.equal(plan, null, `${name}, ${spacing}`);
      }
    });
  });

  it('is an error if, and only if, a repair makes the client load more', async () => {
    const originals = listRecordings().map((path) => readFileSync(join(FIXTURES, path)));
    let [improved, named, left] = [0, 0, 0];
    await withTemporaryFolder(async (folder) => {
      const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
      const engine = createEngine({ machine: quietMachine(), configDir: folder, diagnostics: DIAGNOSTICS });
      for (const [at, original] of originals.entries()) {
        for (let seed = 1; seed <= DAMAGES_OF_EACH; seed++) {
          const { bytes, operations } = damage(original, seed * 7919 + at);
          const errors = allFindingsOf(bytes).filter(({ severity }) => severity === 'error');
          if (errors.some(({ code }) => ROW_CODES.has(code))) continue;
          writeFileSync(filePath, bytes);
          const before = loaded(scanBytes(bytes));
          const { loads } = before.summary;
          const what = `recording ${at}, seed ${seed}, ${operations.join('; ')}`;
          if (errors.some(({ code }) => code === WRONG_LEAF)) {
            // Nothing loads, and only a repair by this name changes that.
            const { result } = await engine.planRepair(filePath, { code: WRONG_LEAF });
            assert.ok(loads === 0 && result.resumeAfter.loads > 0, `${what}: ${result.status}`);
            named++;
          } else if (errors.length > 0) {
            const plan = await planRepair(
              filePath,
              before,
              { scanFile, diagnostics: DIAGNOSTICS },
              { mayUnload: true },
            );
            assert.ok(plan !== null && plan !== 'loadsLess' && plan.after.loads > loads, what);
            const lost = await linesLost(filePath, before, plan);
            assert.deepEqual(plan.unloads, lost, what);
            const kept = await planRepair(
              filePath,
              before,
              { scanFile, diagnostics: DIAGNOSTICS },
              { mayUnload: false },
            );
            const isKept =
              kept === null || kept === 'loadsLess' || (await linesLost(filePath, before, kept)).length === 0;
            assert.ok(isKept, `automatically, ${what}`);
            // What is loaded computes its parts when they are first used.
            const planned = { ...plan, loaded: null };
            if (lost.length === 0)
              assert.deepEqual(kept && kept !== 'loadsLess' && { ...kept, loaded: null }, planned, what);
            improved++;
          } else {
            assert.ok((await loadsWhenAllIsFixed(filePath, before)) <= loads, what);
            left++;
          }
        }
      }
    });
    const counts = `${improved} repaired, ${named} by name, ${left} left alone`;
    assert.ok(improved > 100 && named > 0 && left > 100, counts);
  }).timeout(120_000);
});

/** Lines, before the repair, of messages that the client no longer loads after it. A repair does not renumber rows. */
async function linesLost(filePath: string, before: LoadedTranscript, { splices }: RepairPlan): Promise<number[]> {
  const { index } = await scanFile(filePath, { through: () => new Splicer(splices) });
  const after = new LoadedTranscript(index, diagnosticsFor().rules);
  const { rows } = before.index;
  const lost = new Set<number>();
  for (let row = 0; row < rows.count; row++) {
    if (before.resume.request.kept.has(row) && !after.resume.request.kept.has(row)) lost.add(rows.line(row));
  }
  return [...lost];
}

/** What the client loads after each check has made its edits, whether or not they are needed. */
async function loadsWhenAllIsFixed(filePath: string, before: LoadedTranscript): Promise<number> {
  const draft = new RepairDraft(before);
  fixAll(draft, CHECKS);
  const { splices } = await locateEdits(filePath, before.index, [...draft.edits.values()]);
  const { index } = await scanFile(filePath, { through: () => new Splicer(splices) });
  return new LoadedTranscript(index, diagnosticsFor().rules).summary.loads;
}

import assert from 'node:assert/strict';
import { chmod, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import { assertNoFaults } from '../../support/assertNoFaults';
import { damage } from '../../support/damage';
import { faultsOfBytes } from '../../support/faultsOfBytes';
import { FIXTURES, listCorruptCases, listDamageBases, listHealthyCases } from '../../support/fixtures';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import type { WorkingCopy } from '../../support/workingCopies';
import { FaultyFs } from '../storage/faultyFs';
import { quietMachine } from '../../support/quietMachine';

const MODE = 0o640;
const MTIME_SECONDS = 1_750_000_000.125;
const SEEDS = 100;
const SEEDS_PER_TEST = 50;

/** Everything that must be true of a repair regardless of the client; one sentence for each violation. */
async function faultsOfRepair(filePath: string): Promise<string[]> {
  const faults: string[] = [];
  const check = (isRight: boolean, fault: string): void => {
    if (!isRight) faults.push(fault);
  };
  const engine = createEngine({
    machine: quietMachine(),
    configDir: join(dirname(filePath), 'none'),
    fs: new FaultyFs(),
  });
  const original = await readFile(filePath);
  const before = (await engine.scan(filePath)).result;
  const plan = (await engine.planRepair(filePath)).result;
  check((await readFile(filePath)).equals(original), 'a plan changed the file');

  const { result, problem } = await engine.repair(filePath);
  const repaired = await readFile(filePath);
  const after = (await engine.scan(filePath)).result;
  const { backupPath, ...withoutBackup } = result;
  check(JSON.stringify(withoutBackup) === JSON.stringify(plan), 'the repair is not the one that was planned');
  check(problem === null || result.status === 'failed', `the repair says: ${problem ?? ''}`);
  check(
    after.resume.loads >= before.resume.loads,
    `${before.resume.loads} rows load before, ${after.resume.loads} after`,
  );
  check(result.resumeBefore.loads === before.resume.loads, 'resumeBefore is not what the scan says');
  check(result.resumeAfter.loads === after.resume.loads, 'resumeAfter is not what the scan says');
  check(result.resumeAfter.of === after.resume.of, 'resumeAfter.of is not what the scan says');
  check(result.newChainDepth === after.chainDepth, 'newChainDepth is not what the scan says');
  check(result.edits.length > 0 === (result.status === 'repaired'), `${result.edits.length} edits, ${result.status}`);

  if (backupPath === undefined) {
    check(repaired.equals(original), 'the bytes changed without a backup');
    return faults;
  }
  const backup = await readFile(backupPath);
  faults.push(...faultsOfBytes({ original, repaired, backup, edits: result.edits }));
  const second = (await engine.repair(filePath)).result;
  check(second.edits.length === 0, `a second repair makes ${second.edits.length} edits`);
  check((await readFile(filePath)).equals(repaired), 'a second repair changed the bytes');
  const left = after.findings.filter(({ action, severity }) => action === 'auto' && severity !== 'info');
  check(left.length === 0, `after the repair: ${left.map(({ code, lines }) => `${code} ${lines.join()}`).join('; ')}`);
  faults.push(...(await faultsOfFile(filePath, 'repaired')));

  const undone = await engine.undoRepair(filePath);
  check(undone.result.status === 'repaired', `undo: ${undone.problem ?? ''}`);
  check((await readFile(filePath)).equals(original), 'undo does not give back the bytes');
  faults.push(...(await faultsOfFile(filePath, 'undone')));
  check((await readdir(dirname(filePath))).length === 1, 'something was left in the folder');
  return faults;
}

async function faultsOfFile(filePath: string, when: string): Promise<string[]> {
  const { mode, mtimeMs } = await stat(filePath);
  return [
    ...((mode & 0o777) === MODE ? [] : [`${when}, its mode is ${(mode & 0o777).toString(8)}`]),
    ...(mtimeMs === MTIME_SECONDS * 1000 ? [] : [`${when}, its time is ${mtimeMs}`]),
  ];
}

async function checkRepair(copy: Omit<WorkingCopy, 'filePath'>, bytes: Buffer): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
    await writeFile(filePath, bytes);
    await chmod(filePath, MODE);
    await utimes(filePath, MTIME_SECONDS, MTIME_SECONDS);
    assertNoFaults({ ...copy, filePath }, await faultsOfRepair(filePath));
  });
}

describe('A repair changes only what it reports, loses nothing, and can be undone', () => {
  for (const spacing of ['far', 'near'] as const) {
    it(`in all damaged variants, ${spacing}`, async () => {
      for (const corrupt of listCorruptCases().filter((each) => each.spacing === spacing)) {
        await checkRepair({ name: corrupt.name, operations: [corrupt.description] }, corrupt.bytes);
      }
    }).timeout(60_000);
  }

  const bases = listDamageBases();
  for (let first = 1; first <= SEEDS; first += SEEDS_PER_TEST) {
    it(`in transcripts with random damage, seeds ${first} to ${first + SEEDS_PER_TEST - 1}`, async () => {
      for (let seed = first; seed < first + SEEDS_PER_TEST; seed++) {
        const base = bases[seed % bases.length] ?? '';
        const { bytes, operations } = damage(await readFile(join(FIXTURES, base)), seed);
        await checkRepair({ name: `seed ${seed} of ${basename(base)}`, operations }, bytes);
      }
    }).timeout(60_000);
  }
});

describe('A repair leaves a healthy recording unchanged', () => {
  for (const { recording } of listHealthyCases()) {
    it(recording.replace('dot-claude/projects/-home-user-project/', ''), async () => {
      const bytes = await readFile(join(FIXTURES, recording));
      await withTemporaryFolder(async (folder) => {
        const filePath = join(folder, basename(recording));
        await writeFile(filePath, bytes);
        const { result } = await createEngine({ machine: quietMachine(), configDir: folder }).repair(filePath);
        assert.deepEqual([result.status, result.edits], ['already_healthy', []]);
        assert.ok((await readFile(filePath)).equals(bytes));
        assert.deepEqual(await readdir(folder), [basename(recording)]);
      });
    });
  }
});

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import { addProgress } from '../../support/addProgress';
import { damage } from '../../support/damage';
import { FIXTURES, listDamageBases } from '../../support/fixtures';
import { largeVariant } from '../../support/largeVariant';
import { quietMachine } from '../../support/quietMachine';
import { readRow, splitRows } from '../../support/rowText';
import { withTemporaryFolder } from '../../support/temporaryFolder';

const SEEDS = Array.from({ length: 150 }, (_, at) => at + 1);
const SEEDS_PER_TEST = 25;
const LARGE_EVERY = 15;

describe('Slimming a damaged transcript with progress', () => {
  const bases = listDamageBases();

  let changed = 0;

  for (let from = 0; from < SEEDS.length; from += SEEDS_PER_TEST) {
    const seeds = SEEDS.slice(from, from + SEEDS_PER_TEST);
    it(`removes only progress, changes nothing but links, loads the same, has nothing left to do, and is undone exactly: seeds ${seeds[0]} to ${seeds.at(-1)}`, async () => {
      for (const seed of seeds) {
        const recording = await readFile(join(FIXTURES, bases[seed % bases.length] ?? ''));
        const before = addProgress(seed % 3 === 0 ? recording : damage(recording, seed).bytes, seed);
        if (await isSlimmed(seed % LARGE_EVERY === 0 ? largeVariant(before, 'large', seed) : before, seed)) changed++;
      }
    });
  }

  it('was possible for most of them', () => {
    assert.ok(changed > SEEDS.length / 2, `only ${changed} were slimmed`);
  });
});

async function isSlimmed(before: Buffer, seed: number): Promise<boolean> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, 'projects', '-p', '44444444-4444-4444-8444-444444444444.jsonl');
    await mkdir(dirname(filePath), { recursive: true });
    await writeFile(filePath, before);
    const engine = createEngine({ machine: quietMachine(), configDir: folder });
    const scanned = await engine.scan(filePath);
    const { result, problem } = await engine.slim(filePath, { mayBeLive: true });
    const what = `seed ${seed}: ${problem ?? ''}`;
    const after = await readFile(filePath);
    if (result.status !== 'slimmed') {
      assert.ok(after.equals(before), what);
      return false;
    }
    const kept = withoutProgressAndLinks(splitRows(before));
    assert.deepEqual(withoutProgressAndLinks(splitRows(after)), kept, what);
    const rescanned = await engine.scan(filePath);
    const sameAs = ({ result: { resume, status } }: typeof scanned): unknown => [
      status,
      resume.loads,
      resume.of,
      resume.leafUuid,
    ];
    assert.deepEqual(sameAs(rescanned), sameAs(scanned), what);
    assert.equal((await engine.slim(filePath, { mayBeLive: true })).result.status === 'slimmed', false, what);
    assert.equal((await engine.undoSlim(filePath, { mayBeLive: true })).result.status, 'restored', what);
    assert.ok((await readFile(filePath)).equals(before), what);
    return true;
  });
}

/** The lines that are not a row of progress each, with the same parent everywhere. */
function withoutProgressAndLinks(rows: readonly string[]): string[] {
  return rows
    .filter((row) => readRow(row)?.type !== 'progress')
    .map((row) => row.replaceAll(/"parentUuid":("[^"]*"|null)/g, '"parentUuid":"same"'));
}

import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine, type Engine } from '../../../src/core/engine';
import { type ListedTranscript, listTranscripts } from '../../rooms/sessions';
import { diskSessionFiles } from '../../rooms/util';
import { fullPath, shortPath } from '../../support/sessionPaths';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { CONFIG_DIR, FakeEngine, FakeFiles, stampOf, transcript } from './fakes';

const { signal } = new AbortController();

async function batchesOf(
  listing: AsyncIterable<readonly ListedTranscript[]>,
): Promise<readonly (readonly ListedTranscript[])[]> {
  const batches: (readonly ListedTranscript[])[] = [];
  for await (const batch of listing) batches.push(batch);
  return batches;
}

async function writeProject(configDir: string, project: string, names: readonly string[]): Promise<string> {
  const folder = join(configDir, 'projects', project);
  await mkdir(folder, { recursive: true });
  for (const name of names) await writeFile(join(folder, fullPath(name)), '{}\n');
  return folder;
}

describe('listTranscripts', () => {
  it('returns the transcripts of each project with their stamps, without reading any', () =>
    withTemporaryFolder(async (configDir) => {
      await writeProject(configDir, '-a', ['1.jsonl', '2.jsonl']);
      await writeProject(configDir, '-b', ['3.jsonl']);
      const batches = await batchesOf(
        listTranscripts(createEngine({ configDir }), diskSessionFiles, { configDir, signal }),
      );
      assert.deepEqual(batches.map((batch) => batch.map(({ found }) => shortPath(found.id)).sort()).sort(), [
        ['1', '2'],
        ['3'],
      ]);
      for (const { found, stamp, hasBackup } of batches.flat()) {
        assert.deepEqual(stamp, await diskSessionFiles.stamp(found.path));
        assert.equal(hasBackup, false);
      }
    }));

  it('splits a large project into batches', () =>
    withTemporaryFolder(async (configDir) => {
      await writeProject(
        configDir,
        '-a',
        Array.from({ length: 2300 }, (_, at) => `${at}.jsonl`),
      );
      const batches = await batchesOf(
        listTranscripts(createEngine({ configDir }), diskSessionFiles, { configDir, signal }),
      );
      assert.deepEqual(
        batches.map((batch) => batch.length),
        [1000, 1000, 300],
      );
      assert.equal(new Set(batches.flat().map(({ found }) => found.path)).size, 2300);
    }));

  it('lets other work go on between two transcripts of a project on a slow disk', () =>
    withTemporaryFolder(async (configDir) => {
      await writeProject(configDir, '-a', ['1.jsonl', '2.jsonl', '3.jsonl', '4.jsonl']);
      let turns = 0;
      const seen: number[] = [];
      const stampAgain: typeof diskSessionFiles.stampAgain = (path, known) => {
        seen.push(turns);
        const untilMs = performance.now() + 20;
        while (performance.now() < untilMs);
        return diskSessionFiles.stampAgain(path, known);
      };
      const other = setInterval(() => turns++, 1);
      await batchesOf(
        listTranscripts(createEngine({ configDir }), { ...diskSessionFiles, stampAgain }, { configDir, signal }),
      );
      clearInterval(other);
      assert.ok(new Set(seen).size >= 3, seen.join(' '));
    }));

  it('lists a transcript without a stamp if it vanishes between glob and stat', () =>
    withTemporaryFolder(async (configDir) => {
      const folder = await writeProject(configDir, '-a', ['1.jsonl', '2.jsonl']);
      const engine = createEngine({ configDir });
      const vanishing: Pick<Engine, 'findBatches' | 'scan'> = {
        ...engine,
        async *findBatches(paths) {
          for await (const batch of engine.findBatches(paths)) {
            await rm(join(folder, fullPath('2.jsonl')));
            yield batch;
          }
        },
      };
      const [batch = []] = await batchesOf(listTranscripts(vanishing, diskSessionFiles, { configDir, signal }));
      const stamps = batch.map(({ found, stamp }) => [shortPath(found.id), stamp === null]);
      assert.deepEqual(stamps.sort(), [
        ['1', false],
        ['2', true],
      ]);
    }));

  it('knows which transcripts have a backup, whoever found them', async () => {
    await withTemporaryFolder(async (configDir) => {
      await writeProject(configDir, '-a', ['1.jsonl', '1.jsonl.backup-1700000000000', '2.jsonl']);
      const listing = listTranscripts(createEngine({ configDir }), diskSessionFiles, { configDir, signal });
      const withBackup = (await batchesOf(listing)).flat().filter(({ hasBackup }) => hasBackup);
      assert.deepEqual(
        withBackup.map(({ found }) => shortPath(found.id)),
        ['1'],
      );
    });
    const engine = new FakeEngine();
    const files = new FakeFiles();
    engine.found = [transcript('-a', '1'), transcript('-a', '2')];
    for (const { path: filePath, projectFolder } of engine.found) {
      files.stamps.set(filePath, stampOf(1));
      files.folders.set(projectFolder, ['1.jsonl', '2.jsonl', '2.jsonl.backup-1700000000000']);
    }
    const listed = (await batchesOf(listTranscripts(engine, files, { configDir: CONFIG_DIR, signal }))).flat();
    assert.deepEqual(
      listed.map(({ found, hasBackup }) => [found.id, hasBackup]),
      [
        ['1', false],
        ['2', true],
      ],
    );
  });

  it('throws the reason of its signal once it is aborted', () =>
    withTemporaryFolder(async (configDir) => {
      await writeProject(configDir, '-a', ['1.jsonl']);
      await writeProject(configDir, '-b', ['2.jsonl']);
      const stop = new AbortController();
      const listing = listTranscripts(createEngine({ configDir }), diskSessionFiles, {
        configDir,
        signal: stop.signal,
      });
      await assert.rejects(
        async () => {
          for await (const batch of listing) if (batch.length > 0) stop.abort();
        },
        { name: 'AbortError' },
      );
    }));
});

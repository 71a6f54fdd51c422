import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lock } from 'proper-lockfile';
import { diskSessionFiles } from '../../../rooms/util';
import { withTemporaryFolder } from '../../../support/temporaryFolder';
import { stampOf } from '../fakes';
import { CACHE_FILE, listedTranscripts, openCache, sessionOf, titleIn } from './cacheWindow';

describe('A session cache shared by several windows', () => {
  it('holds the results of each of them', () =>
    withTemporaryFolder(async (folder) => {
      const windows = ['a', 'b', 'c'].map((name) => ({ name, ...openCache(folder) }));
      const files = await listedTranscripts(folder, ['a', 'b', 'c']);
      for (const { name, cache } of windows) cache.set(files[name]!, stampOf(1), sessionOf(name)[2]);
      await Promise.all(windows.map(({ cache }) => cache.save()));
      const next = openCache(folder).cache;
      for (const { name } of windows) {
        assert.equal(next.get(files[name]!, stampOf(1))?.metadata.title, `Title of ${name}`);
      }
      assert.deepEqual(
        windows.flatMap(({ warnings }) => warnings),
        [],
      );
    }));

  for (const order of ['first', 'last']) {
    it(`keeps the later scan of a transcript, also when it is saved ${order}`, () =>
      withTemporaryFolder(async (folder) => {
        const earlier = openCache(folder, { nowMs: 1000 }).cache;
        const later = openCache(folder, { nowMs: 2000 }).cache;
        earlier.set(...sessionOf('a', { metadata: { title: 'earlier' } }));
        later.set(...sessionOf('a', { metadata: { title: 'later' } }));
        for (const cache of order === 'first' ? [later, earlier] : [earlier, later]) await cache.save();
        assert.equal(titleIn(openCache(folder).cache, 'a'), 'later');
      }));
  }

  it('does not lose a scan to an earlier deletion', () =>
    withTemporaryFolder(async (folder) => {
      const first = openCache(folder, { nowMs: 500 }).cache;
      first.set(...sessionOf('a'));
      await first.save();
      const deleting = openCache(folder, { nowMs: 1000 }).cache;
      deleting.delete(sessionOf('a')[0]);
      const scanning = openCache(folder, { nowMs: 2000 }).cache;
      scanning.set(...sessionOf('a', { metadata: { title: 'back again' } }));
      await scanning.save();
      await deleting.save();
      assert.equal(titleIn(openCache(folder).cache, 'a'), 'back again');
    }));

  it('drops deleted transcripts, but none that another window lists', () =>
    withTemporaryFolder(async (folder) => {
      const files = await listedTranscripts(folder, ['here', 'gone']);
      const first = openCache(folder).cache;
      for (const name of ['here', 'gone']) first.set(files[name]!, stampOf(1), sessionOf(name)[2]);
      await first.save();
      await rm(files['gone']!);
      const { cache } = openCache(folder);
      cache.set(...sessionOf('new'));
      await cache.save();
      const next = openCache(folder).cache;
      assert.equal(next.get(files['here']!, stampOf(1))?.metadata.title, 'Title of here');
      assert.equal(next.get(files['gone']!, stampOf(1)), null);
    }));

  it('waits for another window that is writing', () =>
    withTemporaryFolder(async (folder) => {
      const release = await lock(join(folder, CACHE_FILE), { realpath: false });
      const { cache, warnings } = openCache(folder);
      cache.set(...sessionOf('a'));
      const saved = cache.save();
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.deepEqual(await readdir(folder), [`${CACHE_FILE}.lock`]);
      await release();
      await saved;
      assert.equal(titleIn(openCache(folder).cache, 'a'), 'Title of a');
      assert.deepEqual(warnings, []);
    }));

  it('does not wait for a dead process', () =>
    withTemporaryFolder(async (folder) => {
      await mkdir(join(folder, `${CACHE_FILE}.lock`));
      await utimes(join(folder, `${CACHE_FILE}.lock`), 1, 1);
      const { cache } = openCache(folder);
      cache.set(...sessionOf('a'));
      await cache.save();
      assert.equal(titleIn(openCache(folder).cache, 'a'), 'Title of a');
    }));

  it('is intact and complete when two processes keep writing it', () =>
    withTemporaryFolder(async (folder) => {
      const script = join(__dirname, 'savingProcess.ts');
      const processes = ['x', 'y'].map((name) =>
        spawn(process.execPath, ['--require', 'tsx/cjs', script, folder, name, '12'], {
          stdio: ['pipe', 'pipe', 'inherit'],
        }),
      );
      await Promise.all(processes.map((child) => once(child.stdout, 'data')));
      const exits = processes.map((child) => once(child, 'exit'));
      for (const child of processes) child.stdin.write('go\n');
      for (const exit of exits) assert.deepEqual(await exit, [0, null]);
      const { cache } = openCache(folder);
      for (const name of ['x', 'y']) {
        for (let at = 0; at < 12; at++) {
          const path = join(folder, `${name}${at}.jsonl`);
          const stamp = diskSessionFiles.stampNow(path);
          assert.ok(stamp !== null);
          assert.equal(cache.get(path, stamp)?.metadata.title, `${name}${at}`);
        }
      }
      assert.deepEqual(
        (await readdir(folder)).filter((file) => !file.endsWith('.jsonl')),
        [CACHE_FILE],
      );
    })).timeout(30_000);
});

describe('A session cache that cannot be written', () => {
  it('reports the failure once, keeps its entries in memory, and writes them when it can', () =>
    withTemporaryFolder(async (folder) => {
      const inTheWay = join(folder, 'file');
      await writeFile(inTheWay, '');
      const { cache, warnings } = openCache(inTheWay);
      cache.set(...sessionOf('a'));
      await cache.save();
      cache.set(...sessionOf('b'));
      await cache.save();
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? '', /^Failed to write the session cache .*: .*(ENOTDIR|EEXIST)/);
      assert.deepEqual([titleIn(cache, 'a'), titleIn(cache, 'b')], ['Title of a', 'Title of b']);
      await rm(inTheWay);
      cache.set(...sessionOf('c'));
      await cache.save();
      const next = openCache(inTheWay).cache;
      for (const name of ['a', 'b', 'c']) assert.equal(titleIn(next, name), `Title of ${name}`);
    }));
});

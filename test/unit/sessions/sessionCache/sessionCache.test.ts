import assert from 'node:assert/strict';
import { readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { diagnosticsFor } from '../../../rooms/diagnose';
import { plainSession } from '../../../rooms/sessions';
import { diskSessionFiles, type FileStamp } from '../../../rooms/util';
import { withTemporaryFolder } from '../../../support/temporaryFolder';
import { finding, type ScanChange, scanOf, transcript } from '../fakes';
import { anyPath, anySession, anyStamp } from './anySession';
import { CACHE_FILE, openCache, plainOrNull, sessionOf, titleIn } from './cacheWindow';

describe('The session cache', () => {
  it('returns what was kept, also in another window', () =>
    withTemporaryFolder(async (folder) => {
      const changes: readonly ScanChange[] = [
        {},
        { metadata: { title: 'Ünï ☕ 中', cwd: '/work', model: 'm', gitBranch: 'b', clientVersion: '2.1.330' } },
        {
          metadata: { title: null, lastMessageMs: null },
          result: { resume: { loads: 0, of: 0, leafUuid: null, missingLines: [], client: '2.1.330', isExact: true } },
        },
        {
          result: {
            status: 'corrupted',
            findings: [finding()],
            resume: { loads: 1, of: 9, leafUuid: 'u', missingLines: [1, 2], client: '2.1.330', isExact: true },
          },
        },
      ];
      const { cache } = openCache(folder);
      const sessions = changes.map((change, at) => sessionOf(`s${at}`, change));
      for (const session of sessions) cache.set(...session);
      for (const [path, stamp, scan] of sessions) assert.deepEqual(cache.get(path, stamp), scan);
      await cache.save();
      for (const each of [cache, openCache(folder).cache]) {
        for (const [path, stamp, scan] of sessions.toReversed())
          assert.deepEqual(plainOrNull(each.get(path, stamp)), scan);
      }
    }));

  it('keeps verdicts when the client changes and its rules do not, and names the new one', () =>
    withTemporaryFolder(async (folder) => {
      const [path, stamp, scan] = sessionOf('a');
      const { cache } = openCache(folder);
      cache.set(path, stamp, scan);
      await cache.save();
      const { resume } = plainOrNull(
        openCache(folder, { diagnostics: diagnosticsFor('2.1.331') }).cache.get(path, stamp),
      )!.result;
      assert.deepEqual(resume, { ...scan.result.resume, client: '2.1.331', isExact: false });
    }));

  it('drops verdicts by other rules', () =>
    withTemporaryFolder(async (folder) => {
      const [path, stamp, scan] = sessionOf('a');
      const { cache } = openCache(folder);
      cache.set(path, stamp, scan);
      await cache.save();
      assert.equal(openCache(folder, { diagnostics: diagnosticsFor('2.1.100') }).cache.get(path, stamp), null);
    }));

  it('returns any session unchanged, whatever its texts and numbers are', () =>
    withTemporaryFolder(async (folder) => {
      const anyEntry = fc
        .record({ path: anyPath, stamp: anyStamp })
        .chain(({ path, stamp }) =>
          fc.record({ path: fc.constant(path), stamp: fc.constant(stamp), scan: anySession(path) }),
        );
      const entries = fc.uniqueArray(anyEntry, { selector: ({ path }) => path, maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(entries, async (known) => {
          await rm(join(folder, CACHE_FILE), { force: true });
          const { cache } = openCache(folder);
          for (const { path, stamp, scan } of known) cache.set(path, stamp, scan);
          await cache.save();
          const next = openCache(folder).cache;
          for (const { path, stamp, scan } of known) assert.deepEqual(plainOrNull(next.get(path, stamp)), scan);
        }),
        { numRuns: 60 },
      );
    })).timeout(30_000);

  it('knows nothing of a file other than the one that was scanned', () =>
    withTemporaryFolder(async (folder) => {
      const [path, stamp, scan] = sessionOf('a');
      const { cache } = openCache(folder);
      cache.set(path, stamp, scan);
      const others: readonly FileStamp[] = [
        { ...stamp, size: stamp.size + 1 },
        { ...stamp, mtimeNs: stamp.mtimeNs + 1n },
        { ...stamp, ctimeNs: stamp.ctimeNs + 1n },
        { ...stamp, inode: stamp.inode + 1n },
      ];
      for (const other of others) assert.equal(cache.get(path, other), null);
      assert.equal(cache.get(`${path}x`, stamp), null);
      await cache.save();
      const next = openCache(folder).cache;
      for (const other of others) assert.equal(next.get(path, other), null);
      assert.equal(next.get(`${path}x`, stamp), null);
      assert.deepEqual(plainOrNull(next.get(path, stamp)), scan);
    }));

  it('relies on stamps that differ after any change to a real file', () =>
    withTemporaryFolder(async (folder) => {
      const path = join(folder, 't.jsonl');
      await writeFile(path, 'a\n');
      const before = diskSessionFiles.stampNow(path);
      const { cache } = openCache(join(folder, 'cache'));
      assert.ok(before !== null);
      cache.set(path, before, scanOf(transcript('-work', 't')));
      assert.notEqual(cache.get(path, (await diskSessionFiles.stamp(path)) ?? before), null);
      const { atime, mtime } = await stat(path);
      await writeFile(path, 'b\n');
      await utimes(path, atime, mtime);
      const after = await diskSessionFiles.stamp(path);
      assert.ok(after !== null);
      assert.equal(cache.get(path, after), null);
    }));

  it('keeps no session that could not be read, and deletes its earlier entry', () =>
    withTemporaryFolder(async (folder) => {
      const { cache } = openCache(folder);
      cache.set(...sessionOf('a'));
      await cache.save();
      cache.set(...sessionOf('a', { problem: 'It may not be read.', result: { status: 'unreadable' } }));
      assert.equal(titleIn(cache, 'a'), null);
      await cache.save();
      assert.equal(titleIn(openCache(folder).cache, 'a'), null);
    }));

  it('deletes entries on request', () =>
    withTemporaryFolder(async (folder) => {
      const { cache } = openCache(folder);
      cache.set(...sessionOf('a'));
      cache.set(...sessionOf('b'));
      await cache.save();
      const next = openCache(folder).cache;
      assert.equal(titleIn(next, 'b'), 'Title of b');
      next.delete(sessionOf('a')[0]);
      assert.equal(titleIn(next, 'a'), null);
      await next.save();
      const last = openCache(folder).cache;
      assert.deepEqual([titleIn(last, 'a'), titleIn(last, 'b')], [null, 'Title of b']);
    }));

  it('is readable by its owner only', function () {
    if (process.platform === 'win32') this.skip();
    return withTemporaryFolder(async (folder) => {
      const inner = join(folder, 'made/for/it');
      const { cache } = openCache(inner);
      cache.set(...sessionOf('a'));
      await cache.save();
      assert.equal((await stat(join(inner, CACHE_FILE))).mode & 0o777, 0o600);
      assert.equal((await stat(inner)).mode & 0o777, 0o700);
      assert.deepEqual(await readdir(inner), [CACHE_FILE]);
    });
  });

  it('is not written when nothing changed', () =>
    withTemporaryFolder(async (folder) => {
      const { cache } = openCache(folder);
      await cache.save();
      cache.delete('/never/known.jsonl');
      await cache.save();
      assert.deepEqual(await readdir(folder), []);
    }));

  it('leaves out a session whose texts are too long', () =>
    withTemporaryFolder(async (folder) => {
      const { cache } = openCache(folder);
      cache.set(...sessionOf('endless', { metadata: { gitBranch: 'x'.repeat(2_000_000) } }));
      cache.set(...sessionOf('b'));
      await cache.save();
      const next = openCache(folder).cache;
      assert.deepEqual([titleIn(next, 'endless'), titleIn(next, 'b')], [null, 'Title of b']);
      assert.ok((await stat(join(folder, CACHE_FILE))).size < 10_000);
    }));

  it('returns sessions that a message channel refuses rather than strips', () =>
    withTemporaryFolder(async (folder) => {
      const [path, stamp, scan] = sessionOf('a');
      const { cache } = openCache(folder);
      cache.set(path, stamp, scan);
      await cache.save();
      const stored = cache.get(path, stamp);
      assert.ok(stored !== null);
      assert.throws(() => structuredClone(stored), { name: 'DataCloneError' });
      assert.deepEqual(structuredClone(plainSession(stored)), scan);
    }));
});

import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { withTemporaryFolder } from '../../../support/temporaryFolder';
import { finding } from '../fakes';
import { CACHE_FILE, openCache, plainOrNull, sessionOf, titleIn } from './cacheWindow';

describe('A damaged session cache', () => {
  /** The bytes of a cache of three sessions. */
  async function bytesOf(folder: string): Promise<Buffer> {
    const { cache } = openCache(folder);
    for (const name of ['a', 'b', 'c']) cache.set(...sessionOf(name, { result: { findings: [finding()] } }));
    await cache.save();
    return readFile(join(folder, CACHE_FILE));
  }

  /** Each lookup finds either nothing or the right result. */
  function assertNothingWrong(folder: string): void {
    const { cache } = openCache(folder);
    for (const name of ['a', 'b', 'c', 'd']) {
      const [path, stamp, scan] = sessionOf(name, { result: { findings: [finding()] } });
      const known = cache.get(path, stamp);
      if (known !== null) assert.deepEqual(plainOrNull(known), scan);
    }
  }

  it('counts as absent after any flipped bit', () =>
    withTemporaryFolder(async (folder) => {
      const bytes = await bytesOf(folder);
      await fc.assert(
        fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(7), async (at, bit) => {
          const damaged = Buffer.from(bytes);
          damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
          await writeFile(join(folder, CACHE_FILE), damaged);
          const { cache } = openCache(folder);
          for (const name of ['a', 'b', 'c']) assert.equal(titleIn(cache, name), null, `bit ${bit} of byte ${at}`);
        }),
        { numRuns: 400 },
      );
    })).timeout(30_000);

  it('counts as absent when it is cut anywhere or has extra bytes at its end', () =>
    withTemporaryFolder(async (folder) => {
      const bytes = await bytesOf(folder);
      for (let length = 0; length < bytes.length; length += length < 64 ? 1 : 37) {
        await writeFile(join(folder, CACHE_FILE), bytes.subarray(0, length));
        assert.equal(titleIn(openCache(folder).cache, 'a'), null, `${length} bytes`);
      }
      await writeFile(join(folder, CACHE_FILE), Buffer.concat([bytes, Buffer.from([0])]));
      assert.equal(titleIn(openCache(folder).cache, 'a'), null);
    }));

  it('gives no wrong result after any number of changed bytes', () =>
    withTemporaryFolder(async (folder) => {
      const bytes = await bytesOf(folder);
      const patch = fc.record({ at: fc.nat(bytes.length - 1), with: fc.uint8Array({ minLength: 1, maxLength: 64 }) });
      await fc.assert(
        fc.asyncProperty(fc.array(patch, { maxLength: 5 }), fc.nat(bytes.length), async (patches, length) => {
          const damaged = Buffer.from(bytes);
          for (const { at, with: changed } of patches) damaged.set(changed.subarray(0, bytes.length - at), at);
          await writeFile(join(folder, CACHE_FILE), damaged.subarray(0, length));
          assertNothingWrong(folder);
        }),
        { numRuns: 300 },
      );
    })).timeout(30_000);

  it('gives nothing when it is replaced by arbitrary bytes', () =>
    withTemporaryFolder(async (folder) => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (noise) => {
          await writeFile(join(folder, CACHE_FILE), noise);
          assert.equal(titleIn(openCache(folder).cache, 'a'), null);
        }),
        { numRuns: 200 },
      );
      await rm(join(folder, CACHE_FILE));
      await mkdir(join(folder, CACHE_FILE));
      assert.equal(titleIn(openCache(folder).cache, 'a'), null);
    }));

  it('is rebuilt', () =>
    withTemporaryFolder(async (folder) => {
      await bytesOf(folder);
      await truncate(join(folder, CACHE_FILE), 100);
      const { cache, warnings } = openCache(folder);
      cache.set(...sessionOf('d'));
      await cache.save();
      assert.equal(titleIn(openCache(folder).cache, 'd'), 'Title of d');
      assert.deepEqual(warnings, []);
    }));

  it('is rebuilt from what the window has in memory', () =>
    withTemporaryFolder(async (folder) => {
      await bytesOf(folder);
      const { cache } = openCache(folder);
      assert.equal(titleIn(cache, 'a'), 'Title of a');
      await writeFile(join(folder, CACHE_FILE), 'gone');
      cache.set(...sessionOf('d'));
      // The transcripts are not on the disk, so a path counts as existing once it was requested.
      for (const name of ['b', 'c']) titleIn(cache, name);
      await cache.save();
      const next = openCache(folder).cache;
      for (const name of ['a', 'b', 'c', 'd']) assert.equal(titleIn(next, name), `Title of ${name}`);
    }));

  it('keeps its content when a process is killed while saving, with at most one unfinished file left behind', () =>
    withTemporaryFolder(async (folder) => {
      await bytesOf(folder);
      await writeFile(join(folder, `${CACHE_FILE}.new`), 'half');
      const { cache } = openCache(folder);
      for (const name of ['a', 'b', 'c']) assert.equal(titleIn(cache, name), `Title of ${name}`);
      cache.set(...sessionOf('d'));
      await cache.save();
      assert.deepEqual(await readdir(folder), [CACHE_FILE]);
      assert.equal(titleIn(openCache(folder).cache, 'a'), 'Title of a');
    }));
});

describe('A session cache of another engine version', () => {
  it('is ignored and replaced', () =>
    withTemporaryFolder(async (folder) => {
      const old = openCache(folder, { engineVersion: '1' }).cache;
      old.set(...sessionOf('a'));
      await old.save();
      const { cache } = openCache(folder, { engineVersion: '2' });
      assert.equal(titleIn(cache, 'a'), null);
      cache.set(...sessionOf('b'));
      await cache.save();
      const next = openCache(folder, { engineVersion: '2' }).cache;
      assert.deepEqual([titleIn(next, 'a'), titleIn(next, 'b')], [null, 'Title of b']);
      assert.equal(titleIn(openCache(folder, { engineVersion: '1' }).cache, 'b'), null);
    }));
});

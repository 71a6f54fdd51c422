import assert from 'node:assert/strict';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { lock } from 'proper-lockfile';
import { diskCatalogFiles, type FileStamp } from '../../../../src/core/catalog/catalogFiles';
import { openSessionCache } from '../../../../src/core/catalog/sessionCache/openSessionCache';
import { plainSession } from '../../../../src/core/catalog/sessionCache/plainSession';
import type { SessionCache } from '../../../../src/core/catalog/sessionCache/sessionCache';
import type { ScannedSession } from '../../../../src/shared/session';
import { withTemporaryFolder } from '../../../support/temporaryFolder';
import { finding, scanOf, stampOf, transcript, type ScanChange } from '../fakes';
import { anyPath, anySession, anyStamp } from './anySession';

const FILE = 'sessions.cache';

interface Window {
  readonly cache: SessionCache;
  readonly warnings: readonly string[];
}

/** A window that opens the cache anew. Its scans are made at `nowMs`. */
function open(folder: string, { engineVersion = '1', nowMs = 1000 } = {}): Window {
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  return { cache: openSessionCache({ folder, engineVersion, warn, now: () => nowMs }), warnings };
}

function sessionOf(name: string, change: ScanChange = {}): readonly [string, FileStamp, ScannedSession] {
  const found = transcript('-work', name);
  return [found.filePath, stampOf(1), scanOf(found, change)];
}

function titleIn(cache: SessionCache, name: string): string | null {
  const [filePath, stamp] = sessionOf(name);
  return cache.get(filePath, stamp)?.metadata.title ?? null;
}

describe('The session cache', () => {
  it('gives back what was kept, in another window as well', () =>
    withTemporaryFolder(async (folder) => {
      const changes: readonly ScanChange[] = [
        {},
        { metadata: { title: 'Ünï ☕ 中', cwd: '/work', model: 'm', gitBranch: 'b', clientVersion: '2.1.330' } },
        {
          metadata: { title: null, lastMessageMs: null },
          result: { resume: { loads: 0, of: 0, leafUuid: null, missingLines: [] } },
        },
        {
          result: {
            status: 'corrupted',
            findings: [finding()],
            resume: { loads: 1, of: 9, leafUuid: 'u', missingLines: [1, 2] },
          },
        },
      ];
      const { cache } = open(folder);
      const sessions = changes.map((change, at) => sessionOf(`s${at}`, change));
      for (const session of sessions) cache.set(...session);
      for (const [path, stamp, scan] of sessions) assert.deepEqual(cache.get(path, stamp), scan);
      await cache.save();
      for (const each of [cache, open(folder).cache]) {
        for (const [path, stamp, scan] of sessions.toReversed()) assert.deepEqual(plain(each.get(path, stamp)), scan);
      }
    }));

  it('gives back any session, whatever its texts and numbers are', () =>
    withTemporaryFolder(async (folder) => {
      const anyEntry = fc
        .record({ path: anyPath, stamp: anyStamp })
        .chain(({ path, stamp }) =>
          fc.record({ path: fc.constant(path), stamp: fc.constant(stamp), scan: anySession(path) }),
        );
      const entries = fc.uniqueArray(anyEntry, { selector: ({ path }) => path, maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(entries, async (known) => {
          await rm(join(folder, FILE), { force: true });
          const { cache } = open(folder);
          for (const { path, stamp, scan } of known) cache.set(path, stamp, scan);
          await cache.save();
          const next = open(folder).cache;
          for (const { path, stamp, scan } of known) assert.deepEqual(plain(next.get(path, stamp)), scan);
        }),
        { numRuns: 60 },
      );
    })).timeout(30_000);

  it('knows nothing of a file that is not the one that was scanned', () =>
    withTemporaryFolder(async (folder) => {
      const [path, stamp, scan] = sessionOf('a');
      const { cache } = open(folder);
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
      const next = open(folder).cache;
      for (const other of others) assert.equal(next.get(path, other), null);
      assert.equal(next.get(`${path}x`, stamp), null);
      assert.deepEqual(plain(next.get(path, stamp)), scan);
    }));

  it('lets the stamps of a real file differ when anything was done to it', () =>
    withTemporaryFolder(async (folder) => {
      const path = join(folder, 't.jsonl');
      await writeFile(path, 'a\n');
      const before = diskCatalogFiles.stampNow(path);
      const { cache } = open(join(folder, 'cache'));
      assert.ok(before !== null);
      cache.set(path, before, scanOf(transcript('-work', 't')));
      assert.notEqual(cache.get(path, (await diskCatalogFiles.stamp(path)) ?? before), null);
      const { atime, mtime } = await stat(path);
      await writeFile(path, 'b\n');
      await utimes(path, atime, mtime);
      const after = await diskCatalogFiles.stamp(path);
      assert.ok(after !== null);
      assert.equal(cache.get(path, after), null);
    }));

  it('keeps no session that could not be read, and forgets what it knew of it', () =>
    withTemporaryFolder(async (folder) => {
      const { cache } = open(folder);
      cache.set(...sessionOf('a'));
      await cache.save();
      cache.set(...sessionOf('a', { problem: 'It may not be read.', result: { status: 'unreadable' } }));
      assert.equal(titleIn(cache, 'a'), null);
      await cache.save();
      assert.equal(titleIn(open(folder).cache, 'a'), null);
    }));

  it('forgets what it is told to', () =>
    withTemporaryFolder(async (folder) => {
      const { cache } = open(folder);
      cache.set(...sessionOf('a'));
      cache.set(...sessionOf('b'));
      await cache.save();
      const next = open(folder).cache;
      assert.equal(titleIn(next, 'b'), 'Title of b');
      next.delete(sessionOf('a')[0]);
      assert.equal(titleIn(next, 'a'), null);
      await next.save();
      const last = open(folder).cache;
      assert.deepEqual([titleIn(last, 'a'), titleIn(last, 'b')], [null, 'Title of b']);
    }));

  it('is for its owner alone', function () {
    if (process.platform === 'win32') this.skip();
    return withTemporaryFolder(async (folder) => {
      const inner = join(folder, 'made/for/it');
      const { cache } = open(inner);
      cache.set(...sessionOf('a'));
      await cache.save();
      assert.equal((await stat(join(inner, FILE))).mode & 0o777, 0o600);
      assert.equal((await stat(inner)).mode & 0o777, 0o700);
      assert.deepEqual(await readdir(inner), [FILE]);
    });
  });

  it('does not write what did not change', () =>
    withTemporaryFolder(async (folder) => {
      const { cache } = open(folder);
      await cache.save();
      cache.delete('/never/known.jsonl');
      await cache.save();
      assert.deepEqual(await readdir(folder), []);
    }));

  it('leaves out a session whose texts are endless', () =>
    withTemporaryFolder(async (folder) => {
      const { cache } = open(folder);
      cache.set(...sessionOf('endless', { metadata: { gitBranch: 'x'.repeat(2_000_000) } }));
      cache.set(...sessionOf('b'));
      await cache.save();
      const next = open(folder).cache;
      assert.deepEqual([titleIn(next, 'endless'), titleIn(next, 'b')], [null, 'Title of b']);
      assert.ok((await stat(join(folder, FILE))).size < 10_000);
    }));

  it('hands out sessions that a channel refuses rather than loses parts of', () =>
    withTemporaryFolder(async (folder) => {
      const [path, stamp, scan] = sessionOf('a');
      const { cache } = open(folder);
      cache.set(path, stamp, scan);
      await cache.save();
      const stored = cache.get(path, stamp);
      assert.ok(stored !== null);
      assert.throws(() => structuredClone(stored), { name: 'DataCloneError' });
      assert.deepEqual(structuredClone(plainSession(stored)), scan);
    }));
});

describe('A session cache that is damaged', () => {
  /** The bytes of a cache of three sessions. */
  async function bytesOf(folder: string): Promise<Buffer> {
    const { cache } = open(folder);
    for (const name of ['a', 'b', 'c']) cache.set(...sessionOf(name, { result: { findings: [finding()] } }));
    await cache.save();
    return readFile(join(folder, FILE));
  }

  /** Nothing is known, or what is known is right. */
  function assertNothingWrong(folder: string): void {
    const { cache } = open(folder);
    for (const name of ['a', 'b', 'c', 'd']) {
      const [path, stamp, scan] = sessionOf(name, { result: { findings: [finding()] } });
      const known = cache.get(path, stamp);
      if (known !== null) assert.deepEqual(plain(known), scan);
    }
  }

  it('by any flipped bit is as if there were none', () =>
    withTemporaryFolder(async (folder) => {
      const bytes = await bytesOf(folder);
      await fc.assert(
        fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(7), async (at, bit) => {
          const damaged = Buffer.from(bytes);
          damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
          await writeFile(join(folder, FILE), damaged);
          const { cache } = open(folder);
          for (const name of ['a', 'b', 'c']) assert.equal(titleIn(cache, name), null, `bit ${bit} of byte ${at}`);
        }),
        { numRuns: 400 },
      );
    })).timeout(30_000);

  it('by being cut anywhere, or by more bytes at its end, is as if there were none', () =>
    withTemporaryFolder(async (folder) => {
      const bytes = await bytesOf(folder);
      for (let length = 0; length < bytes.length; length += length < 64 ? 1 : 37) {
        await writeFile(join(folder, FILE), bytes.subarray(0, length));
        assert.equal(titleIn(open(folder).cache, 'a'), null, `${length} bytes`);
      }
      await writeFile(join(folder, FILE), Buffer.concat([bytes, Buffer.from([0])]));
      assert.equal(titleIn(open(folder).cache, 'a'), null);
    }));

  it('by any number of changed bytes gives no wrong result', () =>
    withTemporaryFolder(async (folder) => {
      const bytes = await bytesOf(folder);
      const patch = fc.record({ at: fc.nat(bytes.length - 1), with: fc.uint8Array({ minLength: 1, maxLength: 64 }) });
      await fc.assert(
        fc.asyncProperty(fc.array(patch, { maxLength: 5 }), fc.nat(bytes.length), async (patches, length) => {
          const damaged = Buffer.from(bytes);
          for (const { at, with: changed } of patches) damaged.set(changed.subarray(0, bytes.length - at), at);
          await writeFile(join(folder, FILE), damaged.subarray(0, length));
          assertNothingWrong(folder);
        }),
        { numRuns: 300 },
      );
    })).timeout(30_000);

  it('by anything at all in its place gives nothing', () =>
    withTemporaryFolder(async (folder) => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (noise) => {
          await writeFile(join(folder, FILE), noise);
          assert.equal(titleIn(open(folder).cache, 'a'), null);
        }),
        { numRuns: 200 },
      );
      await rm(join(folder, FILE));
      await mkdir(join(folder, FILE));
      assert.equal(titleIn(open(folder).cache, 'a'), null);
    }));

  it('is built anew', () =>
    withTemporaryFolder(async (folder) => {
      await bytesOf(folder);
      await truncate(join(folder, FILE), 100);
      const { cache, warnings } = open(folder);
      cache.set(...sessionOf('d'));
      await cache.save();
      assert.equal(titleIn(open(folder).cache, 'd'), 'Title of d');
      assert.deepEqual(warnings, []);
    }));

  it('is built anew from what the window knows', () =>
    withTemporaryFolder(async (folder) => {
      await bytesOf(folder);
      const { cache } = open(folder);
      assert.equal(titleIn(cache, 'a'), 'Title of a');
      await writeFile(join(folder, FILE), 'gone');
      cache.set(...sessionOf('d'));
      // The transcripts are made up, so that only what was asked for counts as being there.
      for (const name of ['b', 'c']) titleIn(cache, name);
      await cache.save();
      const next = open(folder).cache;
      for (const name of ['a', 'b', 'c', 'd']) assert.equal(titleIn(next, name), `Title of ${name}`);
    }));

  it('by a killed process keeps what it had, and leaves no more than one unfinished file', () =>
    withTemporaryFolder(async (folder) => {
      await bytesOf(folder);
      await writeFile(join(folder, `${FILE}.new`), 'half');
      const { cache } = open(folder);
      for (const name of ['a', 'b', 'c']) assert.equal(titleIn(cache, name), `Title of ${name}`);
      cache.set(...sessionOf('d'));
      await cache.save();
      assert.deepEqual(await readdir(folder), [FILE]);
      assert.equal(titleIn(open(folder).cache, 'a'), 'Title of a');
    }));
});

describe('A session cache of another engine', () => {
  it('is not taken over, and gives way', () =>
    withTemporaryFolder(async (folder) => {
      const old = open(folder, { engineVersion: '1' }).cache;
      old.set(...sessionOf('a'));
      await old.save();
      const { cache } = open(folder, { engineVersion: '2' });
      assert.equal(titleIn(cache, 'a'), null);
      cache.set(...sessionOf('b'));
      await cache.save();
      const next = open(folder, { engineVersion: '2' }).cache;
      assert.deepEqual([titleIn(next, 'a'), titleIn(next, 'b')], [null, 'Title of b']);
      assert.equal(titleIn(open(folder, { engineVersion: '1' }).cache, 'b'), null);
    }));
});

describe('A session cache of several windows', () => {
  it('holds what each of them found out', () =>
    withTemporaryFolder(async (folder) => {
      const windows = ['a', 'b', 'c'].map((name) => ({ name, ...open(folder) }));
      const files = await listed(folder, ['a', 'b', 'c']);
      for (const { name, cache } of windows) cache.set(files[name]!, stampOf(1), sessionOf(name)[2]);
      await Promise.all(windows.map(({ cache }) => cache.save()));
      const next = open(folder).cache;
      for (const { name } of windows) {
        assert.equal(next.get(files[name]!, stampOf(1))?.metadata.title, `Title of ${name}`);
      }
      assert.deepEqual(
        windows.flatMap(({ warnings }) => warnings),
        [],
      );
    }));

  for (const order of ['first', 'last']) {
    it(`holds the later scan of a transcript, also when it is saved ${order}`, () =>
      withTemporaryFolder(async (folder) => {
        const earlier = open(folder, { nowMs: 1000 }).cache;
        const later = open(folder, { nowMs: 2000 }).cache;
        earlier.set(...sessionOf('a', { metadata: { title: 'earlier' } }));
        later.set(...sessionOf('a', { metadata: { title: 'later' } }));
        for (const cache of order === 'first' ? [later, earlier] : [earlier, later]) await cache.save();
        assert.equal(titleIn(open(folder).cache, 'a'), 'later');
      }));
  }

  it('does not lose a scan to an earlier deletion', () =>
    withTemporaryFolder(async (folder) => {
      const first = open(folder, { nowMs: 500 }).cache;
      first.set(...sessionOf('a'));
      await first.save();
      const deleting = open(folder, { nowMs: 1000 }).cache;
      deleting.delete(sessionOf('a')[0]);
      const scanning = open(folder, { nowMs: 2000 }).cache;
      scanning.set(...sessionOf('a', { metadata: { title: 'back again' } }));
      await scanning.save();
      await deleting.save();
      assert.equal(titleIn(open(folder).cache, 'a'), 'back again');
    }));

  it('drops transcripts that are gone, and none that another window lists', () =>
    withTemporaryFolder(async (folder) => {
      const files = await listed(folder, ['here', 'gone']);
      const first = open(folder).cache;
      for (const name of ['here', 'gone']) first.set(files[name]!, stampOf(1), sessionOf(name)[2]);
      await first.save();
      await rm(files['gone']!);
      const { cache } = open(folder);
      cache.set(...sessionOf('new'));
      await cache.save();
      const next = open(folder).cache;
      assert.equal(next.get(files['here']!, stampOf(1))?.metadata.title, 'Title of here');
      assert.equal(next.get(files['gone']!, stampOf(1)), null);
    }));

  it('waits for another one that is writing', () =>
    withTemporaryFolder(async (folder) => {
      const release = await lock(join(folder, FILE), { realpath: false });
      const { cache, warnings } = open(folder);
      cache.set(...sessionOf('a'));
      const saved = cache.save();
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.deepEqual(await readdir(folder), [`${FILE}.lock`]);
      await release();
      await saved;
      assert.equal(titleIn(open(folder).cache, 'a'), 'Title of a');
      assert.deepEqual(warnings, []);
    }));

  it('does not wait for one that is dead', () =>
    withTemporaryFolder(async (folder) => {
      await mkdir(join(folder, `${FILE}.lock`));
      await utimes(join(folder, `${FILE}.lock`), 1, 1);
      const { cache } = open(folder);
      cache.set(...sessionOf('a'));
      await cache.save();
      assert.equal(titleIn(open(folder).cache, 'a'), 'Title of a');
    }));

  it('is whole and holds everything when two processes write it over and over', () =>
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
      const { cache } = open(folder);
      for (const name of ['x', 'y']) {
        for (let at = 0; at < 12; at++) {
          const path = join(folder, `${name}${at}.jsonl`);
          const stamp = diskCatalogFiles.stampNow(path);
          assert.ok(stamp !== null);
          assert.equal(cache.get(path, stamp)?.metadata.title, `${name}${at}`);
        }
      }
      assert.deepEqual(
        (await readdir(folder)).filter((file) => !file.endsWith('.jsonl')),
        [FILE],
      );
    })).timeout(30_000);
});

describe('A session cache that cannot be written', () => {
  it('says so once, loses nothing that it knows, and writes it when it can', () =>
    withTemporaryFolder(async (folder) => {
      const inTheWay = join(folder, 'file');
      await writeFile(inTheWay, '');
      const { cache, warnings } = open(inTheWay);
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
      const next = open(inTheWay).cache;
      for (const name of ['a', 'b', 'c']) assert.equal(titleIn(next, name), `Title of ${name}`);
    }));
});

function plain(session: ScannedSession | null): ScannedSession | null {
  return session === null ? null : plainSession(session);
}

/** Transcripts that exist, by name. */
async function listed(folder: string, names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const files = names.map((name) => [name, join(folder, `${name}.jsonl`)] as const);
  for (const [, path] of files) await writeFile(path, '');
  return Object.fromEntries(files);
}

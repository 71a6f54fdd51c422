import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { findTranscriptBatches } from '../../../rooms/providers';
import { openSessionCache, type SessionCache } from '../../../rooms/sessions';
import { diagnosticsFor } from '../../../rooms/diagnose';
import { diskSessionFiles } from '../../../rooms/util';
import { fullPath, shortPath } from '../../../support/sessionPaths';
import { withTemporaryFolder } from '../../../support/temporaryFolder';
import { scanOf } from '../fakes';

const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;

/** A config folder with two projects of two sessions each, and the folder of a cache. */
async function withSessions(use: (configDir: string, cacheDir: string) => Promise<void>): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const configDir = join(folder, 'claude');
    for (const file of ['-a/1.jsonl', '-a/2.jsonl', '-b/3.jsonl', '-b/4.jsonl']) {
      const path = join(configDir, 'projects', fullPath(file));
      await mkdir(join(path, '..'), { recursive: true });
      await writeFile(path, '{}\n');
    }
    await use(configDir, join(folder, 'cache'));
  });
}

/** A window that opens some time after the test's files were written. */
function open(folder: string, afterMs = MINUTE_MS): SessionCache {
  const warn = (message: string): void => assert.fail(message);
  return openSessionCache({
    folder,
    engineVersion: '1',
    diagnostics: diagnosticsFor(),
    warn,
    now: () => Date.now() + afterMs,
  });
}

/** Lists with the cache: the sessions, those with a backup, and the folders that were read. */
async function list(
  configDir: string,
  memory: SessionCache,
): Promise<{ sessions: string[]; withBackup: string[]; read: string[] }> {
  const read: string[] = [];
  const fs = {
    readdirSync: (folder: string, options: { readonly withFileTypes: true }) => {
      read.push(basename(folder));
      return readdirSync(folder, options);
    },
  };
  const sessions: string[] = [];
  const withBackup: string[] = [];
  for await (const batch of findTranscriptBatches([configDir], undefined, { memory, fs })) {
    for (const { id: sessionId, path: filePath, projectFolder, hasBackup } of batch) {
      assert.equal(filePath, join(projectFolder, `${sessionId}.jsonl`));
      sessions.push(shortPath(sessionId));
      if (hasBackup) withBackup.push(shortPath(sessionId));
    }
  }
  return { sessions: sessions.sort(), withBackup, read };
}

/** Lists and scans everything, as a window does, and saves the cache. */
async function scanAll(configDir: string, cache: SessionCache, unreadable: readonly string[] = []): Promise<void> {
  for await (const batch of findTranscriptBatches([configDir], undefined, { memory: cache })) {
    for (const found of batch) {
      const stamp = diskSessionFiles.stampNow(found.path);
      assert.ok(stamp !== null);
      if (cache.get(found.path, stamp) !== null) continue;
      const isUnread = unreadable.includes(shortPath(found.id));
      cache.set(found.path, stamp, scanOf(found, isUnread ? { problem: 'It may not be read.' } : {}));
    }
  }
  await cache.save();
}

const ALL = ['1', '2', '3', '4'];

describe('Folder listings in the session cache', () => {
  it('save reading unchanged folders, in the same window and in the next', () =>
    withSessions(async (configDir, cacheDir) => {
      const cache = open(cacheDir);
      assert.deepEqual((await list(configDir, cache)).read, ['projects', '-a', '-b']);
      assert.deepEqual(await list(configDir, cache), { sessions: ALL, withBackup: [], read: ['projects'] });
      await scanAll(configDir, cache);
      assert.deepEqual(await list(configDir, cache), { sessions: ALL, withBackup: [], read: ['projects'] });
      assert.deepEqual(await list(configDir, open(cacheDir)), { sessions: ALL, withBackup: [], read: ['projects'] });
    }));

  const changes: readonly (readonly [string, (project: string) => Promise<void>, readonly string[]])[] = [
    ['was added', (project) => writeFile(join(project, fullPath('5.jsonl')), ''), [...ALL, '5']],
    ['was deleted', (project) => rm(join(project, fullPath('1.jsonl'))), ['2', '3', '4']],
    [
      'was renamed',
      (project) => rename(join(project, fullPath('1.jsonl')), join(project, fullPath('9.jsonl'))),
      ['2', '3', '4', '9'],
    ],
  ];
  for (const [what, change, expected] of changes) {
    it(`let a folder, and no other, be read again when a session ${what}`, () =>
      withSessions(async (configDir, cacheDir) => {
        const cache = open(cacheDir);
        await scanAll(configDir, cache);
        await change(join(configDir, 'projects/-a'));
        for (const each of [cache, open(cacheDir)]) {
          const { sessions, read } = await list(configDir, each);
          assert.deepEqual([sessions, read], [expected, ['projects', '-a']]);
        }
      }));
  }

  it('never hide a new project', () =>
    withSessions(async (configDir, cacheDir) => {
      await scanAll(configDir, open(cacheDir));
      await mkdir(join(configDir, 'projects/-c'));
      await writeFile(join(configDir, fullPath('projects/-c/7.jsonl')), '');
      assert.deepEqual((await list(configDir, open(cacheDir))).sessions, [...ALL, '7']);
    }));

  it('include backups, also those made since', () =>
    withSessions(async (configDir, cacheDir) => {
      const backup = (name: string): string => join(configDir, fullPath(`projects/${name}.jsonl.backup-1700000000000`));
      await writeFile(backup('-a/1'), '');
      await scanAll(configDir, open(cacheDir));
      assert.deepEqual((await list(configDir, open(cacheDir))).withBackup, ['1']);
      await writeFile(backup('-b/3'), '');
      const { withBackup, read } = await list(configDir, open(cacheDir));
      assert.deepEqual(
        [withBackup.sort(), read],
        [
          ['1', '3'],
          ['projects', '-b'],
        ],
      );
    }));

  it('are not used for a folder that had just changed when it was listed', () =>
    withSessions(async (configDir, cacheDir) => {
      await scanAll(configDir, open(cacheDir, 1000));
      assert.deepEqual((await list(configDir, open(cacheDir))).read, ['projects', '-a', '-b']);
    }));

  it('expire, and are not used when the clock was set back', () =>
    withSessions(async (configDir, cacheDir) => {
      await scanAll(configDir, open(cacheDir));
      assert.deepEqual((await list(configDir, open(cacheDir, WEEK_MS))).read, ['projects']);
      assert.deepEqual((await list(configDir, open(cacheDir, WEEK_MS + 2 * MINUTE_MS))).read, ['projects', '-a', '-b']);
      assert.deepEqual((await list(configDir, open(cacheDir, 0))).read, ['projects', '-a', '-b']);
    }));

  it('do not reach the next window for a folder with a session that could not be read', () =>
    withSessions(async (configDir, cacheDir) => {
      await scanAll(configDir, open(cacheDir), ['3']);
      assert.deepEqual(await list(configDir, open(cacheDir)), {
        sessions: ALL,
        withBackup: [],
        read: ['projects', '-b'],
      });
    }));

  it('come from the window that listed last', () =>
    withSessions(async (configDir, cacheDir) => {
      const earlier = open(cacheDir, MINUTE_MS);
      await list(configDir, earlier);
      await writeFile(join(configDir, fullPath('projects/-a/5.jsonl')), '');
      const later = open(cacheDir, 2 * MINUTE_MS);
      await scanAll(configDir, later);
      await earlier.save();
      const { sessions, read } = await list(configDir, open(cacheDir, 3 * MINUTE_MS));
      assert.deepEqual([sessions, read], [[...ALL, '5'], ['projects']]);
    }));

  it('are found in any order of folders', () =>
    withSessions(async (configDir, cacheDir) => {
      await scanAll(configDir, open(cacheDir));
      const cache = open(cacheDir);
      for (const file of ['-b/3', '-a/2', '-a/1', '-b/4', '-b/3', '-a/1', '-a/2']) {
        const path = join(configDir, 'projects', fullPath(`${file}.jsonl`));
        const stamp = diskSessionFiles.stampNow(path);
        assert.equal(stamp === null ? null : cache.get(path, stamp)?.result.filePath, path);
      }
    }));
});

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigDirUsage, describeSpending, PriceBook, UsageCache, UsageTable } from '../../rooms/usage';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { countAll, createCounter, report } from './createCounter';
import { writeUsageCorpus } from './usageCorpus';
import { answer, UsageFolder } from './usageFolder';
import { plainScanner } from '../../support/plainScanner';

describe('The cache of token counts', () => {
  interface Place {
    readonly configDir: string;
    readonly folder: UsageFolder;
    readonly warnings: string[];
    readonly open: (engineVersion?: string) => UsageCache;
    /** Path of the file. */
    readonly file: () => string;
  }

  function withPlace(use: (place: Place) => Promise<void>): Promise<void> {
    return withTemporaryFolder(async (path) => {
      const configDir = join(path, 'config');
      const cacheDir = join(path, 'cache');
      const warnings: string[] = [];
      await use({
        configDir,
        folder: new UsageFolder(configDir),
        warnings,
        open: (engineVersion = '1') =>
          new UsageCache({ folder: cacheDir, configDir, engineVersion, warn: (message) => warnings.push(message) }),
        file: () => join(cacheDir, readdirSync(cacheDir).find((name) => name.endsWith('.cache')) ?? ''),
      });
    });
  }

  /** All values that a usage contains. */
  function figures(usage: ConfigDirUsage): unknown {
    const sessions = [...usage.index.sessions]
      .map((session) => ({ id: session.sessionId, ...describeSpending(usage.index, session, new PriceBook({})) }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const projects = report(usage, 'project').rows.map(({ filePath }) => usage.cwdOf(filePath ?? ''));
    return [sessions, projects, ...(['day', 'model', 'project', 'session'] as const).map((by) => report(usage, by))];
  }

  /** Counts and saves; returns the transcripts that were opened. */
  async function count(configDir: string, cache: UsageCache): Promise<{ usage: ConfigDirUsage; scans: number }> {
    let scans = 0;
    const counter = createCounter(configDir, {
      cache,
      createScanner: (options) => {
        scans++;
        return plainScanner(options);
      },
    });
    await counter.count();
    await counter.save();
    return { usage: counter.usage, scans };
  }

  it('restores everything that was counted, and no transcript is read again', () =>
    withPlace(async ({ configDir, open }) => {
      writeUsageCorpus(configDir, 21, 30);
      const first = await count(configDir, open());
      const known = new ConfigDirUsage(open().load());
      assert.deepEqual(figures(known), figures(first.usage));
      const second = await count(configDir, open());
      assert.deepEqual([figures(second.usage), second.scans], [figures(first.usage), 0]);
    }));

  it('requires reading only what changed, appeared or vanished', () =>
    withPlace(async ({ configDir, folder, open }) => {
      writeUsageCorpus(configDir, 22, 12);
      await count(configDir, open());
      const one = folder.write(folder.path('one'), [answer('one', 5)]);
      folder.write(folder.path('two'), [answer('two', 5)]);
      await count(configDir, open());
      folder.append(one, [answer('more', 7)]);
      rmSync(folder.path('two'));
      const { usage, scans } = await count(configDir, open());
      assert.equal(scans, 1);
      assert.deepEqual(figures(usage), figures(await countAll(configDir)));
      assert.deepEqual(figures(new ConfigDirUsage(open().load())), figures(usage));
    }));

  it('is available before any preparation, and stays correct when something changes then', () =>
    withPlace(async ({ configDir, folder, open }) => {
      writeUsageCorpus(configDir, 23, 12);
      await count(configDir, open());
      const usage = new ConfigDirUsage(open().load());
      assert.equal(usage.index.prepare(1), false);
      assert.deepEqual(report(usage, 'day'), report(await countAll(configDir), 'day'));
      const [path = ''] = usage.files.keys();
      usage.remove(path);
      rmSync(path);
      assert.equal(usage.index.prepare(), true);
      assert.deepEqual(figures(usage), figures(await countAll(configDir)));
      assert.ok(folder.configDir);
    }));

  it('is readable by its owner only', function () {
    if (process.platform === 'win32') this.skip();
    return withPlace(async ({ configDir, folder, open, file }) => {
      folder.write(folder.path('s'), [answer('m', 5)]);
      await count(configDir, open());
      assert.equal(statSync(file()).mode & 0o777, 0o600);
    });
  });

  it('is ignored if it is damaged, truncated, or from another engine', () =>
    withPlace(async ({ configDir, open, file }) => {
      writeUsageCorpus(configDir, 24, 6);
      const { usage } = await count(configDir, open());
      const bytes = readFileSync(file());
      assert.equal(open('2').load(), null);
      for (let at = 0; at < bytes.length; at += 97) {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ 0x10;
        assert.equal(UsageTable.read(damaged, '1'), null, String(at));
      }
      truncateSync(file(), bytes.length - 1);
      assert.equal(open().load(), null);
      writeFileSync(file(), '');
      const again = await count(configDir, open());
      assert.deepEqual(figures(again.usage), figures(usage));
    }));

  it('is shared by windows: each keeps what another one read later', () =>
    withPlace(async ({ configDir, folder, open }) => {
      const path = folder.write(folder.path('s'), [answer('m', 5)]);
      const early = createCounter(configDir, { cache: open() });
      await early.count();
      folder.append(path, [answer('n', 7)]);
      const other = folder.write(folder.path('t'), [answer('o', 11)]);
      const late = createCounter(configDir, { cache: open() });
      await late.count();
      await late.save();
      await early.save();
      // The first window does not know the second transcript, and must not treat it as deleted.
      const known = new ConfigDirUsage(open().load());
      assert.deepEqual([...known.files.keys()].sort(), [path, other]);
      assert.equal(report(known, 'day').totals.counts.output, 23);
    }));

  it('is separate for each config folder', () =>
    withPlace(async ({ configDir, folder, open }) => {
      folder.write(folder.path('s'), [answer('m', 5)]);
      await count(configDir, open());
      const parts = { folder: join(configDir, '..', 'cache'), engineVersion: '1', warn: () => undefined };
      assert.equal(new UsageCache({ ...parts, configDir: join(configDir, 'other') }).load(), null);
      assert.notEqual(new UsageCache({ ...parts, configDir }).load(), null);
    }));

  it('keeps the counts of further config folders as long as there are any', () =>
    withPlace(async ({ configDir, folder, open }) => {
      const work = new UsageFolder(join(configDir, '..', 'work'));
      const mine = folder.write(folder.path('s'), [answer('m', 5)]);
      const atWork = work.write(work.path('t'), [answer('n', 7)]);
      const extraConfigDirs = () => [join(configDir, '..', 'gone'), work.configDir];
      const counter = createCounter(configDir, { cache: open(), extraConfigDirs });
      await counter.count();
      await counter.save();
      assert.equal(report(counter.usage, 'day').totals.counts.output, 12);
      assert.equal(counter.problem, null);
      assert.deepEqual([...new ConfigDirUsage(open().load()).files.keys()].sort(), [mine, atWork].sort());
      const without = createCounter(configDir, { cache: open() });
      assert.equal(report(without.usage, 'day').totals.counts.output, 5);
      await without.count();
      await without.save();
      assert.deepEqual([...new ConfigDirUsage(open().load()).files.keys()], [mine]);
    }));

  it('is reported once if it cannot be written, and nothing is lost', () =>
    withPlace(async ({ configDir, folder, open, warnings }) => {
      folder.write(folder.path('s'), [answer('m', 5)]);
      writeFileSync(join(configDir, '..', 'cache'), 'a file in its place');
      const cache = open();
      const { usage } = await count(configDir, cache);
      await cache.save(usage, () => false);
      assert.deepEqual([warnings.length, usage.hasChanged], [1, true]);
    }));
});

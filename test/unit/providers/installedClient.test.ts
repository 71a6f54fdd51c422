import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { diskClientFiles, findInstalledClient, type InstalledClientDeps, runProgram } from '../../rooms/providers';
import { nodeWriteFs } from '../../rooms/storage';
import { withTemporaryFolder } from '../../support/temporaryFolder';

const DAY_MS = 24 * 60 * 60 * 1000;

async function createProgram(path: string, text = '#!/bin/sh\n'): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  await chmod(path, 0o755);
  return path;
}

/** A made-up person with a `bin` folder on the PATH. */
async function withPerson(
  work: (person: {
    readonly folder: string;
    /** The programs that were run, with their arguments. */
    readonly ran: string[];
    readonly find: (change?: Partial<InstalledClientDeps>) => Promise<string | null>;
  }) => Promise<void>,
): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const ran: string[] = [];
    const find = (change: Partial<InstalledClientDeps> = {}): Promise<string | null> =>
      findInstalledClient({
        searchPath: ['relative', join(folder, 'none'), join(folder, 'bin')].join(':'),
        platform: 'linux',
        extensionFolder: null,
        cacheDir: join(folder, 'cache'),
        files: diskClientFiles,
        run: (path, args) => {
          ran.push([path, ...args].join(' '));
          return Promise.resolve('2.1.300 (Claude Code)\n');
        },
        write: { fs: nodeWriteFs, random: randomUUID },
        now: () => 1_000_000,
        ...change,
      });
    await work({ folder, ran, find });
  });
}

describe('The installed client', () => {
  it('is none where there is no client', () =>
    withPerson(async ({ find, ran }) => {
      assert.equal(await find(), null);
      assert.equal(await find({ searchPath: undefined }), null);
      assert.deepEqual(ran, []);
    }));

  it('is told by the folder of the native installer, without running it', () =>
    withPerson(async ({ folder, find, ran }) => {
      const real = await createProgram(join(folder, 'share', 'claude', 'versions', '2.1.328'));
      await mkdir(join(folder, 'bin'));
      await symlink(real, join(folder, 'bin', 'claude'));
      assert.equal(await find(), '2.1.328');
      assert.deepEqual(ran, []);
    }));

  for (const file of ['cli.js', 'bin/claude.exe'] as const) {
    it(`is told by the npm package that ${file} is in, without running it`, () =>
      withPerson(async ({ folder, find, ran }) => {
        const packageFolder = join(folder, 'lib/node_modules/@anthropic-ai/claude-code');
        const real = await createProgram(join(packageFolder, file));
        const manifest = { name: '@anthropic-ai/claude-code', version: '2.1.301' };
        await writeFile(join(packageFolder, 'package.json'), JSON.stringify(manifest));
        await mkdir(join(folder, 'bin'));
        await symlink(real, join(folder, 'bin', 'claude'));
        assert.equal(await find(), '2.1.301');
        assert.deepEqual(ran, []);
      }));
  }

  it('is asked otherwise, once for each identity of the program', () =>
    withPerson(async ({ folder, find, ran }) => {
      const path = await createProgram(join(folder, 'bin', 'claude'));
      assert.equal(await find(), '2.1.300');
      assert.equal(await find(), '2.1.300');
      assert.deepEqual(ran, [`${path} --version`]);
      await createProgram(path, '#!/bin/sh\n# updated\n');
      assert.equal(await find(), '2.1.300');
      assert.equal(ran.length, 2);
    }));

  it('is asked each time where nothing can be kept', () =>
    withPerson(async ({ folder, find, ran }) => {
      await createProgram(join(folder, 'bin', 'claude'));
      await find({ cacheDir: null });
      await find({ cacheDir: null });
      assert.equal(ran.length, 2);
      await writeFile(join(folder, 'file'), '');
      assert.equal(await find({ cacheDir: join(folder, 'file', 'x') }), '2.1.300');
    }));

  it('is not another program of that name, and one that fails is asked again the next day', () =>
    withPerson(async ({ folder, find }) => {
      await createProgram(join(folder, 'bin', 'claude'));
      let runs = 0;
      const failing = (): Promise<string> => {
        runs++;
        return runs === 1 ? Promise.resolve('claude 2.1.300 of somebody else\n') : Promise.reject(new Error('busy'));
      };
      assert.equal(await find({ run: failing }), null);
      assert.equal(await find({ run: failing }), null);
      assert.equal(runs, 1);
      assert.equal(await find({ run: failing, now: () => 1_000_000 + DAY_MS }), null);
      assert.equal(runs, 2);
      assert.equal(await find({ now: () => 1_000_000 + 2 * DAY_MS }), '2.1.300');
    }));

  it('does not believe a cache file that is damaged', () =>
    withPerson(async ({ folder, find, ran }) => {
      await createProgram(join(folder, 'bin', 'claude'));
      await find();
      const cacheFile = join(folder, 'cache', 'client-versions.json');
      const kept = await readFile(cacheFile, 'utf8');
      for (const text of ['{', '[]', '{"answers":[1,{}]}', kept.replace('"2.1.300"', '"a b"')]) {
        await writeFile(cacheFile, text);
        assert.equal(await find(), '2.1.300');
      }
      assert.equal(ran.length, 5);
    }));

  it('is the newer of the one on the PATH and the one in the extension', () =>
    withPerson(async ({ folder, find, ran }) => {
      const extensionFolder = join(folder, 'anthropic.claude-code-2.1.310');
      const manifest = { name: 'claude-code', publisher: 'Anthropic', version: '2.1.310' };
      await mkdir(extensionFolder);
      await writeFile(join(extensionFolder, 'package.json'), JSON.stringify(manifest));
      assert.equal(await find({ extensionFolder }), '2.1.310');
      await createProgram(join(folder, 'bin', 'claude'));
      assert.equal(await find({ extensionFolder }), '2.1.310');
      const binary = await createProgram(join(extensionFolder, 'resources/native-binary/claude'));
      const run: InstalledClientDeps['run'] = (path) =>
        Promise.resolve(path === binary ? '2.1.311 (Claude Code)' : '2.1.400 (Claude Code)');
      assert.equal(await find({ extensionFolder, run }), '2.1.311');
      assert.equal(await find({ extensionFolder, run, cacheDir: null }), '2.1.400');
      assert.equal(ran.length, 1);
    }));

  it('on Windows is told by the package beside the script of npm', () =>
    withPerson(async ({ folder, find }) => {
      await createProgram(join(folder, 'bin', 'claude.cmd'));
      const packageFolder = join(folder, 'bin/node_modules/@anthropic-ai/claude-code');
      await mkdir(packageFolder, { recursive: true });
      const manifest = { name: '@anthropic-ai/claude-code', version: '2.1.305' };
      await writeFile(join(packageFolder, 'package.json'), JSON.stringify(manifest));
      assert.equal(await find({ platform: 'win32' }), '2.1.305');
    }));
});

describe('A program that is asked for its version', () => {
  it('gets no input and no shell, and says what it prints', () =>
    withTemporaryFolder(async (folder) => {
      const path = await createProgram(join(folder, 'a program'), '#!/bin/sh\ncat\necho "$# $1"\n');
      assert.equal(await runProgram(path, ['$(touch x)'], 5000), '1 $(touch x)\n');
      await assert.rejects(stat(join(folder, 'x')));
    }));

  it('fails when it fails, is missing, or takes too long', () =>
    withTemporaryFolder(async (folder) => {
      const failing = await createProgram(join(folder, 'failing'), '#!/bin/sh\nexit 3\n');
      const slow = await createProgram(join(folder, 'slow'), '#!/bin/sh\nexec sleep 30\n');
      await assert.rejects(runProgram(failing, [], 5000), /exit code 3/);
      await assert.rejects(runProgram(join(folder, 'none'), [], 5000), { code: 'ENOENT' });
      await assert.rejects(runProgram(slow, [], 100));
    }));
});

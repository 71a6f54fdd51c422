import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { keepBeside, nodeWriteFs, Refusal, type RewriteOutcome, rewriteTranscript } from '../../rooms/storage';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { type Fault, FaultyFs, type FsCall } from './faultyFs';
import { wholeText } from './operations';
import { depsOn, namesBeside, repairRequest, type TranscriptFixture, withTranscriptFile } from './transcriptFixture';

describe('What a repair takes out of a transcript', () => {
  const bytes = Buffer.from('an image');
  const read = (): Buffer => bytes;

  function withKept(use: (paths: { folder: string; filePath: string; path: string }) => Promise<void>): Promise<void> {
    return withTemporaryFolder(async (folder) => {
      const path = join(folder, 'session', 'removed', 'a.png');
      await use({ folder, filePath: join(folder, 'session.jsonl'), path });
    });
  }

  it('is kept in a file that only its owner can read', async () => {
    await withKept(async ({ folder, filePath, path }) => {
      await keepBeside(filePath, [{ path, read }], 'token', nodeWriteFs);
      assert.equal(await readFile(path, 'utf8'), 'an image');
      if (process.platform !== 'win32') assert.equal((await stat(path)).mode & 0o777, 0o600);
      assert.deepEqual(await readdir(folder), ['session']);
      assert.deepEqual(await readdir(join(folder, 'session', 'removed')), ['a.png']);
    });
  });

  it('is removed again if the repair is refused after all, with the folders that were made for it', async () => {
    await withKept(async ({ folder, filePath, path }) => {
      const removeAgain = await keepBeside(filePath, [{ path, read }], 'token', nodeWriteFs);
      await removeAgain();
      assert.deepEqual(await readdir(folder), []);
    });
  });

  it('leaves a folder that was there and a file that holds the same', async () => {
    await withKept(async ({ filePath, path }) => {
      await mkdir(join(path, '..'), { recursive: true });
      await writeFile(path, bytes);
      const removeAgain = await keepBeside(filePath, [{ path, read }], 'token', nodeWriteFs);
      await removeAgain();
      assert.equal(await readFile(path, 'utf8'), 'an image');
    });
  });

  for (const [name, linked] of [
    ['its folder', '..'],
    ['the folder of the session', '../..'],
  ] as const) {
    it(`is not written through a symbolic link in the place of ${name}`, async function () {
      if (process.platform === 'win32') this.skip();
      await withKept(async ({ folder, filePath, path }) => {
        const elsewhere = join(folder, 'elsewhere');
        const link = join(path, linked);
        await mkdir(elsewhere);
        await mkdir(dirname(link), { recursive: true });
        await symlink(elsewhere, link);
        await assert.rejects(
          keepBeside(filePath, [{ path, read }], 'token', nodeWriteFs),
          (error) => error instanceof Refusal && error.code === 'symlink',
        );
        assert.deepEqual(await readdir(elsewhere), []);
        assert.deepEqual((await readdir(folder)).sort(), ['elsewhere', 'session']);
      });
    });
  }

  it('never overwrites a file with other content, and leaves nothing of the others behind', async () => {
    await withKept(async ({ folder, filePath, path }) => {
      await mkdir(join(path, '..'), { recursive: true });
      await writeFile(path, 'mine');
      const other = { path: join(path, '..', 'b.png'), read };
      await assert.rejects(keepBeside(filePath, [other, { path, read }], 'token', nodeWriteFs), Refusal);
      assert.equal(await readFile(path, 'utf8'), 'mine');
      assert.deepEqual(await readdir(join(path, '..')), ['a.png']);
      assert.deepEqual(await readdir(folder), ['session']);
    });
  });
});

describe('A repair that takes something out, on a failing disk', () => {
  const read = (): Buffer => Buffer.from('an image');

  interface Run {
    readonly fixture: TranscriptFixture;
    readonly keptPath: string;
    readonly outcome: RewriteOutcome | 'died';
    readonly fs: FaultyFs;
  }

  async function run(faultOf: (call: FsCall) => Fault | null, check: (run: Run) => void): Promise<void> {
    await withTranscriptFile(async (fixture) => {
      const fs = new FaultyFs();
      fs.faultOf = faultOf;
      const keptPath = join(fixture.filePath.replace('.jsonl', ''), 'removed', 'a.png');
      const request = { ...repairRequest(fixture.filePath), kept: [{ path: keptPath, read }] };
      const outcome = await Promise.race([rewriteTranscript(request, depsOn(fs)), fs.died]);
      await fs.closeAll();
      check({ fixture, keptPath, outcome, fs });
    });
  }

  async function calls(): Promise<readonly FsCall[]> {
    let found: readonly FsCall[] = [];
    await run(
      () => null,
      ({ fs, outcome }) => {
        assert.ok(outcome !== 'died' && outcome.kind === 'written');
        found = fs.calls;
      },
    );
    return found;
  }

  it('leaves the transcript and nothing else if it is refused, and has kept the content if it is not', async () => {
    for (const { index, name, path } of await calls()) {
      for (const kind of ['fails', 'failsAfterwards'] as const) {
        const at = `${kind}: ${name} ${path} (${index})`;
        await run(
          (call) => (call.index === index ? { kind, code: 'EIO' } : null),
          ({ fixture, keptPath, outcome }) => {
            assert.ok(outcome !== 'died');
            if (outcome.kind === 'written') {
              assert.equal(readFileSync(keptPath, 'utf8'), 'an image', at);
              return;
            }
            assert.equal(wholeText(fixture), fixture.original.toString(), at);
            const stray = namesBeside(fixture).filter((each) => !each.endsWith('.lock'));
            // A folder whose removal failed may stay, but nothing in it.
            assert.ok(!existsSync(keptPath), at);
            if (name !== 'rmdir') assert.deepEqual(stray, [], at);
          },
        );
      }
    }
  });

  it('has the content on the disk before the transcript is changed, also if it dies', async () => {
    for (const { index, name, path } of await calls()) {
      for (const when of ['before', 'after'] as const) {
        const at = `dies ${when} ${name} ${path} (${index})`;
        await run(
          (call) => (call.index === index ? { kind: 'dies', when } : null),
          ({ fixture, keptPath }) => {
            const isThere = existsSync(keptPath);
            if (isThere) assert.equal(readFileSync(keptPath, 'utf8'), 'an image', at);
            else assert.equal(wholeText(fixture), fixture.original.toString(), at);
            if (isThere) assert.deepEqual(readdirSync(join(keptPath, '..')), ['a.png'], at);
          },
        );
      }
    }
  });
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withTemporaryFolder } from '../support/temporaryFolder';

const PROGRAM = join(__dirname, '..', '..', 'dist', 'checkpoint.js');
const SESSION = '44444444-4444-4444-8444-444444444444';
const MIB = 1024 * 1024;
/** Around the blocks of SHA-256, the room of the small hash, and the size from which node:crypto is used. */
const SIZES = [0, 1, 55, 56, 63, 64, 65, 119, 120, 511, 512, 513, 20_000, MIB - 1, MIB, MIB + 1, 3 * MIB + 5];

/** Tells the built program of the hook that Claude is about to change the file. */
function runHook(home: string, filePath: string, program = PROGRAM): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'checkpoint', '--hook'], {
    input: JSON.stringify({
      session_id: SESSION,
      transcript_path: join(home, '.claude', 'projects', '-project', `${SESSION}.jsonl`),
      cwd: home,
      hook_event_name: 'PreToolUse',
      tool_name: 'Edit',
      tool_input: { file_path: filePath },
      tool_use_id: 'toolu_1',
    }),
    env: { HOME: home, USERPROFILE: home },
    encoding: 'utf8',
  });
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' });
}

describe('The built program of the hook', () => {
  it('names the copy of a file of any size by the SHA-256 of its bytes', () =>
    withTemporaryFolder(async (home) => {
      await mkdir(join(home, '.claude', 'projects', '-project'), { recursive: true });
      const file = join(home, 'file');
      const expected: string[] = [];
      for (const size of SIZES) {
        const bytes = randomBytes(size);
        await writeFile(file, bytes);
        runHook(home, file);
        expected.push(createHash('sha256').update(bytes).digest('hex'));
      }
      const copies = join(home, '.claude', 'rethread', 'checkpoints', 'sessions', SESSION, 'files');
      assert.deepEqual((await readdir(copies)).sort(), expected.sort());
      for (const name of expected) {
        const digest = createHash('sha256').update(await readFile(join(copies, name)));
        assert.equal(digest.digest('hex'), name);
      }
    }));
});

describe('What V8 has compiled of the program of the hook', () => {
  const CONTENT = 'what it holds';
  const COPY = createHash('sha256').update(CONTENT).digest('hex');

  /** A program in a folder of its own, and a home for each run. */
  async function inFolder(
    use: (parts: {
      readonly folder: string;
      /** Runs the hook in a new home, where it must keep the copy. */
      readonly run: () => Promise<void>;
      /** Names beside the program. */
      readonly kept: () => Promise<readonly string[]>;
    }) => Promise<void>,
  ): Promise<void> {
    await withTemporaryFolder(async (root) => {
      const folder = join(root, 'program');
      await mkdir(folder);
      const program = join(folder, 'checkpoint.js');
      await copyFile(PROGRAM, program);
      let homes = 0;
      await use({
        folder,
        run: async () => {
          const home = join(root, `home${++homes}`);
          await mkdir(join(home, '.claude', 'projects', '-project'), { recursive: true });
          await writeFile(join(home, 'file'), CONTENT);
          runHook(home, join(home, 'file'), program);
          const copies = join(home, '.claude', 'rethread', 'checkpoints', 'sessions', SESSION, 'files');
          assert.deepEqual(await readdir(copies), [COPY]);
        },
        kept: async () => (await readdir(folder)).filter((name) => name !== 'checkpoint.js'),
      });
    });
  }

  it('is kept by the first run that copies a file, and taken by the next ones', () =>
    inFolder(async ({ folder, run, kept }) => {
      await run();
      const [name = '', ...others] = await kept();
      assert.match(name, /^checkpoint\.js\.[0-9a-f]{16}-.+\.cache$/u);
      assert.deepEqual(others, []);
      const { ino, mode } = await stat(join(folder, name));
      assert.equal(mode & 0o777, 0o600);
      await run();
      assert.deepEqual(await kept(), [name]);
      assert.equal((await stat(join(folder, name))).ino, ino, 'it is not made again');
    }));

  it('is made again where it is damaged', () =>
    inFolder(async ({ folder, run, kept }) => {
      await run();
      const [name = ''] = await kept();
      const path = join(folder, name);
      const whole = await readFile(path);
      const flipped = Buffer.from(whole);
      for (let at = 500; at < flipped.length / 2; at += 997) flipped[at] = (flipped[at] ?? 0) ^ 255;
      const torn = Buffer.concat([whole.subarray(0, -whole.length / 4), Buffer.alloc(whole.length / 4)]);
      const others = [Buffer.alloc(0), Buffer.alloc(whole.length), whole.subarray(0, 1000), randomBytes(5000)];
      for (const damaged of [flipped, torn, whole.subarray(0, -2), ...others]) {
        await writeFile(path, damaged);
        await run();
        assert.notDeepEqual(await readFile(path), damaged);
        assert.deepEqual(await kept(), [name]);
      }
    }));

  it('is made again where another build of the runtime has made it, which V8 may not notice', () =>
    inFolder(async ({ folder, run, kept }) => {
      await run();
      const [name = ''] = await kept();
      const path = join(folder, name);
      const own = await readFile(path);
      const seal = Buffer.from(name.replace(/-[^-]+\.cache$/u, '-another.cache'));
      const foreign = Buffer.concat([own.subarray(0, -name.length), seal]);
      await writeFile(path, foreign);
      await run();
      assert.ok((await readFile(path)).subarray(-name.length).equals(Buffer.from(name)));
    }));

  it('takes the place of what another version of the program and killed runs have left, and of nothing else', () =>
    inFolder(async ({ folder, run, kept }) => {
      const others = ['checkpoint.js.0123456789abcdef-11.3-x64.cache', 'checkpoint.js.x.cache.77.tmp'];
      for (const name of [...others, 'checkpoint.sh']) await writeFile(join(folder, name), '');
      await run();
      const names = await kept();
      assert.equal(names.length, 2);
      assert.ok(names.includes('checkpoint.sh'));
      assert.ok(!names.some((name) => others.includes(name)));
    }));

  it('is not needed: where it cannot be kept, files are copied all the same', () =>
    inFolder(async ({ folder, run, kept }) => {
      await run();
      const [name = ''] = await kept();
      await rm(join(folder, name));
      await mkdir(join(folder, name));
      await run();
      assert.deepEqual(await kept(), [name]);
    }));
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withTemporaryFolder } from '../support/temporaryFolder';

const PROGRAM = join(__dirname, '..', '..', 'dist', 'checkpoint.js');
const SESSION = '44444444-4444-4444-8444-444444444444';
const MIB = 1024 * 1024;
/** Around the blocks of SHA-256, the room of the small hash, and the size from which node:crypto is used. */
const SIZES = [0, 1, 55, 56, 63, 64, 65, 119, 120, 511, 512, 513, 20_000, MIB - 1, MIB, MIB + 1, 3 * MIB + 5];

/** Tells the built program of the hook that Claude is about to change the file. */
function runHook(home: string, filePath: string): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'checkpoint', '--hook'], {
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

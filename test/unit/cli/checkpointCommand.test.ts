import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { runCli } from './runCli';

const QUIET = { code: 0, stdout: '', stderr: '' };

function runHook(input: string | readonly Buffer[], configDir: string, argv: readonly string[] = []) {
  const stdin = Readable.from(typeof input === 'string' ? [Buffer.from(input)] : input);
  return runCli(['checkpoint', ...argv], undefined, { stdin, env: { CLAUDE_CONFIG_DIR: configDir } });
}

describe('checkpoint', () => {
  it('captures the file that Claude is about to change, silently', () =>
    withTemporaryFolder(async (folder) => {
      const path = join(folder, 'a.txt');
      writeFileSync(path, 'before');
      const call = {
        session_id: 'one',
        cwd: folder,
        tool_name: 'Write',
        tool_input: { file_path: path, content: 'ä'.repeat(100_000) },
      };
      const bytes = Buffer.from(JSON.stringify(call));
      // In pieces that split characters, as from a pipe.
      const pieces = Array.from({ length: Math.ceil(bytes.length / 4095) }, (_, at) =>
        bytes.subarray(at * 4095, (at + 1) * 4095),
      );
      assert.deepEqual(await runHook(pieces, folder), QUIET);
      const row = readFileSync(join(folder, 'rethread/checkpoints/sessions/one/checkpoints.jsonl'), 'utf8').split(
        '\n',
      )[1];
      const { files } = JSON.parse(row ?? '') as { files: { path: string; state: { kind: string; size: number } }[] };
      assert.deepEqual(
        files.map(({ path: at, state }) => [at, state.kind, state.size]),
        [[path, 'file', 6]],
      );
    }));

  it('captures the file even if nobody closes the pipe', () =>
    withTemporaryFolder(async (folder) => {
      const path = join(folder, 'a.txt');
      writeFileSync(path, 'before');
      const call = JSON.stringify({ session_id: 'one', cwd: folder, tool_input: { file_path: path } });
      const stdin = new PassThrough();
      stdin.write(call.slice(0, 20));
      setImmediate(() => stdin.write(`${call.slice(20)}\n`));
      const done = runCli(['checkpoint'], undefined, { stdin, env: { CLAUDE_CONFIG_DIR: folder } });
      // Well below the time that it waits for the rest of a truncated input.
      const tooLate = new Promise<'too late'>((resolve) => setTimeout(resolve, 8000, 'too late').unref());
      assert.deepEqual(await Promise.race([done, tooLate]), QUIET);
      assert.ok(existsSync(join(folder, 'rethread/checkpoints/sessions/one/checkpoints.jsonl')));
    })).timeout(20_000);

  it('exits with 0, silently, whatever the input and the current folder are', () =>
    withTemporaryFolder(async (folder) => {
      for (const input of ['', '{', 'null', '[1]', '\0', '{"session_id":1,"tool_input":{}}']) {
        assert.deepEqual(await runHook(input, folder), QUIET, input);
      }
      for (const argv of [['--hook'], ['--unknown'], ['a', 'b'], ['--json']]) {
        assert.deepEqual(await runHook('{}', folder, argv), QUIET, argv.join(' '));
      }
      const inTheWay = join(folder, 'file');
      writeFileSync(inTheWay, '');
      mkdirSync(join(folder, 'x'));
      const call = JSON.stringify({ session_id: 'x', cwd: folder, tool_input: { file_path: join(folder, 'x') } });
      assert.deepEqual(await runHook(call, inTheWay), QUIET);
      assert.deepEqual(await runCli(['checkpoint']), QUIET);
    }));

  it('explains its purpose to a person who runs it', async () => {
    const stdin = Object.assign(Readable.from([]), { isTTY: true });
    const { code, stdout, stderr } = await runCli(['checkpoint'], undefined, { stdin });
    assert.deepEqual([code, stdout], [0, '']);
    assert.match(stderr, /^Claude Code runs this/u);
    const help = await runCli(['checkpoint', '--help']);
    assert.equal(help.code, 0);
    assert.match(help.stdout, /^Usage: rethread checkpoint\n/u);
  });
});

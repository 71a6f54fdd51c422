import assert from 'node:assert/strict';
import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { withTemporaryFolder } from '../support/temporaryFolder';
import { prompt, reply, transcript } from '../support/transcriptBuilder';
import { BuiltCli } from './spawnCli';

const ID = '4444abcd-4444-4444-8444-444444444444';

/** Each line that the program prints, parsed. */
function linesOf({ stdout }: ChildProcess): () => Promise<Record<string, unknown>> {
  assert.ok(stdout);
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return async () => {
    const line: IteratorResult<unknown> = await lines.next();
    assert.notEqual(line.done, true, 'The program has ended');
    // SAFETY: each line is an object, which the callers check.
    return JSON.parse(String(line.value)) as Record<string, unknown>;
  };
}

describe('The built command line follows', () => {
  function withSession(check: (cli: BuiltCli, file: string) => Promise<void>): Promise<void> {
    return withTemporaryFolder(async (folder) => {
      const project = join(folder, '.claude', 'projects', 'p');
      await mkdir(project, { recursive: true });
      const file = join(project, `${ID}.jsonl`);
      await writeFile(file, transcript([prompt('p', null)]));
      await check(await BuiltCli.install(folder), file);
    });
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`a session until ${signal}, and ends with exit code 0`, () =>
      withSession(async (cli, file) => {
        const child = cli.spawn(['tail', ID.slice(0, 8), '--json']);
        const next = linesOf(child);
        assert.equal((await next())['line'], 1);
        await appendFile(file, transcript([reply('r', 'p')]));
        assert.equal((await next())['line'], 2);
        child.kill(signal);
        assert.deepEqual(await once(child, 'close'), [0, null]);
      }));
  }

  it('the results of all sessions until SIGINT, and ends with exit code 0', () =>
    withSession(async (cli, file) => {
      const child = cli.spawn(['scan', '--watch', '--json']);
      const next = linesOf(child);
      assert.equal((await next())['messageCount'], 1);
      await appendFile(file, transcript([reply('r', 'p')]));
      assert.equal((await next())['messageCount'], 2);
      await rm(file);
      assert.equal((await next())['status'], 'missing');
      child.kill('SIGINT');
      assert.deepEqual(await once(child, 'close'), [0, null]);
    }));

  it('a session no further when the reader of its output closes the pipe', () =>
    withSession(async (cli, file) => {
      const child = cli.spawn(['tail', file, '--json']);
      assert.ok(child.stdout);
      await once(child.stdout, 'data');
      child.stdout.destroy();
      await appendFile(file, transcript([reply('r', 'p')]));
      assert.deepEqual(await once(child, 'close'), [141, null]);
    }));
});

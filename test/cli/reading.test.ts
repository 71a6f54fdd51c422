import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { FIXTURES, listRecordings } from '../support/fixtures';
import { withTemporaryFolder } from '../support/temporaryFolder';
import { BuiltCli } from './spawnCli';

const PLANNED = join(
  FIXTURES,
  'recordings/tasks-and-todos/dot-claude/projects/-home-user-project/a1a1a1a1-a1a1-4a1a-8a1a-a1a1a1a1a1a1.jsonl',
);

const BROKEN = join(FIXTURES, 'corrupt/far/w1-clock-back/44444444-4444-4444-8444-444444444444.jsonl');

describe('The built command line reads', () => {
  function withCli(check: (cli: BuiltCli) => Promise<void>): Promise<void> {
    return withTemporaryFolder(async (folder) => check(await BuiltCli.install(folder)));
  }

  it('every recorded session, as JSON and for people', () =>
    withCli(async (cli) => {
      for (const path of listRecordings()) {
        const json = await cli.run(['show', join(FIXTURES, path), '--json']);
        assert.deepEqual([json.code, json.stderr], [0, ''], path);
        // SAFETY: the shape is the contract of this command.
        const { messages, total } = JSON.parse(json.stdout) as { messages: unknown[]; total: number };
        assert.equal(messages.length, total, path);
        const page = await cli.run(['show', join(FIXTURES, path)]);
        assert.equal(page.code, 0, path);
        assert.ok(!page.stdout.includes('\u001b'), path);
      }
    })).timeout(120_000);

  it('as many messages of a broken session whether it is scanned or shown', () =>
    withCli(async (cli) => {
      const sentence = 'Claude remembers 7 of 15 messages';
      for (const command of ['scan', 'show']) {
        const { stdout } = await cli.run([command, BROKEN]);
        assert.ok(stdout.includes(`\n  ${sentence}`), stdout);
      }
    }));

  it('the tasks of a recorded session', () =>
    withCli(async (cli) => {
      const { code, stdout } = await cli.run(['tasks', PLANNED, '--json']);
      assert.equal(code, 0);
      // SAFETY: the shape is the contract of this command.
      const { tasks } = JSON.parse(stdout) as { tasks: { subject: string; status: string }[] };
      assert.deepEqual(
        tasks.map(({ subject, status }) => [subject, status]),
        [
          ['Write the parser', 'completed'],
          ['Test the parser', 'in_progress'],
          ['Release it', 'pending'],
        ],
      );
    }));

  it('a session by its id and by the first eight letters of it, from the config folder', () =>
    withCli(async (cli) => {
      const env = { CLAUDE_CONFIG_DIR: join(PLANNED, '..', '..', '..') };
      const byPath = await cli.run(['show', PLANNED, '--json']);
      for (const name of ['a1a1a1a1', 'A1A1A1A1-A1A1-4A1A-8A1A-A1A1A1A1A1A1']) {
        assert.deepEqual(await cli.run(['show', name, '--json'], { env }), byPath);
      }
      const none = await cli.run(['show', 'a1a1a1a2'], { env });
      assert.deepEqual([none.code, none.stdout], [2, '']);
      assert.match(none.stderr, /^There is neither a file a1a1a1a2 nor a session with this id in .*projects\.\n$/u);
    }));

  it('no further when the reader of its output closes the pipe', () =>
    withCli(async (cli) => {
      const child = cli.spawn(['show', PLANNED, '--json']);
      assert.ok(child.stdout);
      child.stdout.destroy();
      const [code] = (await once(child, 'close')) as [number];
      assert.equal(code, 141);
    }));
});

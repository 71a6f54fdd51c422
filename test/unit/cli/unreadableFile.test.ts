import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { type CliRun, runCli } from './runCli';

const ID = '4444abcd-4444-4444-8444-444444444444';

/** Runs a command on a session whose transcript has these bytes. `FILE` stands for it. */
async function runOn(content: string | Buffer, argv: readonly string[]): Promise<CliRun> {
  const runs: CliRun[] = [];
  await withTemporaryFolder(async (folder) => {
    const file = join(folder, '.claude/projects/p', `${ID}.jsonl`);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, content);
    const given = argv.map((each) => (each === 'FILE' ? file : each));
    runs.push(await runCli(given, undefined, { home: folder, cwd: folder, createEngine }));
  });
  const [run] = runs;
  if (run === undefined) throw new Error('Failed to run the command');
  return run;
}

describe('A transcript in which Claude reads nothing', () => {
  const COMMANDS = [
    ['scan', 'FILE'],
    ['show', 'FILE'],
    ['tasks', 'FILE'],
    ['usage', 'FILE'],
    ['export', 'FILE'],
    ['preflight', 'FILE'],
    ['checkpoints', 'FILE'],
    ['repair', '--dry-run', 'FILE'],
    ['slim', '--dry-run', 'FILE'],
  ];
  for (const argv of COMMANDS) {
    it(`is unreadable for ${argv[0] ?? ''}, which says so and ends with 2`, async () => {
      for (const content of ['<html></html>\n', '\0\0', Buffer.from([0xff, 0xfe, 0x0a, 0x80])]) {
        const { code, stdout, stderr } = await runOn(content, argv);
        assert.match(`${stdout}${stderr}`, /contains no message: Claude reads nothing in it as a JSON object\./);
        assert.equal(code, 2);
      }
    });
  }

  it('is listed as unreadable', async () => {
    const { code, stdout, stderr } = await runOn('\0\0', ['list', '--json']);
    // SAFETY: the shape is the contract of `list`.
    const { sessions } = JSON.parse(stdout) as { sessions: readonly { sessionId: string; status: string }[] };
    assert.deepEqual(
      sessions.map(({ sessionId, status }) => [sessionId, status]),
      [[ID, 'unreadable']],
    );
    assert.deepEqual([code, stderr], [0, '']);
  });

  for (const argv of COMMANDS.slice(0, 7)) {
    it(`is not one that is empty, for ${argv[0] ?? ''}`, async () => {
      const { stdout, stderr } = await runOn('', argv);
      assert.doesNotMatch(`${stdout}${stderr}`, /contains no message/);
    });
  }
});

describe('A folder or a FIFO that is named as a transcript', () => {
  for (const command of ['scan', 'show', 'tasks', 'usage', 'export', 'preflight']) {
    it(`is refused by ${command}, which says what it is and ends with 2`, () =>
      withTemporaryFolder(async (home) => {
        const [folder, fifo] = [join(home, `${ID}.jsonl`), join(home, 'other', `${ID}.jsonl`)];
        await mkdir(folder);
        await mkdir(join(home, 'other'));
        execFileSync('mkfifo', [fifo]);
        for (const [path, kind] of [
          [folder, 'folder'],
          [fifo, 'FIFO'],
        ] as const) {
          const { code, stdout, stderr } = await runCli([command, path], undefined, { home, cwd: home, createEngine });
          assert.match(`${stdout}${stderr}`, new RegExp(`is a ${kind}, not a transcript`), path);
          assert.equal(code, 2, path);
        }
      }));
  }
});

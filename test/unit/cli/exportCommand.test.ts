import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { prompt, reply, result, assistant, transcript } from '../../support/transcriptBuilder';
import { runCli, type CliRun } from './runCli';

const ID = '44444444-4444-4444-8444-444444444444';
const TOKEN = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
const ROWS = [
  prompt('p', null, { message: { role: 'user', content: `Push with ${TOKEN} please` } }),
  assistant('c', 'p', [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'env' } }], {}, 'msg_1'),
  result('a', 'c', 't1', {
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'DB_PASSWORD=hunter2' }] },
  }),
  reply('r', 'a'),
];

interface Run extends CliRun {
  readonly folder: string;
  /** The transcript. */
  readonly file: string;
}

/** Runs a command line beside a session in a config folder. `FILE` stands for its transcript. */
async function withExport(
  argv: readonly string[],
  check: (run: Run) => Promise<void>,
  prepare: (folder: string, project: string) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const configDir = join(folder, 'config');
    const file = join(configDir, 'projects', '-p', `${ID}.jsonl`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, transcript(ROWS));
    await prepare(folder, dirname(file));
    const before = await readFile(file);
    const given = argv.map((each) => (each === 'FILE' ? file : each));
    const run = await runCli(['export', ...given], createEngine({ configDir }), {
      home: folder,
      cwd: folder,
      env: { CLAUDE_CONFIG_DIR: configDir },
    });
    await check({ ...run, folder, file });
    assert.deepEqual(await readFile(file), before);
    assert.deepEqual((await readdir(dirname(file))).sort(), [`${ID}.jsonl`]);
  });
}

describe('export', () => {
  it('writes Markdown to stdout, with nothing else there', () =>
    withExport(['FILE'], async ({ code, stdout, stderr }) => {
      assert.deepEqual([code, stderr], [0, '']);
      assert.ok(stdout.includes(`Push with ${TOKEN} please`) && stdout.includes('DB_PASSWORD=hunter2'));
      await Promise.resolve();
    }));

  for (const argv of [['--format', 'json'], ['--json'], ['--format', 'json', '--json']]) {
    it(`writes one JSON document with ${argv.join(' ')}`, () =>
      withExport(['FILE', ...argv], async ({ code, stdout }) => {
        assert.equal(code, 0);
        // SAFETY: checked below.
        const document = JSON.parse(stdout) as { format: string; session: { sessionId: string }; items: unknown[] };
        assert.deepEqual([document.format, document.session.sessionId], ['rethread-conversation', ID]);
        assert.equal(document.items.length, 3);
        await Promise.resolve();
      }));
  }

  it('writes HTML', () =>
    withExport(['FILE', '--format', 'html'], async ({ code, stdout }) => {
      assert.equal(code, 0);
      assert.match(stdout, /^<!DOCTYPE html>/);
      await Promise.resolve();
    }));

  for (const format of ['json', 'markdown', 'html']) {
    it(`replaces secrets in ${format}, and says on stderr what they were`, () =>
      withExport(['FILE', '--redact', '--format', format], async ({ code, stdout, stderr }) => {
        assert.equal(code, 0);
        assert.ok(!stdout.includes(TOKEN.slice(4, 12)) && !stdout.includes('hunter2'));
        assert.ok(stdout.includes('[redacted: github-token]') && stdout.includes('[redacted: password]'));
        assert.match(stderr, /^Replaced: \d+ × [a-z-]+, \d+ × [a-z-]+\.\n$/);
        await Promise.resolve();
      }));
  }

  it('says as show does what Claude remembers, and where the history begins', async () => {
    const rows = [prompt('p', 'gone'), reply('r', 'p'), prompt('q', 'r'), reply('s', 'r')];
    const write = (_: string, project: string): Promise<unknown> =>
      writeFile(join(project, `${ID}.jsonl`), transcript(rows));
    await withExport(
      ['FILE'],
      ({ stdout }) => {
        assert.match(stdout, /^- Claude remembers: all 3 messages of this thread$/m);
        assert.match(stdout, /^## Beginning · line 1$/m);
        assert.match(stdout, /^The history begins here\.$/m);
        return Promise.resolve();
      },
      write,
    );
    const lost = [prompt('p', null), reply('r', 'p'), prompt('q', 'gone'), reply('s', 'q')];
    await withExport(
      ['FILE'],
      ({ stdout }) => {
        assert.match(stdout, /^- Claude remembers: 2 of 4 messages$/m);
        assert.match(stdout, /^A link leads nowhere here: nothing above reaches Claude\.$/m);
        assert.match(stdout, /^## User · .* · line 1 · not remembered$/m);
        return Promise.resolve();
      },
      (_, project) => writeFile(join(project, `${ID}.jsonl`), transcript(lost)),
    );
  });

  it('writes a file that only its owner can read, replaces an earlier one, and reports both', () =>
    withExport(
      ['FILE', '--redact', '--output', 'out.md'],
      async ({ code, stdout, stderr, folder }) => {
        const path = join(folder, 'out.md');
        assert.deepEqual([code, stderr], [0, '']);
        assert.match(stdout, /^✓ ~[/\\]out\.md: 3 items, .*\n {2}Replaced: /);
        assert.ok((await readFile(path, 'utf8')).includes('[redacted: github-token]'));
        if (process.platform !== 'win32') assert.equal((await stat(path)).mode & 0o777, 0o600);
      },
      (folder) => writeFile(join(folder, 'out.md'), 'older'),
    ));

  it('overwrites no transcript, no backup and no read-only file, and writes nothing to the config folder', async () => {
    const names = ['other.jsonl', 'other.jsonl.backup-1790000000000', 'kept.md'];
    for (const target of [...names, join('config', 'a.md'), join('config', 'projects', '-p', `${ID}.jsonl`)]) {
      await withExport(
        ['FILE', '--output', target],
        async ({ code, stdout, stderr, folder }) => {
          assert.deepEqual([code, stdout], [1, ''], target);
          assert.match(stderr, /This is the transcript|There is a|Nothing can be exported/);
          for (const name of names) assert.equal(await readFile(join(folder, name), 'utf8'), 'kept');
          assert.ok(!(await readdir(join(folder, 'config'))).includes('a.md'));
        },
        async (folder) => {
          for (const name of names) await writeFile(join(folder, name), 'kept');
          await chmod(join(folder, 'kept.md'), 0o444);
        },
      );
    }
  });

  for (const [what, make, sentence] of [
    ['a FIFO', (path: string) => void execFileSync('mkfifo', [path]), 'There is a FIFO of this name.'],
    ['a link to nothing', (path: string) => symlink('nowhere', path), 'There is a link of this name.'],
    ['a link to a device', (path: string) => symlink('/dev/null', path), 'There is a link of this name.'],
  ] as const) {
    it(`does not put a file in the place of ${what}`, function () {
      if (process.platform === 'win32') this.skip();
      return withExport(
        ['FILE', '--output', 'out.md'],
        async ({ code, stderr, folder }) => {
          assert.deepEqual([code, stderr], [1, `~/out.md: ${sentence}\n`]);
          assert.equal((await lstat(join(folder, 'out.md'))).isFile(), false);
        },
        async (folder) => {
          await make(join(folder, 'out.md'));
        },
      );
    });
  }

  it('does not replace the file in which Claude Code keeps its own state', () =>
    withExport(
      ['FILE', '--output', '.claude.json'],
      async ({ code, stderr, folder }) => {
        assert.deepEqual([code, stderr], [1, '~/.claude.json: This is a file of Claude Code.\n']);
        assert.equal(await readFile(join(folder, '.claude.json'), 'utf8'), '{}');
      },
      (folder) => writeFile(join(folder, '.claude.json'), '{}'),
    ));

  it('reports a transcript that cannot be read', () =>
    withExport(['missing.jsonl', '--output', 'out.md'], async ({ code, stdout, stderr, folder }) => {
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /missing\.jsonl/);
      assert.ok(!(await readdir(folder)).includes('out.md'));
    }));

  it('rejects wrong usage before it reads anything', async () => {
    for (const [argv, problem] of [
      [[], /export needs one FILE/],
      [['a.jsonl', 'b.jsonl'], /export needs one FILE/],
      [['a.jsonl', '--format', 'pdf'], /--format needs json, markdown or html/],
      [['a.jsonl', '--format', 'html', '--json'], /--json is the same as --format json/],
      [['a.jsonl', '--output', ''], /--output needs a PATH/],
      [['a.jsonl', '--quiet'], /Unknown option/],
    ] as const) {
      const { code, stdout, stderr } = await runCli(['export', ...argv]);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, problem);
    }
  });

  it('has a help text', async () => {
    assert.match((await runCli(['export', '--help'])).stdout, /^Usage: rethread export FILE \[options\]/);
  });
});

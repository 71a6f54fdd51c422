import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { prompt, reply, transcript, uuidOf } from '../../support/transcriptBuilder';
import { runCli, type CliRun } from './runCli';

const ID = '4444abcd-4444-4444-8444-444444444444';
const START = ID.slice(0, 8);
const TALK = transcript([prompt('p', null), reply('r', 'p')]);

interface Home {
  readonly folder: string;
  /** Writes a transcript below `~/.claude`, and returns its path. */
  readonly add: (path: string, content?: string | Buffer) => Promise<string>;
  readonly run: (argv: readonly string[], env?: Record<string, string>) => Promise<CliRun>;
}

async function withHome(check: (home: Home) => Promise<void>): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const cwd = join(folder, 'work');
    await mkdir(cwd);
    await check({
      folder,
      async add(path, content = TALK) {
        const filePath = join(folder, '.claude', path);
        await mkdir(join(filePath, '..'), { recursive: true });
        await writeFile(filePath, content);
        return filePath;
      },
      async run(argv, env = {}) {
        const run = await runCli(argv, undefined, { home: folder, cwd, env, createEngine });
        return { ...run, stdout: run.stdout.replaceAll(folder, '~'), stderr: run.stderr.replaceAll(folder, '~') };
      },
    });
  });
}

function sessionIdIn({ stdout }: CliRun): unknown {
  // SAFETY: the shape is the contract of `show`.
  return (JSON.parse(stdout) as { session: { sessionId: string } }).session.sessionId;
}

describe('A session id as FILE', () => {
  for (const argv of [
    ['show', 'FILE'],
    ['tasks', 'FILE'],
    ['export', 'FILE'],
    ['checkpoints', 'FILE'],
    ['fork', 'FILE', '--at', uuidOf('r')],
  ]) {
    it(`names the transcript for ${argv[0] ?? ''}, whole and by its first eight letters`, () =>
      withHome(async ({ add, run }) => {
        await add(`projects/p/${ID}.jsonl`);
        for (const name of [ID, START]) {
          const { code, stderr } = await run(argv.map((each) => (each === 'FILE' ? name : each)));
          assert.deepEqual([code, stderr], [0, ''], name);
        }
      }));
  }

  it('names the transcript for rewind, whose answer is about its prompts', () =>
    withHome(async ({ add, run }) => {
      await add(`projects/p/${ID}.jsonl`);
      const { code, stderr } = await run(['rewind', START, 'nothing']);
      assert.equal(code, 2);
      assert.match(stderr, /~\/\.claude\/projects\/p\/4444abcd-.* nothing/u);
    }));

  it('is found in upper and lower case', () =>
    withHome(async ({ add, run }) => {
      await add(`projects/p/${ID}.jsonl`);
      assert.equal(sessionIdIn(await run(['show', ID.toUpperCase(), '--json'])), ID);
      assert.equal(sessionIdIn(await run(['show', START.toUpperCase(), '--json'])), ID);
    }));

  it('is looked up in $CLAUDE_CONFIG_DIR', () =>
    withHome(async ({ add, run, folder }) => {
      await add(`../elsewhere/projects/p/${ID}.jsonl`);
      assert.equal((await run(['show', START])).code, 2);
      assert.equal((await run(['show', START], { CLAUDE_CONFIG_DIR: join(folder, 'elsewhere') })).code, 0);
    }));

  it('that no session has is refused in one sentence, which names the folder', () =>
    withHome(async ({ add, run }) => {
      await add('projects/p/5555abcd-4444-4444-8444-444444444444.jsonl');
      for (const name of [ID, START]) {
        const { code, stdout, stderr } = await run(['show', name, '--json']);
        assert.deepEqual([code, stdout], [2, '']);
        assert.equal(stderr, `There is neither a file ${name} nor a session with this id in ~/.claude/projects.\n`);
      }
    }));

  it('that no session has is refused where there is no config folder, and where it has no projects', () =>
    withHome(async ({ add, run }) => {
      const said = `There is neither a file ${START} nor a session with this id in ~/.claude/projects.\n`;
      assert.equal((await run(['show', START])).stderr, said);
      // A folder that is no config folder is not searched for transcripts.
      await add(`backups/${ID}.jsonl`);
      assert.equal((await run(['show', START])).stderr, said);
    }));

  it('of two transcripts is refused, and both are named', () =>
    withHome(async ({ add, run }) => {
      await add(`projects/p/${ID}.jsonl`);
      await add(`projects/q/${ID}.jsonl`);
      const { code, stdout, stderr } = await run(['show', ID]);
      assert.deepEqual([code, stdout], [2, '']);
      const paths = `~/.claude/projects/p/${ID}.jsonl and ~/.claude/projects/q/${ID}.jsonl`;
      assert.equal(stderr, `2 sessions have the id ${ID}: ${paths}. Give the path of one.\n`);
    }));

  it('whose first letters many sessions share is refused in one sentence', () =>
    withHome(async ({ add, run }) => {
      for (const at of [1, 2, 3, 4]) await add(`projects/p/${START}-4444-4444-8444-44444444444${at}.jsonl`);
      const { code, stderr } = await run(['show', START]);
      assert.equal(code, 2);
      assert.match(stderr, /^4 sessions have the id 4444abcd: .*1\.jsonl, .*2\.jsonl and 2 more\. .*\n$/u);
      assert.equal((await run(['show', `${START}-4444-4444-8444-444444444443`])).code, 0);
    }));

  it('names sessions of projects alone: no subagent, no copy, and nothing deeper', () =>
    withHome(async ({ add, run }) => {
      await add(`projects/p/x/subagents/${ID}.jsonl`);
      await add(`projects/p/x/${ID}.jsonl`);
      await add(`projects/${ID}.jsonl`);
      await add(`projects/p/agent-${START}.jsonl`);
      await add(`projects/p/${ID}.jsonl.backup-1`);
      await mkdir(join(await add(`projects/p/${ID}/notes.txt`), '..', 'subagents'));
      assert.match((await run(['show', START])).stderr, /^There is neither/u);
    }));

  it('yields to a path that exists, whatever it is', () =>
    withHome(async ({ add, run }) => {
      await add(`projects/p/${ID}.jsonl`);
      await add(`../work/${START}`, transcript([prompt('here', null)]));
      assert.equal(sessionIdIn(await run(['show', START, '--json'])), START);
      await add(`../work/${ID}/notes.txt`);
      assert.match((await run(['show', ID])).stderr, /^~\/work\/4444abcd-\S+ is a folder, not a transcript\./u);
    }));

  for (const [what, make] of [
    ['a FIFO', (path: string) => Promise.resolve(execFileSync('mkfifo', [path]))],
    ['a folder', (path: string) => mkdir(path)],
    ['a link to itself', (path: string) => symlink(path, path)],
  ] as const) {
    it(`that names ${what} is refused like that path`, function () {
      if (process.platform === 'win32') this.skip();
      return withHome(async ({ add, run, folder }) => {
        await add('projects/p/notes.txt');
        await make(join(folder, '.claude', 'projects', 'p', `${ID}.jsonl`));
        const byId = await run(['show', START]);
        assert.equal(byId.code, 2);
        assert.equal(byId.stderr, (await run(['show', `../.claude/projects/p/${ID}.jsonl`])).stderr);
        assert.equal((await run(['show', `../.claude/projects/p/${ID}`])).code, 2);
      });
    });
  }

  it('leaves any other text to mean a path', () =>
    withHome(async ({ add, run }) => {
      await add(`projects/p/${ID}.jsonl`);
      for (const name of ['4444abc', '4444abcdx', `${ID}0`, 'zzzzzzzz', `./${START}`, `${START}.jsonl`]) {
        const { code, stderr } = await run(['show', name]);
        assert.equal(code, 2);
        assert.match(stderr, /^~\/work\/\S+ does not exist\.\n$/u, name);
      }
    }));
});

describe('Each command that takes a FILE', () => {
  for (const name of ['show', 'tail', 'tasks', 'export', 'fork', 'checkpoints', 'rewind']) {
    it(`says in the help of ${name} that it may be a session id`, async () => {
      const { stdout } = await runCli([name, '--help']);
      assert.match(stdout, /FILE is a transcript \(\.jsonl\), a session id, or its first eight letters\./u);
      for (const line of stdout.split('\n')) assert.ok(line.length <= 90, line);
    });
  }
});

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { jsonl, messageRow } from '../conversation/search/searchFiles';
import { NOW_MS } from './fakeEngine';
import { type CliRun, runCli } from './runCli';

const SESSION_ID = '44444444-4444-4444-8444-444444444444';

interface SearchDocument {
  readonly matches: readonly Record<string, unknown>[];
}

describe('search', () => {
  /** Runs command lines over a config folder with one session of two rows. */
  function withSession(
    check: (run: (argv: readonly string[], options?: object) => Promise<CliRun>, file: string) => Promise<void>,
  ): Promise<void> {
    return withTemporaryFolder(async (home) => {
      const project = join(home, '.claude', 'projects', 'p');
      await mkdir(project, { recursive: true });
      const file = join(project, `${SESSION_ID}.jsonl`);
      const timestamp = new Date(NOW_MS - 3_600_000).toISOString();
      const evil = `out \u001b]0;owned\u0007 ${'hay '.repeat(30)}the Needle ${'hay '.repeat(30)}`;
      await writeFile(
        file,
        jsonl(
          messageRow('user', 'Find a needle', { timestamp }),
          messageRow('assistant', [{ type: 'text', text: evil }], { timestamp }),
        ),
      );
      const engine = createEngine({ configDir: join(home, '.claude') });
      await check((argv, options = {}) => runCli(argv, engine, { home, cwd: home, ...options }), file);
    });
  }

  it('prints one document with the fields of the contract in their order, and nothing else', () =>
    withSession(async (run, file) => {
      const { code, stdout, stderr } = await run(['search', 'needle', '--json']);
      assert.deepEqual([code, stderr], [0, '']);
      // SAFETY: checked below.
      const document = JSON.parse(stdout) as SearchDocument;
      assert.deepEqual(Object.keys(document), ['matches']);
      assert.deepEqual(document.matches[0], {
        filePath: file,
        sessionId: SESSION_ID,
        title: 'Find a needle',
        line: 1,
        uuid: '00000000-0000-4000-8000-000000000001',
        role: 'user',
        timeMs: NOW_MS - 3_600_000,
        excerpt: 'Find a needle',
        hit: { start: 7, end: 13 },
      });
      assert.deepEqual(Object.keys(document.matches[0]), [
        ...['filePath', 'sessionId', 'title', 'line', 'uuid', 'role', 'timeMs', 'excerpt', 'hit'],
      ]);
      assert.equal(document.matches.length, 2);
    }));

  it('shows the session, then each row with its hit, in lines that fit', () =>
    withSession(async (run) => {
      const { code, stdout } = await run(['search', 'needle'], {
        isTerminal: true,
        columns: 80,
        env: { NO_COLOR: '1' },
      });
      assert.equal(code, 0);
      const lines = stdout.split('\n');
      assert.equal(lines[1], 'Find a needle  1h ago');
      assert.equal(lines[2], `  ~/.claude/projects/p/${SESSION_ID}.jsonl`);
      assert.equal(lines[3], '      1  user        Find a needle');
      assert.match(lines[4] ?? '', /^ {6}2 {2}assistant {3}….* the Needle hay .*…$/u);
      for (const line of lines) assert.ok(line.length <= 80, line);
      assert.match(stdout, /\n2 hits found in 1 session \(\d+ byte\)\.\n$|\n2 hits found in 1 session \(.+\)\.\n$/u);
      assert.ok(!stdout.includes('\u001b') && !stdout.includes('\u0007'));
    }));

  it('highlights the hit if colours are on', () =>
    withSession(async (run) => {
      const { stdout } = await run(['search', 'needle'], { isTerminal: true });
      assert.ok(stdout.includes('\u001b[1mneedle\u001b[22m'), JSON.stringify(stdout));
      assert.ok(!(await run(['search', 'needle'])).stdout.includes('\u001b'));
    }));

  it('accepts a regular expression, case sensitivity, roles, a limit and paths', () =>
    withSession(async (run, file) => {
      const count = async (...argv: string[]): Promise<number> =>
        (JSON.parse((await run(['search', ...argv, '--json'])).stdout) as SearchDocument).matches.length;
      assert.equal(await count('n..dle'), 0);
      assert.equal(await count('n..dle', '--regex'), 2);
      assert.equal(await count('needle', '--case'), 1);
      assert.equal(await count('needle', '--role', 'assistant'), 1);
      assert.equal(await count('needle', '--role', 'assistant', '--role', 'user'), 2);
      assert.equal(await count('needle', '--limit', '1'), 1);
      assert.equal(await count('needle', file), 2);
    }));

  it('exits with 0 if nothing is found, and reports it', () =>
    withSession(async (run) => {
      const { code, stdout } = await run(['search', 'unheard of']);
      assert.equal(code, 0);
      assert.match(stdout, /^Nothing found in 1 session \(.+\)\.\n$/u);
    }));

  it('exits with 2 if something could not be read, after the results', () =>
    withSession(async (run, file) => {
      const { code, stdout, stderr } = await run(['search', 'needle', file, 'nowhere.jsonl', '--json']);
      assert.equal(code, 2);
      assert.equal((JSON.parse(stdout) as SearchDocument).matches.length, 2);
      assert.match(stderr, /nowhere\.jsonl does not exist/u);
    }));

  for (const [what, argv, problem] of [
    ['no text', ['search'], /needs a TEXT/u],
    ['an empty text', ['search', ''], /needs a TEXT/u],
    ['a bad expression', ['search', 'a(', '--regex', '--json'], /no regular expression: Unterminated group/u],
    ['an unknown role', ['search', 'a', '--role', 'boss'], /no role "boss"/u],
    ['a limit of nothing', ['search', 'a', '--limit', '0'], /--limit needs a number/u],
    ['an unknown option', ['search', 'a', '--fast'], /--fast/u],
  ] as const) {
    it(`is a usage error with ${what}`, () =>
      withSession(async (run) => {
        const { code, stdout, stderr } = await run(argv);
        assert.deepEqual([code, stdout], [2, '']);
        assert.match(stderr, problem);
        assert.match(stderr, /Try "rethread search --help"/u);
      }));
  }

  it('has a help text', async () => {
    const { code, stdout } = await runCli(['search', '--help']);
    assert.equal(code, 0);
    for (const option of ['--regex', '--case', '--role', '--limit', '--json'])
      assert.ok(stdout.includes(option), option);
    for (const line of stdout.split('\n')) assert.ok(line.length <= 88, line);
  });
});

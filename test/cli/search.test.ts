import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { SearchMatch } from '../../src/protocol/channels/search';
import { FIXTURES } from '../support/fixtures';
import { withTemporaryFolder } from '../support/temporaryFolder';
import { BuiltCli } from './spawnCli';

describe('The built command line searches', () => {
  function withCli(check: (cli: BuiltCli) => Promise<void>): Promise<void> {
    return withTemporaryFolder(async (folder) => check(await BuiltCli.install(folder)));
  }

  it('every session under a folder, as JSON and for people, with the same count', () =>
    withCli(async (cli) => {
      const json = await cli.run(['search', 'session title', FIXTURES, '--json']);
      assert.deepEqual([json.code, json.stderr], [0, '']);
      // SAFETY: the shape is the contract of this command.
      const { matches } = JSON.parse(json.stdout) as { matches: readonly SearchMatch[] };
      assert.ok(matches.length >= 5, String(matches.length));
      for (const { excerpt, hit } of matches) {
        assert.equal(excerpt.slice(hit.start, hit.end).toLowerCase(), 'session title');
      }
      const page = await cli.run(['search', 'session title', FIXTURES]);
      assert.ok(page.stdout.includes(`${matches.length} hits found in `), page.stdout.slice(-200));
      assert.ok(!page.stdout.includes('\u001b'));
    }));

  it('nothing if a regular expression is invalid, and reports it in a sentence', () =>
    withCli(async (cli) => {
      const { code, stdout, stderr } = await cli.run(['search', '--regex', '(', FIXTURES]);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /^This is no regular expression: .+\nTry ".+ search --help"\.\n$/u);
    }));

  it('to its end with an expression that would take forever', () =>
    withCli(async (cli) => {
      const { code, stdout } = await cli.run(['search', '--regex', String.raw`^([\s\S]+)+\u0000$`, FIXTURES]);
      assert.equal(code, 0);
      assert.match(stdout, /There may be more\./u);
    })).timeout(60_000);

  it('quietly when the reader of its output closes the pipe', () =>
    withCli(async (cli) => {
      const child = cli.spawn(['search', 'e', FIXTURES, '--json', '--limit', '100000']);
      assert.ok(child.stdout);
      await once(child.stdout, 'data');
      child.stdout.destroy();
      const [code] = (await once(child, 'close')) as [number];
      assert.equal(code, 141);
    }));
});

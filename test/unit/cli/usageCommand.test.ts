import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import { answer, withUsageFolder, type UsageFolder } from '../usage/usageFolder';
import { runCli, type CliRun } from './runCli';

interface UsageDocument {
  readonly rows: readonly Record<string, unknown>[];
  readonly totals: { readonly messages: number };
}

describe('usage', () => {
  /** Runs command lines over a config folder. */
  function withSessions(
    check: (run: (...argv: readonly string[]) => Promise<CliRun>, folder: UsageFolder) => Promise<void>,
  ): Promise<void> {
    return withUsageFolder(async (folder) => {
      folder.write(folder.path('one'), [
        { type: 'user', uuid: 'p', cwd: '/home/person/weather', message: { content: 'Add a rain sensor' } },
        answer('a', 1_234_567, { parentUuid: 'p' }),
        answer('b', 5, { timestamp: '2026-11-20T23:30:00.000Z' }, { model: 'claude-tomorrow' }),
      ]);
      folder.write(folder.path('two'), [answer('a', 1_234_567), answer('c', 7)]);
      const engine = createEngine({ configDir: folder.configDir });
      const home = '/home/person';
      const env = { CLAUDE_CONFIG_DIR: folder.configDir };
      await check((...argv) => runCli(['usage', ...argv], engine, { home, env, columns: 100 }), folder);
    });
  }

  it('prints a table by day, with its totals and what they exclude', () =>
    withSessions(async (run) => {
      const { code, stdout, stderr } = await run('--time-zone', 'UTC');
      assert.deepEqual([code, stderr], [0, '']);
      assert.equal(
        stdout,
        [
          'Day         Replies  Input     Output  Cache write  Cache read     Cost',
          '2026-11-20        1     10          5            0           0  unknown',
          '2026-11-21        2     20  1,234,574            0           0   $24.69',
          'Total             3     30  1,234,579            0           0  $24.69+',
          '',
          'Cost is what the API charges by its price list; subscriptions are paid otherwise.',
          'Days are those of UTC.',
          '15 tokens of models without a known price are not in it.',
          '',
        ].join('\n'),
      );
    }));

  it('uses the days of the requested time zone', () =>
    withSessions(async (run) => {
      const { stdout } = await run('--time-zone', 'Europe/Berlin', '--json');
      // SAFETY: checked below.
      const { rows } = JSON.parse(stdout) as UsageDocument;
      assert.deepEqual(
        rows.map(({ key, messages }) => [key, messages]),
        [['2026-11-21', 3]],
      );
    }));

  it('prints one document with the fields of the contract in their order, and nothing else', () =>
    withSessions(async (run, folder) => {
      const { code, stdout, stderr } = await run('--by', 'session', '--json');
      assert.deepEqual([code, stderr], [0, '']);
      // SAFETY: checked below.
      const document = JSON.parse(stdout) as UsageDocument;
      assert.deepEqual(Object.keys(document), ['rows', 'totals']);
      assert.deepEqual(document.rows[1], {
        key: 'one',
        title: 'Add a rain sensor',
        filePath: folder.path('one'),
        messages: 2,
        counts: {
          input: 20,
          output: 1_234_572,
          cacheWrite5m: 0,
          cacheWrite1h: 0,
          cacheRead: 0,
          webSearches: 0,
          webFetches: 0,
        },
        cost: { usd: 24.69138, unpricedTokens: 15 },
        models: ['claude-opus-5-5', 'claude-tomorrow'],
        sharedTokens: 0,
      });
      assert.deepEqual(Object.keys(document.rows[0] ?? {}), [
        ...['key', 'title', 'filePath', 'messages', 'counts', 'cost', 'models', 'sharedTokens'],
      ]);
      assert.deepEqual([document.rows[0]?.['sharedTokens'], document.totals.messages], [1_234_577, 3]);
    }));

  it('groups by project and by model', () =>
    withSessions(async (run, folder) => {
      const keys = async (by: string) => {
        // SAFETY: checked below.
        const { rows } = JSON.parse((await run('--by', by, '--json')).stdout) as UsageDocument;
        return rows.map(({ key, filePath }) => [key, filePath]);
      };
      assert.deepEqual(await keys('project'), [['/home/person/weather', join(folder.configDir, 'projects', '-p')]]);
      assert.deepEqual(await keys('model'), [
        ['claude-opus-5-5', null],
        ['claude-tomorrow', null],
      ]);
      assert.match((await run('--by', 'project')).stdout, /^~\/weather /mu);
      assert.match((await run('--by', 'session')).stdout, /Shared tokens are of messages that forks copied/u);
    }));

  it('counts the given sessions, with their subagents', () =>
    withSessions(async (run, folder) => {
      folder.write(join(folder.path('two').replace('.jsonl', ''), 'subagents', 'agent-x.jsonl'), [answer('x', 9)]);
      folder.write(folder.path('agent-y'), [answer('y', 9, { sessionId: 'two' })]);
      folder.write(folder.path('agent-z'), [answer('z', 9, { sessionId: 'one' })]);
      const messages = async (...paths: string[]) => {
        // SAFETY: checked below.
        const { totals } = JSON.parse((await run(...paths, '--json')).stdout) as UsageDocument;
        return totals.messages;
      };
      assert.equal(await messages(folder.path('two')), 4);
      assert.equal(await messages(folder.path('one'), folder.path('two')), 6);
      assert.equal(await messages(folder.configDir), 6);
      assert.equal(await messages(join(folder.configDir, 'projects', '-p')), 6);
      assert.equal(await messages(folder.path('agent-y')), 1);
    }));

  it('reports missing paths and invalid arguments', () =>
    withSessions(async (run, folder) => {
      const gone = folder.path('gone');
      const missing = await run(gone, '--json');
      assert.equal(missing.code, 2);
      assert.ok(missing.stderr.includes(gone), missing.stderr);
      assert.equal((JSON.parse(missing.stdout) as UsageDocument).totals.messages, 0);
      assert.match((await run('--by', 'hour')).stderr, /^--by needs one of session, project, day, model\.\n/u);
      assert.match((await run('--time-zone', 'Europe/Atlantis')).stderr, /^There is no time zone "Europe\/Atlantis"/u);
      assert.equal((await run('--time-zone', 'Europe/Atlantis')).code, 2);
      assert.equal((await run('--help')).code, 0);
    }));

  it('reports that there is no usage, for an empty folder and a missing one', () =>
    withUsageFolder(async ({ configDir }) => {
      const run = (folder: string) =>
        runCli(['usage'], createEngine({ configDir: folder }), { env: { CLAUDE_CONFIG_DIR: folder } });
      assert.deepEqual([(await run(configDir)).code, (await run(configDir)).stdout], [0, 'No messages found.\n']);
      const gone = await run(join(configDir, 'gone'));
      assert.deepEqual([gone.code, gone.stdout], [2, '']);
      assert.match(gone.stderr, /^There is no Claude Code config folder /u);
    }));
});

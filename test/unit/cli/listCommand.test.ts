import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import type { SessionInfo } from '../../../src/protocol/sessionInfo';
import { fakeMachine } from '../../support/fakeMachine';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { call, prompt, reply, result, type RowFields, transcript } from '../../support/transcriptBuilder';
import { type CliRun, runCli } from './runCli';

const [BUSY, IDLE, GONE, NEW] = ['1', '2', '3', '4'].map((digit) => `${digit.repeat(8)}-4444-4444-8444-444444444444`);

const AT_WORK: readonly RowFields[] = [
  prompt('p', null, { message: { role: 'user', content: 'Mend the \u001b]0;owned\u0007 \u009b31m\u202eparser' } }),
  call('c', 'p', 't1'),
];
const OVER: readonly RowFields[] = [prompt('p', null), call('c', 'p', 't1'), result('u', 'c', 't1'), reply('r', 'u')];

function record(pid: number, sessionId: string | undefined, change: object): object {
  const startedAt = Date.UTC(2026, 0, 1);
  return { pid, sessionId, cwd: '/p', kind: 'interactive', entrypoint: 'cli', startedAt, ...change };
}

/** Lists a config folder with a busy session, one that waits and has no transcript yet, an idle one, and one that ended. */
async function list(argv: readonly string[], check: (run: CliRun, folder: string) => void): Promise<void> {
  await withTemporaryFolder(async (home) => {
    const configDir = join(home, '.claude');
    const project = join(configDir, 'projects', '-p');
    await mkdir(project, { recursive: true });
    await mkdir(join(configDir, 'sessions'));
    for (const [id, rows] of [
      [BUSY, AT_WORK],
      [IDLE, OVER],
      [GONE, OVER],
    ] as const) {
      await writeFile(join(project, `${id}.jsonl`), transcript(rows));
    }
    for (const [pid, each] of [
      record(1, BUSY, { status: 'busy', statusUpdatedAt: Date.UTC(2026, 0, 2) }),
      record(2, IDLE, { status: 'idle', entrypoint: 'sdk-cli' }),
      record(3, NEW, { status: 'waiting', waitingFor: 'input needed' }),
    ].entries()) {
      await writeFile(join(configDir, 'sessions', `${pid + 1}.json`), JSON.stringify(each));
    }
    const engine = createEngine({ configDir, machine: fakeMachine({}) });
    check(await runCli(['list', ...argv], engine, { home, cwd: home, env: { CLAUDE_CONFIG_DIR: configDir } }), home);
  });
}

function infosIn({ stdout }: CliRun): readonly SessionInfo[] {
  // SAFETY: the contract of the command; checked by the callers.
  return (JSON.parse(stdout) as { sessions: SessionInfo[] }).sessions;
}

describe('list', () => {
  it('prints what each session is doing: those that wait first, then those at work, idle ones, and the others', () =>
    list(['--json'], (run) => {
      assert.deepEqual([run.code, run.stderr], [0, '']);
      // Some terminals obey these characters, which JSON does not escape by itself.
      assert.ok(!/[\u0080-\u009f\u202e]/u.test(run.stdout), run.stdout);
      assert.deepEqual(
        infosIn(run).map(({ sessionId, state, isInferred, live, source, pid }) => [
          sessionId,
          ...[state, isInferred, live, source, pid],
        ]),
        [
          [NEW, 'waiting-answer', false, 'live', 'terminal', 3],
          [BUSY, 'busy', false, 'live', 'terminal', 1],
          [IDLE, 'idle', false, 'live', 'sdk', 2],
          [GONE, 'ended', true, 'not-live', 'unknown', null],
        ],
      );
    }));

  it('prints all fields of the contract, in its order', () =>
    list(['--json'], (run, home) => {
      const busy = infosIn(run)[1];
      assert.deepEqual(busy, {
        status: 'healthy',
        provider: 'claude',
        sessionId: BUSY,
        filePath: join(home, '.claude', 'projects', '-p', `${String(BUSY)}.jsonl`),
        title: 'Mend the \u001b]0;owned\u0007 \u009b31m\u202eparser',
        folder: busy?.folder,
        createdAt: busy?.createdAt,
        updatedAt: busy?.updatedAt,
        messages: 2,
        turns: 1,
        model: busy?.model,
        branch: busy?.branch,
        tokens: busy?.tokens,
        costUsd: busy?.costUsd,
        state: 'busy',
        isInferred: false,
        live: 'live',
        source: 'terminal',
        doing: 'Bash',
        since: '2026-01-02T00:00:00.000Z',
        pid: 1,
        parentSessionId: null,
        agentName: null,
        sweptAt: busy?.sweptAt,
      });
      // Without settings, clients keep a transcript for 30 days.
      const daysLeft = (Date.parse(busy.sweptAt ?? '') - Date.now()) / 86_400_000;
      assert.ok(daysLeft > 29.9 && daysLeft <= 30, busy.sweptAt ?? 'never');
      assert.match(busy.createdAt ?? '', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/u);
      assert.deepEqual(Object.keys(busy.tokens), ['input', 'output', 'cacheRead', 'cacheWrite']);
    }));

  it('has no verdict for a client that has no transcript yet, and says where it will be', () =>
    list(['--json'], (run, home) => {
      const [waiting] = infosIn(run);
      assert.deepEqual(
        [waiting?.status, waiting?.filePath, waiting?.folder, waiting?.doing],
        [null, join(home, '.claude', 'projects', '-p', `${String(NEW)}.jsonl`), '/p', 'input needed'],
      );
    }));

  it('lists only sessions that a client runs with --running', () =>
    list(['--running', '--json'], (run) => {
      assert.deepEqual(
        infosIn(run).map(({ sessionId }) => sessionId),
        [NEW, BUSY, IDLE],
      );
    }));

  it('prints a table that a terminal can show, and how many sessions run and wait', () =>
    list([], (run) => {
      assert.deepEqual([run.code, run.stderr], [0, '']);
      assert.ok(!run.stdout.includes('\u001b') && !run.stdout.includes('\u0007'), run.stdout);
      const lines = run.stdout.split('\n');
      assert.match(lines[1] ?? '', /^waiting for an answer {2}\(no title\) · input needed/u);
      assert.match(lines[2] ?? '', /^working {2,}Mend the .*parser · Bash/u);
      assert.match(lines[4] ?? '', /^ended /u);
      assert.equal(lines.at(-2), '4 sessions, 3 running, 1 waiting for you.');
    }));

  it('makes no path of a record that names no session', async () => {
    await withTemporaryFolder(async (home) => {
      const configDir = join(home, '.claude');
      await mkdir(join(configDir, 'sessions'), { recursive: true });
      const hostile = record(1, '../../../etc/passwd', { status: 'busy' });
      await writeFile(join(configDir, 'sessions', '1.json'), JSON.stringify(hostile));
      const engine = createEngine({ configDir, machine: fakeMachine({}) });
      const run = await runCli(['list', '--json'], engine, { home, env: { CLAUDE_CONFIG_DIR: configDir } });
      assert.deepEqual(infosIn(run), []);
    });
  });

  it('marks a state that the last messages alone tell, and says so', async () => {
    await withTemporaryFolder(async (home) => {
      const project = join(home, 'projects', '-p');
      await mkdir(project, { recursive: true });
      await writeFile(join(project, `${String(BUSY)}.jsonl`), transcript(AT_WORK));
      const engine = createEngine({ configDir: home, machine: fakeMachine({}) });
      const { stdout } = await runCli(['list'], engine, { home, env: { CLAUDE_CONFIG_DIR: home } });
      assert.match(stdout, /^crashed\? /mu);
      assert.match(stdout, /^A state with "\?" is told by the last messages alone/mu);
    });
  });

  it('takes no PATH', async () => {
    await withTemporaryFolder(async (home) => {
      const run = await runCli(['list', 'x'], createEngine({ configDir: home }), { home, cwd: home });
      assert.equal(run.code, 2);
      assert.match(run.stderr, /^list takes no PATH/u);
    });
  });

  it('says that there is no config folder', async () => {
    await withTemporaryFolder(async (home) => {
      const configDir = join(home, 'none');
      const engine = createEngine({ configDir });
      const run = await runCli(['list', '--json'], engine, { home, cwd: home, env: { CLAUDE_CONFIG_DIR: configDir } });
      assert.deepEqual([run.code, JSON.parse(run.stdout)], [2, { sessions: [] }]);
      assert.match(run.stderr, /^There is no Claude Code config folder/u);
    });
  });
});

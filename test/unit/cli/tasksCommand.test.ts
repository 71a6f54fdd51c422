import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { type RowFields, transcript } from '../../support/transcriptBuilder';
import { create, SESSION_ID, todos, update, work } from '../conversation/tasks/taskRows';
import { type CliRun, runCli } from './runCli';

const PLAN = work([
  create('1', 'Write it'),
  create('2', 'Test it'),
  update('2', { addBlockedBy: ['1'] }),
  update('1', { status: 'in_progress', activeForm: 'Writing it' }),
]);

async function tasks(rows: readonly RowFields[], argv: readonly string[] = [], options: object = {}): Promise<CliRun> {
  const runs: CliRun[] = [];
  await withTemporaryFolder(async (folder) => {
    const file = join(folder, 'projects', '-p', `${SESSION_ID}.jsonl`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, transcript(rows));
    runs.push(
      await runCli(['tasks', file, ...argv], createEngine({ configDir: folder }), { home: folder, ...options }),
    );
  });
  const [run] = runs;
  if (run === undefined) throw new Error('Failed to run the command');
  return run;
}

describe('tasks', () => {
  it('prints one document: the tasks first, then their source and their history', async () => {
    const { code, stdout, stderr } = await tasks(PLAN, ['--json']);
    assert.deepEqual([code, stderr], [0, '']);
    // SAFETY: checked below.
    const document = JSON.parse(stdout) as Record<string, unknown> & { tasks: Record<string, unknown>[] };
    assert.deepEqual(Object.keys(document), [
      ...['tasks', 'sessionId', 'filePath', 'title', 'isLive', 'source', 'origin'],
      ...['progress', 'history', 'moreHistory', 'notes'],
    ]);
    assert.deepEqual(
      document.tasks.map(({ id, status, blockedBy }) => [id, status, blockedBy]),
      [
        ['1', 'in_progress', []],
        ['2', 'pending', ['1']],
      ],
    );
    assert.deepEqual(document['progress'], { total: 2, completed: 0, inProgress: 1, failed: 0 });
  });

  it('is a list with the status of each task, what it waits for, and its history', async () => {
    const { code, stdout } = await tasks(PLAN);
    assert.equal(code, 0);
    const lines = stdout.split('\n');
    assert.ok(lines.includes('0 of 2 done, 1 in progress'), stdout);
    assert.ok(lines.includes('  ▸ #1 Writing it  line 8'), stdout);
    assert.ok(lines.includes('  ○ #2 Test it  line 6'), stdout);
    assert.ok(lines.includes('      blocked by #1'), stdout);
    assert.ok(
      lines.some((line) => /line 8 .* begun: Write it$/.test(line)),
      stdout,
    );
    assert.match(stdout, /! Claude keeps no files of these tasks/);
  });

  it('prints no control codes except colours, and those only on a terminal', async () => {
    const evil = work([todos(['\u001b]0;owned\u0007 do it', 'pending'])]);
    const plain = (await tasks(evil)).stdout;
    assert.ok(!plain.includes('\u001b') && !plain.includes('\u0007'));
    assert.ok((await tasks(evil, [], { isTerminal: true })).stdout.includes('\u001b['));
  });

  it('reports that there are none', async () => {
    const { code, stdout } = await tasks(work([]));
    assert.equal(code, 0);
    assert.match(stdout, /This session has no tasks, and started no subagents\./);
  });

  it('reports what cannot be read', async () => {
    const { code, stdout, stderr } = await runCli(['tasks', '/nowhere.jsonl'], createEngine({ configDir: '/nowhere' }));
    assert.deepEqual([code, stdout, stderr], [2, '', '/nowhere.jsonl does not exist.\n']);
  });

  it('is a usage error without FILE', async () => {
    const { code, stderr } = await runCli(['tasks']);
    assert.equal(code, 2);
    assert.match(stderr, /tasks needs one FILE/);
  });

  it('has a help text', async () => {
    assert.match((await runCli(['tasks', '--help'])).stdout, /^Usage: rethread tasks FILE/);
  });
});

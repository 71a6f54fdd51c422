import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chainRow, prompt } from '../../../support/transcriptBuilder';
import { brief, changes, create, listOf, SESSION_ID, withSetup, work } from './taskRows';

const look = { name: 'Agent', input: { description: 'Look', prompt: 'Look around', subagent_type: 'Explore' } };
const launched = { isAsync: true, status: 'async_launched', agentId: 'abc123' };

function notice(status: string, text = ''): string {
  return `<task-notification>\n<task-id>abc123</task-id>\n<tool-use-id>toolu_p0</tool-use-id>\n<status>${status}</status>\n<result>${text}</result>\n</task-notification>`;
}

describe('The work of subagents', () => {
  it('is listed if no task tool was used', async () => {
    const list = await listOf(work([{ ...look, details: { status: 'completed', agentId: 'abc123' } }]));
    assert.deepEqual([list.source, ...brief(list)], ['agents', 'toolu_p0 Look: completed']);
    assert.deepEqual(changes(list), ['2 added Look', '3 status Look: in_progress → completed']);
  });

  it('is not listed if one was', async () => {
    const list = await listOf(work([create('1', 'a'), { ...look, details: {} }]));
    assert.deepEqual(brief(list), ['1 a: pending']);
  });

  it('is failed when its result is an error', async () => {
    assert.deepEqual(brief(await listOf(work([{ ...look, isError: true }]))), ['toolu_p0 Look: failed']);
  });

  it('continues in the background after the call, until a notice reports its end', async () => {
    await withSetup(async (setup) => {
      const rows = work([{ ...look, details: launched }]);
      setup.isLive = true;
      assert.deepEqual(brief(await setup.read(rows)), ['toolu_p0 Look: in_progress']);
      const reported = prompt('note', 'pr0', { message: { role: 'user', content: notice('completed') } });
      assert.deepEqual(brief(await setup.read([...rows, reported])), ['toolu_p0 Look: completed']);
    });
  });

  for (const [word, status] of [
    ['failed', 'failed'],
    ['killed', 'stopped'],
    ['stopped', 'stopped'],
  ] as const) {
    it(`is ${status} when the notice says "${word}"`, async () => {
      const content = notice(word, '<status>completed</status>');
      const reported = prompt('note', 'pr0', { message: { role: 'user', content } });
      assert.deepEqual(brief(await listOf([...work([{ ...look, details: launched }]), reported])), [
        `toolu_p0 Look: ${status}`,
      ]);
    });
  }

  it('is also reported by an attachment', async () => {
    const attachment = { type: 'task_status', taskId: 'abc123', taskType: 'local_agent', status: 'failed' };
    const reported = chainRow('attachment', 'note', 'pr0', { attachment });
    assert.deepEqual(brief(await listOf([...work([{ ...look, details: launched }]), reported])), [
      'toolu_p0 Look: failed',
    ]);
  });

  it('is stopped if it has no result and the session is not running', async () => {
    await withSetup(async (setup) => {
      const list = await setup.read(work([look]));
      assert.deepEqual(brief(list), ['toolu_p0 Look: stopped']);
      assert.equal(list.progress.failed, 1);
      setup.isLive = true;
      assert.deepEqual(brief(await setup.read()), ['toolu_p0 Look: in_progress']);
    });
  });

  it('names the subagent’s transcript, and uses its meta.json', async () => {
    await withSetup(async (setup) => {
      const folder = join(setup.configDir, 'projects', '-p', SESSION_ID, 'subagents');
      mkdirSync(folder, { recursive: true });
      const transcript = join(folder, 'agent-abc123.jsonl');
      writeFileSync(transcript, '{}\n');
      writeFileSync(join(folder, 'agent-abc123.meta.json'), JSON.stringify({ toolUseId: 'toolu_p0', finished: true }));
      const list = await setup.read(work([{ ...look, details: launched }]));
      const [task] = list.tasks;
      assert.deepEqual(task?.kind === 'agent' ? [task.status, task.agentType, task.transcript] : null, [
        'completed',
        'Explore',
        transcript,
      ]);
    });
  });
});

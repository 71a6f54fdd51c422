import assert from 'node:assert/strict';
import type { TaskList } from '../../../../src/protocol/task';
import { brief, changes, create, listOf, todos, update, work } from './taskRows';

function waits({ tasks }: TaskList): string[] {
  return tasks.flatMap((task) =>
    task.kind === 'task' ? [`${task.id} < ${task.openBlockers.join()}${task.isInCycle ? ' (ring)' : ''}`] : [],
  );
}

/** The notes of the list, except that there are no files. */
function oddities({ notes }: TaskList): unknown[] {
  return notes.filter(({ kind }) => kind !== 'notKept');
}

describe('Tasks of TaskCreate and TaskUpdate', () => {
  it('use the ids that the results assign', async () => {
    const list = await listOf(
      work([create('1', 'Write'), create('2', 'Test'), update('1', { status: 'in_progress', activeForm: 'Writing' })]),
    );
    assert.equal(list.source, 'tasks');
    assert.deepEqual(brief(list), ['1 Write: in_progress', '2 Test: pending']);
    const [first] = list.tasks;
    assert.deepEqual(first?.kind === 'task' ? [first.activeForm, first.description] : null, ['Writing', 'Write!']);
  });

  it('are listed by number, in whatever order they were created', async () => {
    const list = await listOf(
      work([create('10', 'ten'), create('9', 'nine'), create('x', 'other'), create('1', 'one')]),
    );
    assert.deepEqual(
      list.tasks.map(({ id }) => id),
      ['1', '9', '10', 'x'],
    );
  });

  it('wait for each other until the tasks that they wait for are done', async () => {
    const made = [create('1', 'a'), create('2', 'b'), create('3', 'c'), update('2', { addBlockedBy: ['1'] })];
    const linked = work([...made, update('2', { addBlocks: ['3'] })]);
    assert.deepEqual(waits(await listOf(linked)), ['1 < ', '2 < 1', '3 < 2']);
    const done = work([...made, update('2', { addBlocks: ['3'] }), update('1', { status: 'completed' })]);
    const list = await listOf(done);
    assert.deepEqual(waits(list), ['1 < ', '2 < ', '3 < 2']);
    const [first, second] = list.tasks;
    assert.deepEqual(first?.kind === 'task' ? first.blocks : null, ['2']);
    assert.deepEqual(second?.kind === 'task' ? [second.blockedBy, second.blocks] : null, [['1'], ['3']]);
  });

  it('ignore dependencies on missing tasks', async () => {
    const list = await listOf(work([create('1', 'a'), update('1', { addBlockedBy: ['77', 4, null] })]));
    assert.deepEqual(waits(list), ['1 < ']);
  });

  it('that wait for themselves are reported', async () => {
    const list = await listOf(
      work([
        ...['1', '2', '3', '4'].map((id) => create(id, `t${id}`)),
        update('1', { addBlockedBy: ['2'] }),
        update('2', { addBlockedBy: ['3'] }),
        update('3', { addBlockedBy: ['1'] }),
        update('4', { addBlockedBy: ['1'] }),
      ]),
    );
    assert.deepEqual(waits(list), ['1 < 2 (ring)', '2 < 3 (ring)', '3 < 1 (ring)', '4 < 1']);
    assert.deepEqual(oddities(list), [{ kind: 'cycles', count: 3, ids: ['1', '2', '3'] }]);
  });

  it('are no longer in a cycle once one of them is done', async () => {
    const list = await listOf(
      work([
        create('1', 'a'),
        create('2', 'b'),
        update('1', { addBlockedBy: ['2'], addBlocks: ['2'] }),
        update('2', { status: 'completed' }),
      ]),
    );
    assert.deepEqual(oddities(list), []);
  });

  it('are removed by the status "deleted", with their links', async () => {
    const list = await listOf(
      work([
        create('1', 'a'),
        create('2', 'b'),
        update('2', { addBlockedBy: ['1'] }),
        update('1', { status: 'deleted' }),
      ]),
    );
    assert.deepEqual(brief(list), ['2 b: pending']);
    const [task] = list.tasks;
    assert.deepEqual(task?.kind === 'task' ? task.blockedBy : null, []);
    assert.equal(changes(list).at(-1), '8 removed a');
  });

  it('keep their earlier names when they are renamed', async () => {
    const list = await listOf(work([create('1', 'Ship it'), update('1', { subject: 'Release it' })]));
    assert.deepEqual(list.history.at(-1), {
      kind: 'subject',
      taskId: '1',
      subject: 'Release it',
      from: 'Ship it',
      to: 'Release it',
      at: list.tasks[0]?.changedAt,
    });
  });

  it('are not changed by a failed or refused call', async () => {
    const failed = { ...update('1', { status: 'completed' }), details: { success: false, error: 'Task not found' } };
    const refused = { ...create('2', 'never'), isError: true, details: 'Error: No such tool available' };
    assert.deepEqual(brief(await listOf(work([create('1', 'a'), failed, refused]))), ['1 a: pending']);
  });

  it('without a result have no id yet, and are not counted', async () => {
    const { name, input } = create('', 'soon');
    assert.deepEqual(brief(await listOf(work([create('1', 'a'), { name, input }]))), ['1 a: pending']);
  });

  it('replace an older TodoWrite list, and are replaced by a later one', async () => {
    const older = await listOf(work([todos(['old', 'pending']), create('1', 'new')]));
    assert.deepEqual(brief(older), ['1 new: pending']);
    const later = await listOf(work([create('1', 'old'), todos(['new', 'pending'])]));
    assert.deepEqual([later.source, ...brief(later)], ['todos', '1 new: pending']);
  });

  it('do not require times', async () => {
    const rows = work([create('1', 'a'), update('1', { status: 'completed' })]).map((row) => ({
      ...row,
      timestamp: undefined,
    }));
    const list = await listOf(rows);
    assert.deepEqual(brief(list), ['1 a: completed']);
    assert.equal(list.history[0]?.at.timeMs, null);
  });

  it('can be ten thousand that all wait for the first', async () => {
    const count = 10_000;
    const steps = Array.from({ length: count }, (_, at) => create(String(at + 1), `task ${at + 1}`));
    const others = Array.from({ length: count - 1 }, (_, at) => String(at + 2));
    const list = await listOf(work([...steps, update('1', { addBlocks: others })]));
    assert.equal(list.tasks.length, count);
    assert.deepEqual(oddities(list), []);
    const last = list.tasks.at(-1);
    assert.deepEqual(last?.kind === 'task' ? last.openBlockers : null, ['1']);
  }).timeout(60_000);
});

import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brief, create, todos, update, withSetup, work } from './taskRows';

/** After every row of a hand-made transcript, and before. */
const LATER = Date.UTC(2026, 8, 1);
const EARLIER = Date.UTC(2026, 0, 1);
/** The row that has the result of the first call: 60 seconds after the first. */
const RESULT_MS = Date.UTC(2026, 5, 1, 10) + 60_000;

function file(id: string, subject: string, status = 'pending', more: object = {}): object {
  return { id, subject, description: '', status, blocks: [], blockedBy: [], ...more };
}

describe('Claude’s own task files', () => {
  it('are used if they were written after the last change in the conversation', () =>
    withSetup(async (setup) => {
      setup.writeTask('1.json', file('1', 'a', 'completed', { blocks: ['2'] }), LATER);
      setup.writeTask('2.json', file('2', 'from elsewhere'), LATER);
      const list = await setup.read(work([create('1', 'a')]));
      assert.deepEqual([list.source, list.origin], ['tasks', 'files']);
      assert.deepEqual(brief(list), ['1 a: completed', '2 from elsewhere: pending']);
      const [first, second] = list.tasks;
      assert.equal(first?.createdAt?.line, 2);
      assert.equal(second?.createdAt ?? null, null);
      assert.deepEqual(second?.kind === 'task' ? second.blockedBy : null, ['1']);
    }));

  it('are not used if they are older', () =>
    withSetup(async (setup) => {
      setup.writeTask('1.json', file('1', 'a', 'completed'), EARLIER);
      const list = await setup.read(work([create('1', 'a')]));
      assert.deepEqual([list.origin, ...brief(list)], ['transcript', '1 a: pending']);
    }));

  it('count as written by the call itself if they are no later than its result', () =>
    withSetup(async (setup) => {
      setup.writeTask('1.json', file('1', 'a', 'completed'), RESULT_MS + 1_500);
      assert.equal((await setup.read(work([create('1', 'a')]))).origin, 'transcript');
    }));

  it('add nothing if they agree with the conversation', () =>
    withSetup(async (setup) => {
      setup.writeTask('1.json', file('1', 'a', 'pending', { description: 'a!' }), LATER);
      assert.equal((await setup.read(work([create('1', 'a')]))).origin, 'transcript');
    }));

  it('are used if no row has a time', () =>
    withSetup(async (setup) => {
      setup.writeTask('1.json', file('1', 'a', 'completed'), EARLIER);
      const rows = work([create('1', 'a')]).map((row) => ({ ...row, timestamp: undefined }));
      assert.deepEqual(brief(await setup.read(rows)), ['1 a: completed']);
    }));

  it('are the only source if the conversation has no tasks', () =>
    withSetup(async (setup) => {
      setup.writeTask('3.json', file('3', 'alone'), EARLIER);
      assert.deepEqual(brief(await setup.read(work([]))), ['3 alone: pending']);
    }));

  it('mean a cleared list if they were deleted from their folder', () =>
    withSetup(async (setup) => {
      setup.writeTask('.lock', '', LATER);
      const list = await setup.read(work([create('1', 'a')]));
      assert.deepEqual([list.origin, list.tasks.length, list.history.length], ['files', 0, 1]);
    }));

  it('with the same id: the one named after it counts, and the other is reported', () =>
    withSetup(async (setup) => {
      setup.writeTask('1.json', file('2', 'impostor'), LATER);
      setup.writeTask('2.json', file('2', 'real'), LATER);
      const list = await setup.read(work([]));
      assert.deepEqual(brief(list), ['2 real: pending']);
      assert.deepEqual(list.notes, [{ kind: 'duplicateIds', count: 1, paths: [join(setup.tasksFolder, '1.json')] }]);
    }));

  it('without a task are reported, and the others are read', () =>
    withSetup(async (setup) => {
      setup.writeTask('1.json', '{"id":"1","subj', LATER);
      setup.writeTask('2.json', '[]', LATER);
      setup.writeTask('3.json', { id: '3' }, LATER);
      setup.writeTask('4.json', { subject: 'no id' }, LATER);
      setup.writeTask('5.json', file('5', 'good', 'paused'), LATER);
      mkdirSync(join(setup.tasksFolder, '6.json'));
      const list = await setup.read(work([]));
      assert.deepEqual(
        list.tasks.map(({ id, statusText }) => [id, statusText]),
        [['5', 'paused']],
      );
      assert.deepEqual(
        list.notes.map(({ kind, count }) => [kind, count]),
        [['malformedFiles', 5]],
      );
    }));

  it('may contain cyclic dependencies and dangling symbolic links', () =>
    withSetup(async (setup) => {
      setup.writeTask('1.json', file('1', 'a', 'pending', { blockedBy: ['1'] }), LATER);
      symlinkSync(join(setup.tasksFolder, 'nowhere'), join(setup.tasksFolder, '2.json'));
      const list = await setup.read(work([]));
      assert.deepEqual(
        list.tasks.map((task) => task.kind === 'task' && task.isInCycle),
        [true],
      );
    }));

  it('appear and disappear while the session is followed', () =>
    withSetup(async (setup) => {
      const rows = work([create('1', 'a')]);
      assert.equal((await setup.read(rows)).origin, 'transcript');
      setup.writeTask('1.json', file('1', 'a', 'completed'), LATER);
      assert.equal(await setup.tasks.refresh(), true);
      assert.deepEqual(brief(await setup.read()), ['1 a: completed']);
      rmSync(setup.tasksFolder, { recursive: true });
      assert.equal(await setup.tasks.refresh(), true);
      assert.deepEqual(brief(await setup.read()), ['1 a: pending']);
      assert.equal(await setup.tasks.refresh(), false);
    }));

  it('with a changed task are noticed although their folder is unchanged', () =>
    withSetup(async (setup) => {
      setup.writeTask('1.json', file('1', 'a'), LATER);
      await setup.read(work([]));
      setup.writeTask('1.json', file('1', 'a', 'completed'), LATER);
      for (let look = 0; look < 20; look++) await setup.tasks.refresh();
      assert.deepEqual(brief(await setup.read()), ['1 a: completed']);
    }));

  it('of TodoWrite are used if they are newer', () =>
    withSetup(async (setup) => {
      setup.writeTodos([{ content: 'plan', status: 'completed', activeForm: 'Planning' }], LATER);
      const list = await setup.read(work([todos(['plan', 'pending'])]));
      assert.deepEqual([list.origin, ...brief(list)], ['files', '1 plan: completed']);
    }));

  for (const [what, content] of [
    ['empty', []],
    ['torn', '[{"content":'],
    ['of another kind', { content: 'x' }],
  ] as const) {
    it(`of TodoWrite are ignored if the list is ${what}`, () =>
      withSetup(async (setup) => {
        setup.writeTodos(content, LATER);
        const list = await setup.read(work([todos(['plan', 'pending'])]));
        assert.deepEqual([list.origin, ...brief(list)], ['transcript', '1 plan: pending']);
      }));
  }

  it('are reported when missing, because Claude then begins with an empty list', () =>
    withSetup(async (setup) => {
      const rows = work([create('1', 'a'), create('2', 'b')]);
      assert.deepEqual((await setup.read(rows)).notes, [{ kind: 'notKept', count: 2 }]);
      setup.writeTask('1.json', file('1', 'a'), EARLIER);
      assert.deepEqual((await setup.read(rows)).notes, []);
    }));

  it('are never written', () =>
    withSetup(async (setup) => {
      await setup.read(work([create('1', 'a'), update('1', { status: 'completed' })]));
      assert.throws(() => {
        writeFileSync(join(setup.tasksFolder, 'x'), '');
      }, /ENOENT/);
    }));
});

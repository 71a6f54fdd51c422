import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brief, create, todos, update, withDesk, work } from './taskRows';

/** After every row of a hand-made transcript, and before. */
const LATER = Date.UTC(2026, 8, 1);
const EARLIER = Date.UTC(2026, 0, 1);
/** The row that has the result of the first call: 60 seconds after the first. */
const RESULT_MS = Date.UTC(2026, 5, 1, 10) + 60_000;

function file(id: string, subject: string, status = 'pending', more: object = {}): object {
  return { id, subject, description: '', status, blocks: [], blockedBy: [], ...more };
}

describe("Claude's own task files", () => {
  it('tell the state when they were written after the last change in the conversation', () =>
    withDesk(async (desk) => {
      desk.writeTask('1.json', file('1', 'a', 'completed', { blocks: ['2'] }), LATER);
      desk.writeTask('2.json', file('2', 'from elsewhere'), LATER);
      const list = await desk.read(work([create('1', 'a')]));
      assert.deepEqual([list.source, list.origin], ['tasks', 'files']);
      assert.deepEqual(brief(list), ['1 a: completed', '2 from elsewhere: pending']);
      const [first, second] = list.tasks;
      assert.equal(first?.createdAt?.line, 2);
      assert.equal(second?.createdAt ?? null, null);
      assert.deepEqual(second?.kind === 'task' ? second.blockedBy : null, ['1']);
    }));

  it('do not when they are older', () =>
    withDesk(async (desk) => {
      desk.writeTask('1.json', file('1', 'a', 'completed'), EARLIER);
      const list = await desk.read(work([create('1', 'a')]));
      assert.deepEqual([list.origin, ...brief(list)], ['transcript', '1 a: pending']);
    }));

  it('were written by the call itself when that is no longer ago than its result', () =>
    withDesk(async (desk) => {
      desk.writeTask('1.json', file('1', 'a', 'completed'), RESULT_MS + 1_500);
      assert.equal((await desk.read(work([create('1', 'a')]))).origin, 'transcript');
    }));

  it('that say the same as the conversation tell nothing more', () =>
    withDesk(async (desk) => {
      desk.writeTask('1.json', file('1', 'a', 'pending', { description: 'a!' }), LATER);
      assert.equal((await desk.read(work([create('1', 'a')]))).origin, 'transcript');
    }));

  it('tell the state when no row tells a time', () =>
    withDesk(async (desk) => {
      desk.writeTask('1.json', file('1', 'a', 'completed'), EARLIER);
      const rows = work([create('1', 'a')]).map((row) => ({ ...row, timestamp: undefined }));
      assert.deepEqual(brief(await desk.read(rows)), ['1 a: completed']);
    }));

  it('are all that there is where the conversation tells of none', () =>
    withDesk(async (desk) => {
      desk.writeTask('3.json', file('3', 'alone'), EARLIER);
      assert.deepEqual(brief(await desk.read(work([]))), ['3 alone: pending']);
    }));

  it('that are gone from their folder are a list that was cleared', () =>
    withDesk(async (desk) => {
      desk.writeTask('.lock', '', LATER);
      const list = await desk.read(work([create('1', 'a')]));
      assert.deepEqual([list.origin, list.tasks.length, list.history.length], ['files', 0, 1]);
    }));

  it('with one id: the one that is called by it counts, and the other is named', () =>
    withDesk(async (desk) => {
      desk.writeTask('1.json', file('2', 'impostor'), LATER);
      desk.writeTask('2.json', file('2', 'real'), LATER);
      const list = await desk.read(work([]));
      assert.deepEqual(brief(list), ['2 real: pending']);
      assert.deepEqual(list.notes, [{ kind: 'duplicateIds', count: 1, paths: [join(desk.tasksFolder, '1.json')] }]);
    }));

  it('that hold no task are named, and the others are read', () =>
    withDesk(async (desk) => {
      desk.writeTask('1.json', '{"id":"1","subj', LATER);
      desk.writeTask('2.json', '[]', LATER);
      desk.writeTask('3.json', { id: '3' }, LATER);
      desk.writeTask('4.json', { subject: 'no id' }, LATER);
      desk.writeTask('5.json', file('5', 'good', 'paused'), LATER);
      mkdirSync(join(desk.tasksFolder, '6.json'));
      const list = await desk.read(work([]));
      assert.deepEqual(
        list.tasks.map(({ id, statusText }) => [id, statusText]),
        [['5', 'paused']],
      );
      assert.deepEqual(
        list.notes.map(({ kind, count }) => [kind, count]),
        [['malformedFiles', 5]],
      );
    }));

  it('may be a ring of links, and a link to nowhere', () =>
    withDesk(async (desk) => {
      desk.writeTask('1.json', file('1', 'a', 'pending', { blockedBy: ['1'] }), LATER);
      symlinkSync(join(desk.tasksFolder, 'nowhere'), join(desk.tasksFolder, '2.json'));
      const list = await desk.read(work([]));
      assert.deepEqual(
        list.tasks.map((task) => task.kind === 'task' && task.isInCycle),
        [true],
      );
    }));

  it('come and go while the session is followed', () =>
    withDesk(async (desk) => {
      const rows = work([create('1', 'a')]);
      assert.equal((await desk.read(rows)).origin, 'transcript');
      desk.writeTask('1.json', file('1', 'a', 'completed'), LATER);
      assert.equal(await desk.tasks.refresh(), true);
      assert.deepEqual(brief(await desk.read()), ['1 a: completed']);
      rmSync(desk.tasksFolder, { recursive: true });
      assert.equal(await desk.tasks.refresh(), true);
      assert.deepEqual(brief(await desk.read()), ['1 a: pending']);
      assert.equal(await desk.tasks.refresh(), false);
    }));

  it('of a changed task are seen although their folder stays as it was', () =>
    withDesk(async (desk) => {
      desk.writeTask('1.json', file('1', 'a'), LATER);
      await desk.read(work([]));
      desk.writeTask('1.json', file('1', 'a', 'completed'), LATER);
      for (let look = 0; look < 20; look++) await desk.tasks.refresh();
      assert.deepEqual(brief(await desk.read()), ['1 a: completed']);
    }));

  it('of TodoWrite tell the state when they are newer', () =>
    withDesk(async (desk) => {
      desk.writeTodos([{ content: 'plan', status: 'completed', activeForm: 'Planning' }], LATER);
      const list = await desk.read(work([todos(['plan', 'pending'])]));
      assert.deepEqual([list.origin, ...brief(list)], ['files', '1 plan: completed']);
    }));

  for (const [what, content] of [
    ['empty', []],
    ['torn', '[{"content":'],
    ['of another kind', { content: 'x' }],
  ] as const) {
    it(`of TodoWrite say nothing when the list is ${what}`, () =>
      withDesk(async (desk) => {
        desk.writeTodos(content, LATER);
        const list = await desk.read(work([todos(['plan', 'pending'])]));
        assert.deepEqual([list.origin, ...brief(list)], ['transcript', '1 plan: pending']);
      }));
  }

  it('that are not there are told of: Claude begins with an empty list then', () =>
    withDesk(async (desk) => {
      const rows = work([create('1', 'a'), create('2', 'b')]);
      assert.deepEqual((await desk.read(rows)).notes, [{ kind: 'notKept', count: 2 }]);
      desk.writeTask('1.json', file('1', 'a'), EARLIER);
      assert.deepEqual((await desk.read(rows)).notes, []);
    }));

  it('are never written', () =>
    withDesk(async (desk) => {
      await desk.read(work([create('1', 'a'), update('1', { status: 'completed' })]));
      assert.throws(() => {
        writeFileSync(join(desk.tasksFolder, 'x'), '');
      }, /ENOENT/);
    }));
});

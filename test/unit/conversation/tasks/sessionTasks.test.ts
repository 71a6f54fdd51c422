import assert from 'node:assert/strict';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { prompt, transcript } from '../../../support/transcriptBuilder';
import { fixtureRecordings } from './recordedTasks';
import { brief, create, todos, update, withDesk, work } from './taskRows';

describe('The tasks of a session that is followed', () => {
  it('are told again only when something was said of tasks', () =>
    withDesk(async (desk) => {
      await desk.read(work([create('1', 'a')]));
      const { revision } = await desk.read();
      appendFileSync(desk.filePath, transcript([prompt('talk', 'pr0')]));
      assert.equal(await desk.tasks.refresh(), false);
      const more = work([create('1', 'a'), update('1', { status: 'completed' })]).slice(3);
      appendFileSync(desk.filePath, transcript(more));
      assert.equal(await desk.tasks.refresh(), true);
      const list = await desk.read();
      assert.deepEqual(brief(list), ['1 a: completed']);
      assert.equal(list.revision, revision + 1);
    }));

  it('grow with its rows, whatever part of them is read at a time', () =>
    withDesk(async (desk) => {
      const bytes = transcript(work([create('1', 'a'), create('2', 'b'), update('1', { status: 'completed' })]));
      writeFileSync(desk.filePath, '');
      for (let at = 0; at < bytes.length; at += 97) {
        appendFileSync(desk.filePath, bytes.subarray(at, at + 97));
        await desk.tasks.refresh();
      }
      assert.deepEqual(brief(await desk.read()), ['1 a: completed', '2 b: pending']);
    }));

  it('are those of another transcript when the file is replaced', () =>
    withDesk(async (desk) => {
      await desk.read(work([create('1', 'a')]));
      assert.deepEqual(brief(await desk.read(work([todos(['other', 'pending'], ['more', 'pending'])], 'q'))), [
        '1 other: pending',
        '2 more: pending',
      ]);
    }));

  it('are none, with a sentence, when the file is gone, and are there again with it', () =>
    withDesk(async (desk) => {
      const rows = work([create('1', 'a')]);
      await desk.read(rows);
      rmSync(desk.filePath);
      const gone = await desk.read();
      assert.deepEqual([gone.tasks, gone.history], [[], []]);
      assert.match(gone.problem ?? '', /is gone: it was deleted or moved\.$/);
      assert.deepEqual(brief(await desk.read(rows)), ['1 a: pending']);
    }));

  it('are cut where there are more than are told', () =>
    withDesk(async (desk) => {
      await desk.read(work(Array.from({ length: 8 }, (_, at) => create(String(at), `t${at}`))));
      const list = desk.tasks.list({ tasks: 5, history: 3 });
      assert.deepEqual([list.tasks.length, list.moreTasks, list.history.length, list.moreHistory], [5, 3, 3, 5]);
      assert.equal(list.progress.total, 8);
    }));
});

describe('The tasks of recorded sessions', () => {
  for (const { name, read, expected } of fixtureRecordings()) {
    it(`are read from ${name}`, async () => {
      assert.deepEqual(await read(), expected);
    });
  }
});

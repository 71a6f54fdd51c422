import assert from 'node:assert/strict';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { prompt, transcript } from '../../../support/transcriptBuilder';
import { fixtureRecordings } from './recordedTasks';
import { brief, create, todos, update, withSetup, work } from './taskRows';

describe('The tasks of a followed session', () => {
  it('are reported again only when a task changed', () =>
    withSetup(async (setup) => {
      await setup.read(work([create('1', 'a')]));
      const { revision } = await setup.read();
      appendFileSync(setup.filePath, transcript([prompt('talk', 'pr0')]));
      assert.equal(await setup.tasks.refresh(), false);
      const more = work([create('1', 'a'), update('1', { status: 'completed' })]).slice(3);
      appendFileSync(setup.filePath, transcript(more));
      assert.equal(await setup.tasks.refresh(), true);
      const list = await setup.read();
      assert.deepEqual(brief(list), ['1 a: completed']);
      assert.equal(list.revision, revision + 1);
    }));

  it('grow with its rows, whatever part of them is read at a time', () =>
    withSetup(async (setup) => {
      const bytes = transcript(work([create('1', 'a'), create('2', 'b'), update('1', { status: 'completed' })]));
      writeFileSync(setup.filePath, '');
      for (let at = 0; at < bytes.length; at += 97) {
        appendFileSync(setup.filePath, bytes.subarray(at, at + 97));
        await setup.tasks.refresh();
      }
      assert.deepEqual(brief(await setup.read()), ['1 a: completed', '2 b: pending']);
    }));

  it('are replaced when the transcript is replaced', () =>
    withSetup(async (setup) => {
      await setup.read(work([create('1', 'a')]));
      assert.deepEqual(brief(await setup.read(work([todos(['other', 'pending'], ['more', 'pending'])], 'q'))), [
        '1 other: pending',
        '2 more: pending',
      ]);
    }));

  it('are empty, with an explanation, when the file is deleted, and return with it', () =>
    withSetup(async (setup) => {
      const rows = work([create('1', 'a')]);
      await setup.read(rows);
      rmSync(setup.filePath);
      const gone = await setup.read();
      assert.deepEqual([gone.tasks, gone.history], [[], []]);
      assert.match(gone.problem ?? '', /is gone: it was deleted or moved\.$/);
      assert.deepEqual(brief(await setup.read(rows)), ['1 a: pending']);
    }));

  it('are cut at the maximum number that is sent', () =>
    withSetup(async (setup) => {
      await setup.read(work(Array.from({ length: 8 }, (_, at) => create(String(at), `t${at}`))));
      const list = setup.tasks.list({ tasks: 5, history: 3 });
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

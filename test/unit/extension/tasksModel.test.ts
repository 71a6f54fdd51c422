import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { Emitter } from '../../../src/extension/lifetime';
import { WorkerError } from '../../../src/extension/rpc/workerError';
import { TasksModel } from '../../../src/extension/tasks/tasksModel';
import type { TaskList } from '../../../src/protocol/task';
import { list, task, TASKS_PATH } from './taskFakes';
import { sessionRefOf } from '../../rooms/format';

class Desk {
  readonly calls: string[] = [];
  readonly changed = new Emitter<TaskList>();
  readonly restarted = new Emitter<void>();
  readonly gaveUp = new Emitter<string>();
  session: string | null = TASKS_PATH;
  answer: () => Promise<TaskList> = () => Promise.resolve(list([task()], { filePath: this.session ?? '' }));
  readonly model = new TasksModel({
    client: {
      tasks: {
        openTasks: ({ path }) => {
          this.calls.push(`open ${path}`);
          return this.answer();
        },
        closeTasks: ({ path }) => {
          this.calls.push(`close ${path}`);
          return Promise.resolve();
        },
        onTasksChanged: this.changed.event,
      },
      onRestarted: this.restarted.event,
      onGaveUp: this.gaveUp.event,
    },
    session: () => (this.session === null ? null : sessionRefOf(this.session)),
    describe: (error) => (error instanceof Error ? error.message : ''),
    stoppedText: () => 'gave up',
  });

  get kind(): string {
    return this.model.state.kind;
  }
}

describe('what the Tasks view follows', () => {
  it('is nothing until somebody looks, and nothing any more when nobody does', async () => {
    const desk = new Desk();
    desk.model.sessionMoved();
    assert.deepEqual(desk.calls, []);
    desk.model.setWatching(true);
    assert.equal(desk.kind, 'loading');
    await turn();
    assert.equal(desk.kind, 'list');
    desk.model.setWatching(false);
    desk.model.sessionMoved();
    assert.deepEqual(desk.calls, [`open ${TASKS_PATH}`, `close ${TASKS_PATH}`]);
  });

  it('is another session when the person turns to one, and is asked for once', async () => {
    const desk = new Desk();
    desk.model.setWatching(true);
    await turn();
    desk.model.sessionMoved();
    desk.session = '/other.jsonl';
    desk.model.sessionMoved();
    await turn();
    assert.deepEqual(desk.calls, [`open ${TASKS_PATH}`, 'open /other.jsonl']);
    desk.session = null;
    desk.model.sessionMoved();
    assert.deepEqual([desk.kind, desk.calls.at(-1)], ['noSession', 'close /other.jsonl']);
  });

  it('shows no answer that came after the person turned away', async () => {
    const desk = new Desk();
    let answer: (told: TaskList) => void = () => undefined;
    desk.answer = () => new Promise((resolve) => (answer = resolve));
    desk.model.setWatching(true);
    desk.session = null;
    desk.model.sessionMoved();
    answer(list([task()]));
    await turn();
    assert.equal(desk.kind, 'noSession');
  });

  it('takes what changed, of that session alone, and nothing older', async () => {
    const desk = new Desk();
    desk.model.setWatching(true);
    await turn();
    desk.changed.fire(list([], { revision: 5 }));
    desk.changed.fire(list([task()], { revision: 4 }));
    desk.changed.fire(list([task()], { revision: 9, filePath: '/other.jsonl' }));
    const { state } = desk.model;
    assert.deepEqual(state.kind === 'list' ? [state.list.revision, state.list.tasks.length] : null, [5, 0]);
  });

  it('is opened again when the worker was started again', async () => {
    const desk = new Desk();
    desk.answer = () => Promise.reject(new WorkerError('worker-died', 'it died'));
    desk.model.setWatching(true);
    await turn();
    assert.equal(desk.kind, 'loading');
    desk.answer = () => Promise.resolve(list([task()]));
    desk.restarted.fire();
    await turn();
    assert.equal(desk.kind, 'list');
  });

  it('says why there is nothing, when it could not be asked for or the worker gave up', async () => {
    const desk = new Desk();
    desk.answer = () => Promise.reject(new Error('no answer'));
    desk.model.setWatching(true);
    await turn();
    assert.deepEqual(desk.model.state, { kind: 'failed', session: sessionRefOf(TASKS_PATH), problem: 'no answer' });
    desk.gaveUp.fire('reason');
    assert.deepEqual(desk.model.state, { kind: 'failed', session: sessionRefOf(TASKS_PATH), problem: 'gave up' });
  });

  it('keeps what it shows of a session while that is read again', async () => {
    const desk = new Desk();
    desk.model.setWatching(true);
    await turn();
    desk.model.reopen();
    assert.equal(desk.kind, 'list');
    await turn();
    assert.equal(desk.calls.length, 2);
  });
});

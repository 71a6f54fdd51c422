import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { Emitter } from '../../../src/extension/lifetime';
import { WorkerError } from '../../../src/extension/rpc/workerError';
import { TasksModel } from '../../../src/extension/tasks/tasksModel';
import type { TaskList } from '../../../src/protocol/task';
import { list, task, TASKS_PATH } from './taskFakes';
import { sessionRefOf } from '../../rooms/format';

class Setup {
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

describe('The session that the Tasks view follows', () => {
  it('is none until the view becomes visible, and none again when it is hidden', async () => {
    const setup = new Setup();
    setup.model.sessionMoved();
    assert.deepEqual(setup.calls, []);
    setup.model.setWatching(true);
    assert.equal(setup.kind, 'loading');
    await turn();
    assert.equal(setup.kind, 'list');
    setup.model.setWatching(false);
    setup.model.sessionMoved();
    assert.deepEqual(setup.calls, [`open ${TASKS_PATH}`, `close ${TASKS_PATH}`]);
  });

  it('changes when the person switches to another session, with one request', async () => {
    const setup = new Setup();
    setup.model.setWatching(true);
    await turn();
    setup.model.sessionMoved();
    setup.session = '/other.jsonl';
    setup.model.sessionMoved();
    await turn();
    assert.deepEqual(setup.calls, [`open ${TASKS_PATH}`, 'open /other.jsonl']);
    setup.session = null;
    setup.model.sessionMoved();
    assert.deepEqual([setup.kind, setup.calls.at(-1)], ['noSession', 'close /other.jsonl']);
  });

  it('ignores an answer that arrives after the person switched away', async () => {
    const setup = new Setup();
    let answer: (reported: TaskList) => void = () => undefined;
    setup.answer = () => new Promise((resolve) => (answer = resolve));
    setup.model.setWatching(true);
    setup.session = null;
    setup.model.sessionMoved();
    answer(list([task()]));
    await turn();
    assert.equal(setup.kind, 'noSession');
  });

  it('accepts changes only of that session, and only newer ones', async () => {
    const setup = new Setup();
    setup.model.setWatching(true);
    await turn();
    setup.changed.fire(list([], { revision: 5 }));
    setup.changed.fire(list([task()], { revision: 4 }));
    setup.changed.fire(list([task()], { revision: 9, filePath: '/other.jsonl' }));
    const { state } = setup.model;
    assert.deepEqual(state.kind === 'list' ? [state.list.revision, state.list.tasks.length] : null, [5, 0]);
  });

  it('is opened again when the worker was restarted', async () => {
    const setup = new Setup();
    setup.answer = () => Promise.reject(new WorkerError('worker-died', 'it died'));
    setup.model.setWatching(true);
    await turn();
    assert.equal(setup.kind, 'loading');
    setup.answer = () => Promise.resolve(list([task()]));
    setup.restarted.fire();
    await turn();
    assert.equal(setup.kind, 'list');
  });

  it('comes with an explanation when the request failed or the worker gave up', async () => {
    const setup = new Setup();
    setup.answer = () => Promise.reject(new Error('no answer'));
    setup.model.setWatching(true);
    await turn();
    assert.deepEqual(setup.model.state, { kind: 'failed', session: sessionRefOf(TASKS_PATH), problem: 'no answer' });
    setup.gaveUp.fire('reason');
    assert.deepEqual(setup.model.state, { kind: 'failed', session: sessionRefOf(TASKS_PATH), problem: 'gave up' });
  });

  it('keeps its shown tasks while it is read again', async () => {
    const setup = new Setup();
    setup.model.setWatching(true);
    await turn();
    setup.model.reopen();
    assert.equal(setup.kind, 'list');
    await turn();
    assert.equal(setup.calls.length, 2);
  });
});

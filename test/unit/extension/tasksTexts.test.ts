import assert from 'node:assert/strict';
import {
  changeAppearance,
  taskAppearance,
  type TaskAppearance,
  taskContextValue,
} from '../../../src/extension/tasks/taskAppearance';
import { changeNodes, taskNodes } from '../../../src/extension/tasks/taskNode';
import { liveSessionOf, type TasksState } from '../../../src/extension/tasks/tasksModel';
import { tasksViewState, tasksViewText } from '../../../src/extension/tasks/tasksViewText';
import type { AgentTask, Task, TaskList } from '../../../src/protocol/task';
import { activity, formats, project, session, snapshot, t } from './fakes';
import { list, place, task, TASKS_PATH } from './taskFakes';
import { sessionRefOf } from '../../rooms/format';

const agent: AgentTask = {
  kind: 'agent',
  id: 'toolu_1',
  subject: 'Look around',
  status: 'completed',
  statusText: null,
  createdAt: place(4),
  changedAt: place(9),
  agentType: 'Explore',
  transcript: '/c/agent.jsonl',
};

function look(of: Task, change: Partial<TaskList> = {}): TaskAppearance {
  const [node] = taskNodes(list([of, task({ id: '2', subject: 'Plan' })], change));
  assert.equal(node?.kind, 'task');
  return taskAppearance(node, formats, t);
}

function shown(state: TaskList): TasksState {
  return { kind: 'list', session: sessionRefOf(state.filePath), list: state };
}

describe('A task in the view', () => {
  it('shows its subject, and its active form while it is in progress', () => {
    assert.equal(look(task()).label, 'Write the parser');
    assert.equal(look(task({ status: 'in_progress' })).label, 'Writing the parser');
    assert.equal(look(task({ status: 'in_progress', activeForm: null })).label, 'Write the parser');
    assert.equal(look(task({ status: 'completed' })).label, 'Write the parser');
  });

  it('has a spinning icon only while a client works on it', () => {
    assert.equal(look(task({ status: 'in_progress' }), { isLive: true }).icon.id, 'loading~spin');
    assert.equal(look(task({ status: 'in_progress' })).icon.id, 'circle-filled');
    assert.deepEqual(look(task({ status: 'completed' })).icon, { id: 'pass', color: 'testing.iconPassed' });
  });

  it('names the tasks that it waits for until they are done', () => {
    const waiting = look(task({ blockedBy: ['2', '3'], openBlockers: ['2', '3'] }));
    assert.equal(waiting.description, 'blocked by #2, #3');
    assert.equal(waiting.icon.id, 'lock');
    assert.match(waiting.tooltip, /Blocked by \\#2\\: Plan/);
    assert.equal(waiting.accessibleLabel, 'Write the parser, to do, blocked by #2, #3');
    assert.equal(look(task({ blockedBy: ['2'], openBlockers: [], status: 'pending' })).description, '');
    assert.equal(look(task({ openBlockers: ['2'], status: 'completed' })).description, '');
  });

  it('is a warning if it waits for itself', () => {
    const ring = look(task({ openBlockers: ['1'], isInCycle: true }));
    assert.equal(ring.icon.id, 'warning');
    assert.match(ring.tooltip, /none of them can begin/);
  });

  it('describes its icon to screen readers', () => {
    assert.equal(look(task({ status: 'in_progress' })).accessibleLabel, 'Writing the parser, in progress');
    assert.equal(look(agent).accessibleLabel, 'Look around, done, Explore');
  });

  it('shows an unknown status as written', () => {
    const odd = look(task({ status: 'unknown', statusText: 'paused' }));
    assert.equal(odd.description, 'status “paused”');
    assert.equal(odd.icon.id, 'question');
  });

  it('renders nothing in its tooltip as markup', () => {
    const { tooltip } = look(task({ subject: '[x](command:evil) $(warning)', description: '<b>' }));
    assert.doesNotMatch(tooltip, /\]\(command|\$\(|<b>/);
  });

  it('offers the transcript of a subagent if there is one', () => {
    assert.equal(taskContextValue(agent), 'task.agent.transcript');
    assert.equal(taskContextValue({ ...agent, transcript: null }), 'task.agent');
    assert.equal(taskContextValue(task()), 'task.task');
  });

  it('has its history, and nothing else, as children', () => {
    const at = place(12);
    const history: TaskList['history'] = [
      { kind: 'added', taskId: '1', subject: 'a', status: 'pending', at },
      { kind: 'status', taskId: '2', subject: 'b', from: 'pending', to: 'completed', at },
      { kind: 'status', taskId: '1', subject: 'a', from: 'pending', to: 'completed', at },
      { kind: 'subject', taskId: '1', subject: 'a', from: 'old', to: 'a', at },
      { kind: 'blockedBy', taskId: '1', subject: 'a', ids: ['2'], at },
    ];
    const [node] = taskNodes(list([task()], { history }));
    assert.equal(node?.kind, 'task');
    const labels = changeNodes(node).map(({ change }) => changeAppearance(change, formats, t).label);
    assert.deepEqual(labels, ['Added', 'Done', 'Renamed from “old”', 'Waits for #2']);
  });

  it('shows its line if it has no time', () => {
    const at = { ...place(1234), timeMs: null };
    const change = changeAppearance({ kind: 'removed', taskId: '1', subject: 'a', at }, formats, t);
    assert.equal(change.accessibleLabel, 'Removed, line 1,234');
  });
});

describe('The Tasks view', () => {
  it('shows the progress of the session, and its name', () => {
    const tasks = [task({ status: 'completed' }), task({ id: '2' }), task({ id: '3', status: 'completed' })];
    assert.deepEqual(tasksViewText(shown(list(tasks)), formats, t), {
      description: '2 of 3 done · Mend the login form',
      message: '',
    });
  });

  it('distinguishes the reasons for being empty', () => {
    assert.equal(tasksViewState({ kind: 'noSession' }), 'noSession');
    assert.equal(tasksViewState({ kind: 'loading', session: sessionRefOf(TASKS_PATH) }), 'loading');
    assert.equal(tasksViewState(shown(list([]))), 'noTasks');
    const removed = { kind: 'removed', taskId: '1', subject: 'a', at: place(1) } as const;
    assert.equal(tasksViewState(shown(list([], { history: [removed] }))), 'cleared');
    assert.equal(tasksViewState(shown(list([], { problem: 'x does not exist.' }))), 'failed');
    assert.equal(tasksViewState(shown(list([task()]))), 'filled');
  });

  it('reports that the transcript was deleted', () => {
    const { message } = tasksViewText(shown(list([], { problem: `${TASKS_PATH} does not exist.` })), formats, t);
    assert.equal(message, '44444444-4444-4444-8444-444444444444.jsonl does not exist.');
  });

  it('states the source of the list if it is not the conversation', () => {
    const { message } = tasksViewText(shown(list([task()], { origin: 'files' })), formats, t);
    assert.match(message, /task files/);
    const agents = tasksViewText(shown(list([agent], { source: 'agents' })), formats, t);
    assert.match(agents.message, /work of its subagents/);
  });

  it('has a sentence for each irregularity', () => {
    const notes: TaskList['notes'] = [
      { kind: 'otherBranches', count: 1 },
      { kind: 'malformedCalls', count: 2, lines: [3, 4] },
      { kind: 'malformedFiles', count: 3, paths: [] },
      { kind: 'duplicateIds', count: 1, paths: [] },
      { kind: 'notKept', count: 1 },
      { kind: 'cycles', count: 2, ids: ['1', '2'] },
    ];
    const { message } = tasksViewText(shown(list([task()], { notes })), formats, t);
    assert.equal(message.match(/\./g)?.length, notes.length);
  });

  it('follows the running workspace session with the latest activity first', () => {
    const run = { activity: activity('busy') };
    const older = session({ ...run, path: '/older', activityMs: 1 });
    const newer = session({ ...run, path: '/newer', activityMs: 2 });
    const elsewhere = session({ ...run, path: '/elsewhere', activityMs: 9 });
    const projects = [
      project([older, session({ activityMs: 7 }), newer]),
      project([elsewhere], { inWorkspace: false }),
    ];
    assert.equal(liveSessionOf(snapshot(projects))?.path, '/newer');
    assert.equal(liveSessionOf(snapshot([project([session()])])), null);
  });
});

import assert from 'node:assert/strict';
import { assistant, lastPrompt, prompt, uuidOf } from '../../../support/transcriptBuilder';
import { brief, changes, listOf, todos, work } from './taskRows';

describe('The list of TodoWrite', () => {
  it('is the complete list of the last call', async () => {
    const list = await listOf(
      work([
        todos(['plan', 'in_progress'], ['build', 'pending'], ['ship', 'pending']),
        todos(['plan', 'completed'], ['build', 'in_progress', 'Building']),
      ]),
    );
    assert.equal(list.source, 'todos');
    assert.deepEqual(brief(list), ['1 plan: completed', '2 build: in_progress']);
    assert.deepEqual(list.progress, { total: 2, completed: 1, inProgress: 1, failed: 0 });
    const [, build] = list.tasks;
    assert.equal(build?.kind === 'todo' ? build.activeForm : null, 'Building');
  });

  it('reports how it changed, each change with its row', async () => {
    const list = await listOf(
      work([todos(['plan', 'in_progress'], ['ship', 'pending']), todos(['plan', 'completed'], ['build', 'pending'])]),
    );
    assert.deepEqual(changes(list), [
      '2 added plan',
      '2 added ship',
      '4 status plan: in_progress → completed',
      '4 added build',
      '4 removed ship',
    ]);
    const [plan] = list.tasks;
    assert.deepEqual([plan?.createdAt?.line, plan?.changedAt?.line], [2, 4]);
    assert.equal(plan?.changedAt?.uuid, uuidOf('pc1'));
  });

  it('distinguishes two entries with the same text', async () => {
    const list = await listOf(
      work([todos(['same', 'completed'], ['same', 'pending']), todos(['same', 'completed'], ['same', 'completed'])]),
    );
    assert.deepEqual(brief(list), ['1 same: completed', '2 same: completed']);
    assert.deepEqual(changes(list).slice(2), ['4 status same: pending → completed']);
  });

  it('ignores a refused call', async () => {
    const refused = { ...todos(['not this', 'pending']), isError: true };
    assert.deepEqual(brief(await listOf(work([todos(['this', 'pending']), refused]))), ['1 this: pending']);
  });

  it('includes a call whose result is not there yet', async () => {
    const { name, input } = todos(['this', 'pending']);
    assert.deepEqual(brief(await listOf(work([{ name, input }]))), ['1 this: pending']);
  });

  it('is not changed by rows on other branches, and reports them', async () => {
    const rows = [
      ...work([todos(['kept', 'pending'])]),
      assistant('dead', 'pr0', [
        { type: 'tool_use', id: 'toolu_dead', name: 'TodoWrite', input: todos(['dead', 'pending']).input },
      ]),
      prompt('again', 'pr0'),
      assistant('answer', 'again', [{ type: 'text', text: 'Yes' }]),
      lastPrompt('answer'),
    ];
    const list = await listOf(rows);
    assert.deepEqual(brief(list), ['1 kept: pending']);
    assert.deepEqual(list.notes, [{ kind: 'otherBranches', count: 1 }]);
  });

  it('of a subagent in the same file does not belong to the session', async () => {
    const rows = [
      ...work([todos(['mine', 'pending'])]),
      prompt('agent', null, { isSidechain: true }),
      assistant(
        'agentCall',
        'agent',
        [{ type: 'tool_use', id: 'toolu_agent', name: 'TodoWrite', input: todos(['its', 'pending']).input }],
        { isSidechain: true },
      ),
      lastPrompt('pr0'),
    ];
    const list = await listOf(rows);
    assert.deepEqual(brief(list), ['1 mine: pending']);
    assert.deepEqual(list.notes, []);
  });

  for (const [what, input] of [
    ['no list', { todos: 'plan the work' }],
    ['nothing', {}],
    ['no object', ['todos']],
    ['null', null],
    ['an object for a list', { todos: { content: 'x' } }],
  ] as const) {
    it(`stays unchanged when a call holds ${what}, and names the line`, async () => {
      const list = await listOf(work([todos(['this', 'pending']), { name: 'TodoWrite', input, details: {} }]));
      assert.deepEqual(brief(list), ['1 this: pending']);
      assert.deepEqual(list.notes, [{ kind: 'malformedCalls', count: 1, lines: [4] }]);
    });
  }

  it('keeps the valid entries of a list with invalid ones', async () => {
    const input = { todos: [null, 'text', { content: 7 }, { content: '  ' }, { content: 'real', status: 'pending' }] };
    const list = await listOf(work([{ name: 'TodoWrite', input, details: {} }]));
    assert.deepEqual(brief(list), ['1 real: pending']);
    assert.deepEqual(
      list.notes.map(({ kind }) => kind),
      ['malformedCalls'],
    );
  });

  it('shows an unknown status as written', async () => {
    const input = { todos: [{ content: 'a', status: 'blocked' }, { content: 'b', status: 3 }, { content: 'c' }] };
    const list = await listOf(work([{ name: 'TodoWrite', input, details: {} }]));
    assert.deepEqual(
      list.tasks.map(({ status, statusText }) => [status, statusText]),
      [
        ['unknown', 'blocked'],
        ['unknown', ''],
        ['unknown', ''],
      ],
    );
  });

  it('can hold ten thousand entries', async () => {
    const many = Array.from({ length: 10_000 }, (_, at) => [`task ${at}`, 'pending'] as const);
    const done = many.map(([text], at) => [text, at < 6_000 ? 'completed' : 'pending'] as const);
    const list = await listOf(work([todos(...many), todos(...done)]));
    assert.deepEqual(list.progress, { total: 10_000, completed: 6_000, inProgress: 0, failed: 0 });
    assert.equal(list.history.length + list.moreHistory, 16_000);
  }).timeout(20_000);
});

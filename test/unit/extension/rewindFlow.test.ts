import assert from 'node:assert/strict';
import { WorkerError } from '../../../src/extension/rpc/workerError';
import { checkpoint, outcome, plan, plannedFile, PROMPT } from './rewindFakes';
import { LINK, OUTSIDE, SESSION, setUp, YES } from './rewindFlowScene';

describe('Rewinding files', () => {
  it('shows the changes, asks, and rewinds what was shown', async () => {
    const { flow, dialogs, rewinds, happened, shown } = setUp(YES);
    await flow.rewind(SESSION, PROMPT);
    assert.equal(shown.length, 1);
    assert.equal(dialogs.questions[0]?.message, 'Rewind 1 file to before “Draw the rain as bars”?');
    assert.match(dialogs.questions[0].detail ?? '', /^3 lines come back\. 1 line goes\.\n\nA safety copy/);
    assert.deepEqual(rewinds.applied, [
      {
        session: SESSION,
        promptUuid: PROMPT,
        roots: ['/src/app'],
        paths: ['/src/app/chart.ts'],
        mayLeaveRoots: false,
        skipObstacles: false,
        mayBeLive: false,
        token: 'token 1',
      },
    ]);
    assert.deepEqual(happened, ['rewound', 'closed the preview']);
    assert.deepEqual(dialogs.messages, [
      { kind: 'info', message: 'Rewound 1 file to before “Draw the rain as bars”.', buttons: ['Undo'] },
    ]);
  });

  it('undoes the rewind if the person presses Undo in the message about it', async () => {
    const { flow, happened } = setUp({ ...YES, notify: { 'Rewound 1 file': 'Undo' } });
    await flow.rewind(SESSION, PROMPT);
    await Promise.resolve();
    assert.ok(happened.includes('undo'));
  });

  it('touches nothing when the person cancels the file list or the question', async () => {
    for (const answers of [{ check: [null] }, { check: [{}], ask: [null] }]) {
      const { flow, rewinds, happened } = setUp(answers);
      await flow.rewind(SESSION, PROMPT);
      assert.deepEqual(rewinds.calls, ['planRewind']);
      assert.deepEqual(happened, []);
    }
  });

  it('rewinds only the chosen files, and none when none was chosen', async () => {
    const files = [plannedFile(), plannedFile({ path: '/src/app/axis.ts', insertions: 0, deletions: 4 })];
    const { flow, rewinds, dialogs } = setUp({ check: [{ '/src/app/axis.ts': false }], ask: ['Rewind'] });
    rewinds.plans = [plan({ files })];
    await flow.rewind(SESSION, PROMPT);
    assert.deepEqual(rewinds.applied[0]?.paths, ['/src/app/chart.ts']);
    assert.match(dialogs.questions[0]?.detail ?? '', /^3 lines come back\. 1 line goes\.\n/);

    const none = setUp({ check: [{ '/src/app/chart.ts': false, '/src/app/axis.ts': false }] });
    none.rewinds.plans = [plan({ files })];
    await none.flow.rewind(SESSION, PROMPT);
    assert.deepEqual(none.rewinds.applied, []);
    assert.deepEqual(none.dialogs.notes, ['No file was chosen, so that none was changed.']);
  });

  it('shows skipped files with the reason, and does not let them be chosen', async () => {
    const { flow, dialogs, rewinds } = setUp({ check: [{ '/src/app/link.ts': true }], ask: ['Rewind'] });
    rewinds.plans = [plan({ files: [plannedFile(), LINK] })];
    await flow.rewind(SESSION, PROMPT);
    assert.deepEqual(dialogs.lists[0]?.lines, [
      '/src/app/chart.ts | +3 −1',
      '[Left alone]',
      '/src/app/link.ts | It is a link.',
    ]);
    assert.deepEqual(rewinds.applied[0]?.paths, ['/src/app/chart.ts']);
  });

  it('states in the question what is not covered, and what is lost', async () => {
    const { flow, dialogs, rewinds } = setUp(YES);
    const note = { path: null, line: 20, message: 'Claude ran `make`.' };
    const other = { path: '/src/app/other.ts', line: null, message: 'It was changed.' };
    rewinds.plans = [
      plan({
        coverage: [
          { ...note, kind: 'command' },
          { ...other, kind: 'byHand' },
          { ...other, kind: 'byHand', path: '/src/app/chart.ts' },
          { ...other, kind: 'symlink' },
          { ...note, kind: 'command' },
        ],
      }),
    ];
    await flow.rewind(SESSION, PROMPT);
    const { detail = '' } = dialogs.questions[0] ?? {};
    assert.match(detail, /\nNot covered: Commands that ran since \(2\), Symbolic links \(1\)\.\n/);
    // The copy of a file that is not rewound stays.
    assert.match(detail, /\n1 file was changed by hand since: that change goes, too\.\n/);
  });

  it('changes files outside the folders only after an explicit warning', async () => {
    const both = { '/etc/chart.conf': true };
    const files = [plannedFile(), OUTSIDE];
    const unasked = setUp(YES);
    unasked.rewinds.plans = [plan({ files })];
    await unasked.flow.rewind(SESSION, PROMPT);
    assert.deepEqual(unasked.rewinds.applied[0]?.paths, ['/src/app/chart.ts']);
    assert.equal(unasked.rewinds.applied[0].mayLeaveRoots, false);

    const agreed = setUp({ check: [both], ask: ['Change Them, Too', 'Rewind'] });
    agreed.rewinds.plans = [plan({ files })];
    await agreed.flow.rewind(SESSION, PROMPT);
    assert.equal(agreed.dialogs.questions[0]?.kind, 'warning');
    assert.equal(agreed.dialogs.questions[0].detail, '/etc/chart.conf: It is outside.');
    assert.deepEqual(agreed.rewinds.applied[0]?.paths, ['/src/app/chart.ts', '/etc/chart.conf']);
    assert.equal(agreed.rewinds.applied[0].mayLeaveRoots, true);

    const left = setUp({ check: [both], ask: ['Leave Them Alone', 'Rewind'] });
    left.rewinds.plans = [plan({ files })];
    await left.flow.rewind(SESSION, PROMPT);
    assert.deepEqual(left.rewinds.applied[0]?.paths, ['/src/app/chart.ts']);
    assert.equal(left.rewinds.applied[0].mayLeaveRoots, false);

    const refused = setUp({ check: [both], ask: [null] });
    refused.rewinds.plans = [plan({ files })];
    await refused.flow.rewind(SESSION, PROMPT);
    assert.deepEqual(refused.rewinds.applied, []);
  });

  it('changes a sensitive file only if it is chosen, and asks about it once more by name', async () => {
    const why = 'It is sensitive: Git runs programs.';
    const hook = plannedFile({ path: '/src/app/.git/hooks/x', action: 'skipped', isSensitive: true, why });
    const files = [plannedFile(), hook, OUTSIDE, LINK];
    const unasked = setUp(YES);
    unasked.rewinds.plans = [plan({ files })];
    await unasked.flow.rewind(SESSION, PROMPT);
    assert.deepEqual(unasked.dialogs.lists[0]?.lines, [
      '/src/app/chart.ts | +3 −1',
      '[Outside the open folders]',
      '/etc/chart.conf | +3 −1 | It is outside.',
      '[Sensitive]',
      `${hook.path} | +3 −1 | ${why}`,
      '[Left alone]',
      '/src/app/link.ts | It is a link.',
    ]);
    assert.deepEqual(unasked.rewinds.applied[0]?.paths, ['/src/app/chart.ts']);
    const detail = unasked.dialogs.questions[0]?.detail ?? '';
    const left = [`${hook.path}: ${why}`, '/etc/chart.conf: It is outside.', '/src/app/link.ts: It is a link.'];
    assert.ok(detail.endsWith(['\n\nIn the way, and left as they are:', ...left].join('\n')), detail);

    const agreed = setUp({ check: [{ [hook.path]: true }], ask: ['Change Them, Too', 'Rewind'] });
    agreed.rewinds.plans = [plan({ files })];
    await agreed.flow.rewind(SESSION, PROMPT);
    assert.equal(agreed.dialogs.questions[0]?.message, '1 file is sensitive. Change it, too?');
    assert.equal(agreed.dialogs.questions[0].detail, `${hook.path}: ${why}`);
    const [applied] = agreed.rewinds.applied;
    assert.deepEqual(applied?.paths, ['/src/app/chart.ts', hook.path]);
    assert.deepEqual([applied.mayLeaveRoots, applied.skipObstacles], [false, false]);
  });

  it('does nothing if the person names no folder', async () => {
    const { flow, rewinds } = setUp({}, [], null);
    await flow.rewind(SESSION, PROMPT);
    assert.deepEqual(rewinds.calls, []);
  });

  it('warns of a running session, and overrides the engine’s check only after confirmation', async () => {
    const { flow, dialogs, rewinds } = setUp({ check: [{}], ask: ['Rewind Anyway'] });
    rewinds.plans = [plan({ isLive: true })];
    await flow.rewind(SESSION, PROMPT);
    assert.equal(dialogs.questions[0]?.kind, 'warning');
    assert.match(dialogs.questions[0].detail ?? '', /^Claude Code is running this session/);
    assert.equal(rewinds.applied[0]?.mayBeLive, true);

    const refused = setUp({ check: [{}], ask: [null] });
    refused.rewinds.plans = [plan({ isLive: true })];
    await refused.flow.rewind(SESSION, PROMPT);
    assert.deepEqual(refused.rewinds.applied, []);
  });

  describe('with unsaved editors', () => {
    const DIRTY = ['/src/app/chart.ts'];

    it('saves them first, and checks the files again', async () => {
      const { flow, dialogs, rewinds, happened, shown } = setUp({ check: [{}], ask: ['Save All', 'Rewind'] }, DIRTY);
      rewinds.plans = [plan(), plan({ token: 'token 2' })];
      await flow.rewind(SESSION, PROMPT);
      assert.equal(dialogs.questions[0]?.message, '1 of the files has changes that are not saved.');
      assert.equal(dialogs.questions[0].detail, '/src/app/chart.ts');
      assert.equal(happened[0], 'saved /src/app/chart.ts');
      assert.deepEqual(
        shown.map(({ token }) => token),
        ['token 2'],
      );
      assert.equal(rewinds.applied[0]?.token, 'token 2');
    });

    it('changes nothing when the person does not want to save, or when saving fails', async () => {
      const unwilling = setUp({ ask: [null] }, DIRTY);
      await unwilling.flow.rewind(SESSION, PROMPT);
      assert.deepEqual(unwilling.rewinds.calls, ['planRewind']);
      assert.deepEqual(unwilling.happened, []);

      const unable = setUp({ ask: ['Save All'] }, DIRTY);
      unable.canSave.value = false;
      await unable.flow.rewind(SESSION, PROMPT);
      assert.deepEqual(unable.rewinds.calls, ['planRewind']);
      assert.deepEqual(unable.dialogs.reported, ['Not every file could be saved, so that none was changed.']);
    });

    it('notices edits that were made while the preview was read', async () => {
      const { flow, rewinds, unsaved, dialogs } = setUp({ check: [{}, {}], ask: ['Rewind', 'Save All', 'Rewind'] });
      const choose = dialogs.chooseMany.bind(dialogs);
      dialogs.chooseMany = (groups, options) => {
        if (rewinds.planned.length === 1) unsaved.add('/src/app/chart.ts');
        return choose(groups, options);
      };
      rewinds.plans = [plan(), plan({ token: 'token 2' })];
      await flow.rewind(SESSION, PROMPT);
      assert.deepEqual(rewinds.calls, ['planRewind', 'planRewind', 'rewind']);
      assert.equal(rewinds.applied[0]?.token, 'token 2');
    });

    it('ignores unsaved editors of files that stay unchanged', async () => {
      const { flow, rewinds } = setUp(YES, ['/src/app/link.ts', '/src/app/other.ts']);
      rewinds.plans = [plan({ files: [plannedFile(), LINK] })];
      await flow.rewind(SESSION, PROMPT);
      assert.deepEqual(rewinds.calls, ['planRewind', 'rewind']);
    });
  });

  describe('when it is impossible', () => {
    it('explains why, before anything is shown', async () => {
      const { flow, dialogs, rewinds, shown } = setUp({});
      rewinds.plans = [plan({ problem: 'This prompt has no checkpoint.' })];
      await flow.rewind(SESSION, PROMPT);
      assert.deepEqual(dialogs.messages, [{ kind: 'error', message: 'This prompt has no checkpoint.', buttons: [] }]);
      assert.equal(shown.length, 0);
    });

    it('reports that there is nothing to do, and shows a report if it has notes', async () => {
      const same = setUp({});
      same.rewinds.plans = [plan({ files: [plannedFile({ action: 'unchanged' })] })];
      await same.flow.rewind(SESSION, PROMPT);
      assert.deepEqual(same.dialogs.reported, ['Every file is what it was before “Draw the rain as bars”.']);
      assert.equal(same.shown.length, 0);

      const skipped = setUp({});
      skipped.rewinds.plans = [plan({ files: [LINK] })];
      await skipped.flow.rewind(SESSION, PROMPT);
      assert.match(skipped.dialogs.reported[0] ?? '', /No file can be rewound .+ the report says why/);
      assert.equal(skipped.shown.length, 1);
    });

    it('checks again if files changed since they were shown', async () => {
      const stale = outcome({
        result: { canRewind: false, error: 'x' },
        reason: 'changed-since-preview',
        safetyPath: null,
      });
      const { flow, rewinds, shown } = setUp({
        check: [{}, {}],
        ask: ['Rewind', 'Rewind'],
        notify: { 'Files changed since': 'Look Again' },
      });
      rewinds.plans = [plan(), plan({ token: 'token 2' })];
      rewinds.outcomes = [stale, outcome()];
      await flow.rewind(SESSION, PROMPT);
      assert.equal(shown.length, 2);
      assert.deepEqual(
        rewinds.applied.map(({ token }) => token),
        ['token 1', 'token 2'],
      );
    });

    it('checks again if an interrupted rewind was reverted first', async () => {
      const stale = outcome({ result: { canRewind: false, error: 'x' }, reason: 'put-back-first' });
      const { flow, rewinds, shown, happened } = setUp({
        check: [{}, {}],
        ask: ['Rewind', 'Rewind'],
        notify: { 'A rewind had been interrupted': 'Look Again' },
      });
      rewinds.plans = [plan(), plan({ token: 'token 2' })];
      rewinds.outcomes = [stale, outcome()];
      await flow.rewind(SESSION, PROMPT);
      assert.equal(shown.length, 2);
      assert.equal(happened[0], 'rewound');
      assert.deepEqual(
        rewinds.applied.map(({ token }) => token),
        ['token 1', 'token 2'],
      );
    });

    it('reports what went wrong, and where the safety copy is if the files could not be restored', async () => {
      const failed = setUp({ ...YES, notify: { 'One of the files could not': 'Show Log' } });
      failed.rewinds.outcomes = [outcome({ reason: 'write-failed', result: { canRewind: false, error: 'EIO' } })];
      await failed.flow.rewind(SESSION, PROMPT);
      assert.deepEqual(failed.happened, ['showed the log']);
      assert.ok(failed.log.lines.some((line) => line.includes('write-failed: EIO')));

      const half = setUp({ ...YES, notify: { 'Something failed halfway': 'Show Safety Copy' } });
      half.rewinds.outcomes = [outcome({ reason: 'half-done', result: { canRewind: false } })];
      await half.flow.rewind(SESSION, PROMPT);
      assert.deepEqual(half.happened, ['rewound', 'showed /c/rethread/rewinds/x/1']);

      const busy = setUp({ ...YES, notify: { 'Another program changed a file': 'Show Safety Copy' } });
      busy.rewinds.outcomes = [outcome({ reason: 'changed-since-preview', result: { canRewind: false } })];
      await busy.flow.rewind(SESSION, PROMPT);
      assert.deepEqual(busy.happened, ['showed /c/rethread/rewinds/x/1']);
    });

    it('offers to restore everything when the worker thread dies during the rewind', async () => {
      const { flow, rewinds, happened, dialogs } = setUp({
        ...YES,
        notify: { 'The rewind was interrupted': 'Undo Rewind' },
      });
      rewinds.failure = new WorkerError('worker-died', 'out of memory');
      await flow.rewind(SESSION, PROMPT);
      assert.deepEqual(happened, ['rewound', 'undo']);
      assert.deepEqual(dialogs.reported, [
        'The rewind was interrupted, and some files may have changed. Undo Rewind puts all of them back.',
      ]);
    });

    it('shows the engine’s warnings', async () => {
      const { flow, rewinds, dialogs } = setUp(YES);
      rewinds.outcomes = [outcome({ warning: 'The times of 1 file could not be set.' })];
      await flow.rewind(SESSION, PROMPT);
      assert.deepEqual(
        dialogs.messages.map(({ kind, message }) => `${kind}: ${message}`),
        ['warning: The times of 1 file could not be set.', 'info: Rewound 1 file to before “Draw the rain as bars”.'],
      );
    });
  });

  describe('to a chosen prompt', () => {
    it('lists the prompts with their changes, most recent first', async () => {
      const { flow, dialogs, rewinds } = setUp({ ...YES, choose: ['Mend the axis'] });
      rewinds.list = [
        checkpoint({ promptUuid: 'a', prompt: 'Mend the axis', filesChanged: ['/x', '/y'], insertions: 1200 }),
        checkpoint({ promptUuid: 'b', prompt: '', line: null, problem: 'Its backups are gone.', kind: 'own' }),
        checkpoint({ promptUuid: 'c', prompt: 'Paint it', filesChanged: [], timeMs: -120_000 }),
      ];
      await flow.rewind(SESSION, null);
      assert.deepEqual(dialogs.lists[0]?.lines, [
        'Paint it | nothing would change | 2 minutes ago · line 12',
        'Mend the axis | +1,200 −1 in 2 files | line 12',
        '[Not possible]',
        'Without words | Its backups are gone. · not in the transcript any more · checkpoint of Rethread',
      ]);
      assert.equal(rewinds.planned[0]?.promptUuid, 'a');
      assert.equal(rewinds.calls[0], 'checkpoints in /src/app');
    });

    it('explains why a prompt is unavailable', async () => {
      const { flow, dialogs, rewinds } = setUp({ choose: ['Draw the rain as bars'] });
      rewinds.list = [checkpoint({ problem: 'Its backups are gone.' })];
      await flow.rewind(SESSION, null);
      assert.deepEqual(dialogs.reported, ['Its backups are gone.']);
      assert.deepEqual(rewinds.planned, []);
    });

    it('offers to enable checkpoints if there are none', async () => {
      const { flow, rewinds, happened } = setUp({
        notify: { 'This session has no checkpoints': 'Enable Checkpoints…' },
      });
      rewinds.list = [];
      await flow.rewind(SESSION, null);
      await Promise.resolve();
      assert.deepEqual(happened, ['enable checkpoints']);
    });
  });
});

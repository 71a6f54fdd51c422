import assert from 'node:assert/strict';
import { rewindFailure } from '../../../src/extension/history/rewindFailure';
import type { RewindPage } from '../../../src/extension/history/rewindPage';
import { WorkerError } from '../../../src/extension/rpc/workerError';
import { t } from './fakes';
import { checkpoint, FILE_PATH, outcome, plan, plannedFile, PROMPT } from './rewindFakes';
import { CHART, groupsOf, HOOK, LINK, noticesOf, OUTSIDE, setUp, stageOf } from './rewindPageScene';

const AXIS = '/src/app/axis.ts';
const CHANGED = 'warning: The files changed meanwhile, so that none was touched. Look at them again.';

/** Presses Rewind with these files checked, in the list that is shown. */
function rewind(page: RewindPage, ...paths: readonly string[]): Promise<void> {
  return page.rewind({ token: stageOf(page, 'plan').plan.token, paths });
}

describe('The page of a rewind', () => {
  it('shows the files that would change, and touches nothing', async () => {
    const { page, rewinds, happened } = setUp();
    await page.showRewind(PROMPT, [checkpoint()]);
    assert.deepEqual(rewinds.calls, ['planRewind']);
    assert.deepEqual(rewinds.planned[0]?.roots, ['/src/app']);
    assert.deepEqual(groupsOf(stageOf(page, 'plan').plan.files), [[CHART, 'changing']]);
    assert.deepEqual([page.view.title, page.view.promptUuid, happened], ['Draw charts', PROMPT, []]);
  });

  it('rewinds the checked files of the list that was seen', async () => {
    const { page, rewinds, happened } = setUp();
    rewinds.plans = [plan({ files: [plannedFile(), plannedFile({ path: AXIS })] })];
    await page.showRewind(PROMPT, []);
    await rewind(page, CHART);
    assert.deepEqual(rewinds.applied, [
      {
        session: page.session,
        promptUuid: PROMPT,
        roots: ['/src/app'],
        paths: [CHART],
        mayLeaveRoots: false,
        skipObstacles: false,
        mayBeLive: false,
        token: 'token 1',
      },
    ]);
    assert.deepEqual(happened, ['changed']);
    assert.deepEqual(page.view.stage, {
      kind: 'done',
      message: 'Rewound 1 file to before “Draw the rain as bars”.',
      canUndo: true,
    });
    assert.equal(page.view.busy, null);
  });

  it('changes nothing if no file is checked', async () => {
    const { page, rewinds } = setUp();
    await page.showRewind(PROMPT, []);
    await rewind(page);
    assert.deepEqual(rewinds.applied, []);
  });

  it('changes an outside or a sensitive file only if that very file is checked', async () => {
    const files = [plannedFile(), OUTSIDE, HOOK, LINK];
    const unnamed = setUp();
    unnamed.rewinds.plans = [plan({ files })];
    await unnamed.page.showRewind(PROMPT, []);
    assert.deepEqual(groupsOf(stageOf(unnamed.page, 'plan').plan.files), [
      [CHART, 'changing'],
      [OUTSIDE.path, 'outside'],
      [HOOK.path, 'sensitive'],
      [LINK.path, 'left'],
    ]);
    await rewind(unnamed.page, CHART);
    assert.deepEqual(unnamed.rewinds.applied[0]?.paths, [CHART]);
    assert.equal(unnamed.rewinds.applied[0].mayLeaveRoots, false);

    const named = setUp();
    named.rewinds.plans = [plan({ files })];
    await named.page.showRewind(PROMPT, []);
    await rewind(named.page, OUTSIDE.path, HOOK.path);
    const [applied] = named.rewinds.applied;
    assert.deepEqual(applied?.paths, [OUTSIDE.path, HOOK.path]);
    assert.deepEqual([applied.mayLeaveRoots, applied.skipObstacles], [true, false]);

    const sensitive = setUp();
    sensitive.rewinds.plans = [plan({ files })];
    await sensitive.page.showRewind(PROMPT, []);
    await rewind(sensitive.page, HOOK.path);
    assert.equal(sensitive.rewinds.applied[0]?.mayLeaveRoots, false);
  });

  it('refuses files that cannot be changed, and files that are not in the plan', async () => {
    const { page, rewinds, happened } = setUp();
    rewinds.plans = [plan({ files: [plannedFile(), LINK] })];
    await page.showRewind(PROMPT, []);
    await assert.rejects(rewind(page, LINK.path), /Refused/);
    await assert.rejects(rewind(page, '/etc/passwd'), /Refused/);
    await assert.rejects(page.compare('/etc/passwd'), /Refused/);
    assert.throws(() => {
      page.act({ kind: 'openFile', path: '/etc/passwd' });
    }, /Refused/);
    assert.deepEqual([rewinds.applied, rewinds.compared, happened], [[], [], []]);
  });

  it('compares a file of the plan with its copy, in an editor if wanted', async () => {
    const { page, rewinds, happened } = setUp();
    await page.showRewind(PROMPT, []);
    assert.deepEqual(await page.compare(CHART), { kind: 'binary' });
    assert.deepEqual(rewinds.compared, [{ path: CHART, exists: true, contentPath: '/c/file-history/x/1@v1' }]);
    page.act({ kind: 'openDiff', path: CHART });
    page.act({ kind: 'openFile', path: CHART });
    page.act({ kind: 'showMessage', line: 20 });
    assert.deepEqual(happened, [
      `compared ${CHART}: chart.ts: rewind to before “Draw the rain as bars”`,
      `opened ${CHART}`,
      `showed line 20 of ${FILE_PATH}`,
    ]);
  });

  it('says that a session runs, and overrides the engine’s check only if that was shown', async () => {
    const { page, rewinds } = setUp();
    rewinds.plans = [plan({ isLive: true })];
    await page.showRewind(PROMPT, []);
    assert.equal(stageOf(page, 'plan').plan.isLive, true);
    await rewind(page, CHART);
    assert.equal(rewinds.applied[0]?.mayBeLive, true);

    const late = setUp();
    late.rewinds.plans = [plan(), plan({ isLive: true, token: 'token 2' })];
    late.rewinds.outcomes = [outcome({ reason: 'live', result: { canRewind: false } })];
    await late.page.showRewind(PROMPT, []);
    await rewind(late.page, CHART);
    assert.equal(late.rewinds.applied[0]?.mayBeLive, false);
    assert.equal(stageOf(late.page, 'plan').plan.isLive, true);
    assert.deepEqual(noticesOf(late.page.view), [`error: ${rewindFailure('live', t)}`]);
  });

  it('does one thing at a time', async () => {
    const { page, rewinds } = setUp();
    await page.showRewind(PROMPT, []);
    const first = rewind(page, CHART);
    assert.equal(page.view.busy, 'rewinding');
    await rewind(page, CHART);
    page.choosePrompt('other');
    await page.undo(null);
    await first;
    assert.equal(rewinds.applied.length, 1);
    assert.deepEqual(rewinds.undone, []);
    assert.equal(page.view.promptUuid, PROMPT);
  });

  it('shows the newest request, whichever is answered last', async () => {
    const { page, rewinds } = setUp();
    const answers: (() => void)[] = [];
    rewinds.planRewind = ({ promptUuid }) =>
      new Promise((resolve) =>
        answers.push(() => {
          resolve(plan({ promptUuid, token: promptUuid }));
        }),
      );
    const [first, second] = [page.showRewind('a', []), page.showRewind('b', [])];
    answers[1]?.();
    await second;
    answers[0]?.();
    await first;
    assert.equal(page.view.promptUuid, 'b');
    assert.equal(stageOf(page, 'plan').plan.token, 'b');
  });

  it('keeps the boxes for a page that is loaded again', async () => {
    const { page } = setUp();
    await page.showRewind(PROMPT, []);
    assert.equal((await page.ready()).navigation, null);
    const navigation = { about: PROMPT, token: 'token 1', checked: [], unchecked: [CHART], shownPath: null };
    page.navigated(navigation);
    const started = await page.ready();
    assert.deepEqual(started.navigation, navigation);
    assert.deepEqual(started.kept, { filePath: FILE_PATH, title: 'Draw charts', cwd: '/src/app' });
  });

  describe('with unsaved editors', () => {
    it('names the files, also while the list is shown', async () => {
      const { page, unsaved, editorsChanged } = setUp({ dirty: [CHART, '/src/app/other.ts'] });
      await page.showRewind(PROMPT, []);
      assert.deepEqual(page.view.unsaved, [CHART]);
      unsaved.clear();
      editorsChanged.fire();
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(page.view.unsaved, []);
    });

    it('saves them first, and shows what the rewind then does before it does it', async () => {
      const { page, rewinds, happened } = setUp({ dirty: [CHART] });
      rewinds.plans = [plan(), plan({ token: 'token 2' })];
      await page.showRewind(PROMPT, []);
      await rewind(page, CHART);
      assert.deepEqual(happened, [`saved ${CHART}`]);
      assert.equal(rewinds.applied.length, 0);
      assert.equal(stageOf(page, 'plan').plan.token, 'token 2');
      assert.deepEqual(noticesOf(page.view), [
        'warning: The files were saved, which changes what the rewind does. Look at them again.',
      ]);
      await rewind(page, CHART);
      assert.equal(rewinds.applied[0]?.token, 'token 2');
    });

    it('rewinds at once if saving changed nothing of the plan', async () => {
      const { page, rewinds } = setUp({ dirty: [CHART] });
      await page.showRewind(PROMPT, []);
      await rewind(page, CHART);
      assert.equal(rewinds.applied[0]?.token, 'token 1');
    });

    it('changes nothing if one cannot be saved', async () => {
      const { page, rewinds, canSave } = setUp({ dirty: [CHART] });
      canSave.value = false;
      await page.showRewind(PROMPT, []);
      await rewind(page, CHART);
      assert.deepEqual(rewinds.applied, []);
      assert.deepEqual(noticesOf(page.view), ['error: Not every file could be saved, so that none was changed.']);
    });

    it('leaves those alone that are not checked', async () => {
      const { page, rewinds, happened } = setUp({ dirty: [AXIS] });
      rewinds.plans = [plan({ files: [plannedFile(), plannedFile({ path: AXIS })] })];
      await page.showRewind(PROMPT, []);
      await rewind(page, CHART);
      assert.deepEqual(happened, ['changed']);
    });
  });

  describe('when it fails', () => {
    it('shows the changed files and does nothing else if they changed since they were seen', async () => {
      const { page, rewinds, happened } = setUp();
      rewinds.plans = [plan(), plan({ token: 'token 2' })];
      rewinds.outcomes = [outcome({ reason: 'changed-since-preview', result: { canRewind: false }, safetyPath: null })];
      await page.showRewind(PROMPT, []);
      await rewind(page, CHART);
      assert.equal(rewinds.applied.length, 1);
      assert.deepEqual(happened, []);
      assert.equal(stageOf(page, 'plan').plan.token, 'token 2');
      assert.deepEqual(noticesOf(page.view), [CHANGED.replace('warning', 'error')]);
    });

    it('asks the engine for nothing if the list that was seen is outdated', async () => {
      const { page, rewinds } = setUp();
      rewinds.plans = [plan({ token: 'token 2' })];
      await page.showRewind(PROMPT, []);
      await page.rewind({ token: 'token 1', paths: [CHART] });
      assert.deepEqual(rewinds.applied, []);
      assert.deepEqual(noticesOf(page.view), [CHANGED]);
    });

    it('says what was put back first, and shows the files as they are now', async () => {
      const { page, rewinds, happened } = setUp();
      rewinds.plans = [plan(), plan({ token: 'token 2' })];
      rewinds.outcomes = [outcome({ reason: 'put-back-first', result: { canRewind: false } })];
      await page.showRewind(PROMPT, []);
      await rewind(page, CHART);
      assert.deepEqual(happened, ['changed']);
      assert.equal(stageOf(page, 'plan').plan.token, 'token 2');
      assert.deepEqual(noticesOf(page.view), [`error: ${rewindFailure('put-back-first', t)}`]);
    });

    it('says what went wrong, and leads to the log and to the safety copy', async () => {
      const failed = setUp();
      failed.rewinds.outcomes = [outcome({ reason: 'write-failed', result: { canRewind: false, error: 'EIO' } })];
      await failed.page.showRewind(PROMPT, []);
      await rewind(failed.page, CHART);
      assert.deepEqual(failed.page.view.notices[0]?.buttons, ['showLog']);
      failed.page.act({ kind: 'showLog' });
      assert.deepEqual(failed.happened, ['showed the log']);
      assert.ok(failed.log.lines.some((line) => line.includes('write-failed: EIO')));

      for (const [reason, buttons, changed] of [
        ['half-done', ['showSafetyCopy', 'showLog'], ['changed']],
        ['changed-since-preview', ['showSafetyCopy'], []],
      ] as const) {
        const { page, rewinds, happened } = setUp();
        rewinds.outcomes = [outcome({ reason, result: { canRewind: false } })];
        await page.showRewind(PROMPT, []);
        await rewind(page, CHART);
        assert.deepEqual(page.view.notices[0]?.buttons, buttons);
        page.act({ kind: 'showSafetyCopy' });
        assert.deepEqual(happened, [...changed, 'showed /c/rethread/rewinds/x/1']);
      }
    });

    it('offers to put everything back if the worker thread dies during the rewind', async () => {
      const { page, rewinds, happened } = setUp();
      rewinds.failure = new WorkerError('worker-died', 'out of memory');
      await page.showRewind(PROMPT, []);
      await rewind(page, CHART);
      assert.deepEqual(happened, ['changed']);
      assert.deepEqual(page.view.notices, [
        {
          kind: 'error',
          message: 'The rewind was interrupted, and some files may have changed. Undo Rewind puts all of them back.',
          buttons: ['undo'],
        },
      ]);
    });

    it('can be tried again after any other error', async () => {
      const { page, rewinds } = setUp();
      rewinds.failure = new Error('no answer');
      await page.showRewind(PROMPT, []);
      await rewind(page, CHART);
      assert.deepEqual(noticesOf(page.view), ['error: Failed: no answer']);
      assert.equal(page.view.busy, null);
      rewinds.failure = null;
      await rewind(page, CHART);
      stageOf(page, 'done');
    });

    it('shows the engine’s warnings', async () => {
      const { page, rewinds } = setUp();
      rewinds.outcomes = [outcome({ warning: 'The times of 1 file could not be set.' })];
      await page.showRewind(PROMPT, []);
      await rewind(page, CHART);
      stageOf(page, 'done');
      assert.deepEqual(noticesOf(page.view), ['warning: The times of 1 file could not be set.']);
    });

    it('tells in the window what became of it if the page was closed meanwhile', async () => {
      for (const [result, notes, reported] of [
        [outcome(), ['Rewound 1 file to before “Draw the rain as bars”.'], []],
        [outcome({ reason: 'write-failed', result: { canRewind: false } }), [], [rewindFailure('write-failed', t)]],
      ] as const) {
        const { page, rewinds, dialogs } = setUp();
        rewinds.outcomes = [result];
        await page.showRewind(PROMPT, []);
        const done = rewind(page, CHART);
        page.dispose();
        await done;
        assert.deepEqual([dialogs.notes, dialogs.reported], [notes, reported]);
      }
    });

    it('explains why a prompt is impossible, and that there is nothing to do', async () => {
      const impossible = setUp();
      impossible.rewinds.plans = [plan({ problem: 'This prompt has no checkpoint.' })];
      await impossible.page.showRewind(PROMPT, []);
      assert.equal(stageOf(impossible.page, 'nothing').message, 'This prompt has no checkpoint.');

      const same = setUp();
      const coverage = [{ kind: 'command', path: null, line: 7, message: 'Claude ran `make`.' }] as const;
      same.rewinds.plans = [plan({ files: [plannedFile({ action: 'unchanged' })], coverage })];
      await same.page.showRewind(PROMPT, []);
      const nothing = stageOf(same.page, 'nothing');
      assert.equal(nothing.message, 'Every file is what it was before “Draw the rain as bars”.');
      assert.equal(nothing.notRestored.length, 1);
    });

    it('says why the files cannot be looked at', async () => {
      const { page, rewinds } = setUp();
      rewinds.planRewind = () => Promise.reject(new Error('no answer'));
      await page.showRewind(PROMPT, []);
      assert.equal(stageOf(page, 'nothing').message, 'Failed: no answer');
    });
  });

  describe('with a prompt to choose', () => {
    const LIST = [
      checkpoint({ promptUuid: 'a', prompt: 'Mend the axis', filesChanged: ['/x', '/y'], insertions: 1200 }),
      checkpoint({ promptUuid: 'b', prompt: '', line: null, problem: 'Its backups are gone.', kind: 'own' }),
      checkpoint({ promptUuid: 'c', prompt: 'Paint it', filesChanged: [], timeMs: -120_000 }),
    ];

    it('lists the prompts with their age and changes, most recent first, and says why one is impossible', async () => {
      const { page } = setUp();
      await page.showRewind(null, LIST);
      assert.deepEqual(
        page.view.prompts.map(({ words, facts, isPossible }) => [words, facts, isPossible]),
        [
          ['Paint it', '2 minutes ago · nothing would change', true],
          ['Without words', 'Its backups are gone. · not in the transcript any more · checkpoint of Rethread', false],
          ['Mend the axis', '+1,200 −1 in 2 files', true],
        ],
      );
    });

    it('begins with the latest prompt with changes, and plans anew for another one', async () => {
      const { page, rewinds } = setUp();
      await page.showRewind(null, LIST);
      assert.equal(page.view.promptUuid, 'a');
      rewinds.list = LIST;
      page.choosePrompt('c');
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(
        rewinds.planned.map(({ promptUuid }) => promptUuid),
        ['a', 'c'],
      );
      assert.equal(page.view.promptUuid, 'c');
    });

    it('lists them itself where nobody did', async () => {
      const { page, rewinds } = setUp();
      rewinds.list = LIST;
      await page.showRewind(null);
      assert.equal(rewinds.calls[0], 'checkpoints in /src/app');
      assert.equal(page.view.promptUuid, 'a');
      assert.equal(page.view.prompts.length, 3);
    });

    it('keeps the prompt that the person chooses before they are listed anew', async () => {
      const { page, rewinds } = setUp();
      const answers: (() => void)[] = [];
      rewinds.checkpoints = () =>
        new Promise((resolve) =>
          answers.push(() => {
            resolve(LIST);
          }),
        );
      const shown = page.showRewind(null);
      stageOf(page, 'looking');
      page.choosePrompt('c');
      await new Promise((resolve) => setImmediate(resolve));
      for (const answer of answers) answer();
      await shown;
      assert.equal(page.view.promptUuid, 'c');
    });

    it('says so if there are none', async () => {
      const { page, rewinds } = setUp();
      rewinds.list = [];
      await page.showRewind(null);
      assert.match(stageOf(page, 'nothing').message, /^This session has no checkpoints/);
    });
  });

  describe('of a session whose folder is not open', () => {
    it('asks for the folder with its whole path, and looks at nothing before', async () => {
      const { page, rewinds, named } = setUp({ folders: ['/src/lib'] });
      await page.showRewind(PROMPT, [checkpoint()]);
      assert.deepEqual(rewinds.calls, []);
      assert.deepEqual(stageOf(page, 'folder').suggestions, [
        { path: '/src/app', isOpen: false },
        { path: '/src/lib', isOpen: true },
      ]);
      page.allowFolder('/src/app');
      await new Promise((resolve) => setImmediate(resolve));
      stageOf(page, 'plan');
      assert.deepEqual(rewinds.planned[0]?.roots, ['/src/app']);
      assert.deepEqual(named.get(FILE_PATH), ['/src/app']);
      await rewind(page, CHART);
      assert.deepEqual(rewinds.applied[0]?.roots, ['/src/app']);
    });

    it('takes no folder that it has not shown', async () => {
      const { page, named } = setUp({ folders: [] });
      await page.showRewind(PROMPT, []);
      assert.throws(() => {
        page.allowFolder('/');
      }, /Refused/);
      assert.equal(named.size, 0);
    });

    it('lets the person choose another one', async () => {
      const { page, rewinds, happened } = setUp({ folders: [], picks: '/src/moved' });
      await page.showRewind(PROMPT, []);
      await page.chooseFolder();
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(happened, ['asked for a folder from /src/app']);
      assert.deepEqual(rewinds.planned[0]?.roots, ['/src/moved']);

      const cancelled = setUp({ folders: [], cwd: null });
      await cancelled.page.showRewind(PROMPT, []);
      await cancelled.page.chooseFolder();
      assert.deepEqual(stageOf(cancelled.page, 'folder').suggestions, []);
      assert.deepEqual(cancelled.rewinds.planned, []);
    });
  });
});

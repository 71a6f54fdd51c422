import assert from 'node:assert/strict';
import { rewindFailure } from '../../../src/extension/history/rewindFailure';
import type { RewindPage } from '../../../src/extension/history/rewindPage';
import { WorkerError } from '../../../src/extension/rpc/workerError';
import type { RewindState } from '../../../src/protocol/channels/history';
import { t } from './fakes';
import { outcome, PROMPT } from './rewindFakes';
import { CHART, groupsOf, noticesOf, type SceneOptions, setUp, stageOf } from './rewindPageScene';

const AXIS = '/src/app/axis.ts';
const HOOK = '/src/app/.git/hooks/x';
const REWOUND: RewindState = { undoableMs: -300_000, paths: [CHART, AXIS], obstacles: [], isLive: false };
const SENSITIVE: RewindState = {
  ...REWOUND,
  paths: [CHART, AXIS, HOOK],
  obstacles: [
    { path: HOOK, why: 'It is sensitive.', isOutside: false, isSensitive: true },
    { path: AXIS, why: 'Its folder moved.', isOutside: false, isSensitive: false },
  ],
};
/** The person named the folder of the window, and no file. */
const CHOICE = { roots: ['/src/app'], paths: null, mayLeaveRoots: false, skipObstacles: false, mayBeLive: false };

/** Right after a rewind. */
async function rewound(state: RewindState, options: SceneOptions = {}) {
  const scene = setUp(options);
  scene.rewinds.state = state;
  await scene.page.showRewind(PROMPT, []);
  await scene.page.rewind({ token: 'token 1', paths: [CHART] });
  return scene;
}

function undo(page: RewindPage, ...paths: readonly string[]): Promise<void> {
  return page.undo({ token: stageOf(page, 'undo').undo.token, paths });
}

describe('Undoing a rewind on its page', () => {
  it('asks nothing right after the rewind', async () => {
    const { page, rewinds } = await rewound(REWOUND);
    await page.undo(null);
    assert.deepEqual(rewinds.undone, [CHOICE]);
    assert.deepEqual(page.view.stage, {
      kind: 'done',
      message: 'The rewind was undone: 1 file is as it was before.',
      canUndo: false,
    });
  });

  it('shows the files first when it is asked for later, and touches nothing before', async () => {
    const { page, rewinds, happened } = setUp();
    await page.showUndo(REWOUND);
    const { undo: shown } = stageOf(page, 'undo');
    assert.equal(shown.rewoundAgo, '5 minutes ago');
    assert.deepEqual(groupsOf(shown.files), [
      [CHART, 'changing'],
      [AXIS, 'changing'],
    ]);
    assert.deepEqual([rewinds.undone, happened], [[], []]);
    rewinds.state = REWOUND;
    await undo(page, CHART, AXIS);
    assert.deepEqual(rewinds.undone, [CHOICE]);
    assert.deepEqual(happened, ['changed']);
  });

  it('leads back to the files of the latest prompt after a later undo', async () => {
    const { page, rewinds } = setUp();
    rewinds.state = REWOUND;
    await page.showUndo(REWOUND);
    await undo(page, CHART, AXIS);
    stageOf(page, 'done');
    page.lookAgain();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(page.view.promptUuid, PROMPT);
    stageOf(page, 'plan');
  });

  it('undoes only the checked files', async () => {
    const { page, rewinds } = setUp();
    rewinds.state = REWOUND;
    await page.showUndo(REWOUND);
    await undo(page, AXIS);
    assert.deepEqual(rewinds.undone, [{ ...CHOICE, paths: [AXIS] }]);
  });

  it('shows a running session also right after the rewind, and overrides the check only then', async () => {
    const { page, rewinds } = await rewound({ ...REWOUND, isLive: true });
    await page.undo(null);
    assert.deepEqual(rewinds.undone, []);
    assert.equal(stageOf(page, 'undo').undo.isLive, true);
    await undo(page, CHART, AXIS);
    assert.deepEqual(rewinds.undone, [{ ...CHOICE, mayBeLive: true }]);
  });

  it('shows what is sensitive or in the way also right after the rewind, and changes only what is checked', async () => {
    const { page, rewinds } = await rewound(SENSITIVE);
    await page.undo(null);
    assert.deepEqual(rewinds.undone, []);
    assert.deepEqual(
      stageOf(page, 'undo').undo.files.map(({ path, group, why }) => [path, group, why]),
      [
        [CHART, 'changing', null],
        [HOOK, 'sensitive', 'It is sensitive.'],
        [AXIS, 'left', 'Its folder moved.'],
      ],
    );
    await undo(page, CHART);
    assert.deepEqual(rewinds.undone, [{ ...CHOICE, paths: [CHART] }]);

    const named = await rewound(SENSITIVE);
    await named.page.undo(null);
    await undo(named.page, CHART, HOOK);
    assert.deepEqual(named.rewinds.undone, [{ ...CHOICE, paths: [CHART, HOOK] }]);
  });

  it('refuses a file that is in the way, or that the rewind did not change', async () => {
    for (const path of [AXIS, '/etc/passwd']) {
      const { page, rewinds } = await rewound(SENSITIVE);
      await page.undo(null);
      await undo(page, CHART, path);
      assert.deepEqual(rewinds.undone, []);
      assert.match(noticesOf(page.view)[0] ?? '', /Refused/);
    }
  });

  it('allows a file outside the folders only if it is checked', async () => {
    const outside = { path: '/etc/x', why: 'It is outside.', isOutside: true, isSensitive: false };
    const state = { ...REWOUND, paths: [CHART, outside.path], obstacles: [outside] };
    for (const [paths, mayLeaveRoots] of [
      [[CHART], false],
      [[CHART, outside.path], true],
    ] as const) {
      const { page, rewinds } = setUp();
      rewinds.state = state;
      await page.showUndo(state);
      await undo(page, ...paths);
      assert.deepEqual(rewinds.undone, [{ ...CHOICE, paths, mayLeaveRoots }]);
    }
  });

  it('shows the files anew if they are others than those that were seen', async () => {
    const { page, rewinds } = setUp();
    await page.showUndo(REWOUND);
    rewinds.state = SENSITIVE;
    await undo(page, CHART, AXIS);
    assert.deepEqual(rewinds.undone, []);
    assert.equal(stageOf(page, 'undo').undo.files.length, 3);
    assert.match(noticesOf(page.view)[0] ?? '', /^warning: The files changed meanwhile/);
  });

  it('says so if there is nothing to undo', async () => {
    const { page, rewinds } = await rewound({ undoableMs: null, paths: [], obstacles: [], isLive: false });
    await page.undo(null);
    assert.equal(stageOf(page, 'nothing').message, 'There is no rewind of this session that could be undone.');
    assert.deepEqual(rewinds.undone, []);
  });

  it('shows unsaved files before it saves them, and does nothing if it cannot', async () => {
    const { page, rewinds, unsaved, canSave, happened } = await rewound(REWOUND);
    unsaved.add(AXIS);
    await page.undo(null);
    assert.deepEqual([page.view.unsaved, rewinds.undone], [[AXIS], []]);
    canSave.value = false;
    await undo(page, CHART, AXIS);
    assert.deepEqual(rewinds.undone, []);
    assert.deepEqual(noticesOf(page.view), ['error: Not every file could be saved, so that none was changed.']);
    canSave.value = true;
    await undo(page, CHART, AXIS);
    assert.deepEqual(happened, ['changed', `saved ${AXIS}`, `saved ${AXIS}`, 'changed']);
    assert.deepEqual(rewinds.undone, [CHOICE]);
  });

  it('can be repeated when the worker thread dies during the undo', async () => {
    const { page, rewinds } = await rewound(REWOUND);
    rewinds.failure = new WorkerError('worker-died', 'out of memory');
    await page.undo(null);
    assert.deepEqual(page.view.notices, [
      {
        kind: 'error',
        message: 'Undoing the rewind was interrupted. Undo it again, and all files go back.',
        buttons: ['undo'],
      },
    ]);
    rewinds.failure = null;
    await page.undo(null);
    assert.equal(stageOf(page, 'done').canUndo, false);
  });

  it('reports which files were skipped, and why nothing was undone', async () => {
    const partly = await rewound(REWOUND);
    partly.rewinds.outcomes = [outcome({ warning: 'axis.ts was changed since.' })];
    await partly.page.undo(null);
    assert.deepEqual(noticesOf(partly.page.view), ['warning: axis.ts was changed since.']);

    const failed = await rewound(REWOUND);
    failed.rewinds.outcomes = [outcome({ reason: 'read-only', result: { canRewind: false } })];
    await failed.page.undo(null);
    assert.deepEqual(noticesOf(failed.page.view), [`error: ${rewindFailure('read-only', t)}`]);
    assert.equal(stageOf(failed.page, 'done').canUndo, true);
  });

  it('counts the folders that the person named in this window', async () => {
    const { page, rewinds, named } = setUp({ folders: ['/src/lib'] });
    named.set(page.session.path, ['/src/app']);
    rewinds.state = REWOUND;
    await page.showUndo();
    assert.equal(rewinds.calls[0], 'rewindState in /src/lib,/src/app');
    await undo(page, CHART, AXIS);
    assert.deepEqual(rewinds.undone[0]?.roots, ['/src/lib', '/src/app']);
  });
});

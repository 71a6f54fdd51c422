import assert from 'node:assert/strict';
import { RewindEnd, rewindFailure } from '../../../src/extension/history/rewindEnd';
import { RewoundSessions } from '../../../src/extension/history/rewoundSessions';
import { UndoFlow } from '../../../src/extension/history/undoFlow';
import { UnsavedFiles } from '../../../src/extension/history/unsavedFiles';
import { Emitter } from '../../../src/extension/lifetime';
import { WorkerError } from '../../../src/extension/rpc/workerError';
import { type Answers, FakeDialogs } from './dialogFakes';
import { formats, RecordedLog, t } from './fakes';
import { FakeRewinds, FILE_PATH, outcome } from './rewindFakes';
import type { PlacedSession } from '../../../src/extension/sessions/sessionsState';

const SESSION: PlacedSession = { provider: 'claude', id: 's', path: FILE_PATH, title: 'Draw charts', cwd: null };
const REWOUND = {
  undoableMs: -300_000,
  paths: ['/src/app/chart.ts', '/src/app/axis.ts'],
  obstacles: [],
  isLive: false,
};
/** The person named the folder of the window, and no file. */
const CHOICE = { roots: ['/src/app'], paths: null, mayLeaveRoots: false, skipObstacles: false };

function setUp(answers: Answers, dirty: readonly string[] = []) {
  const dialogs = new FakeDialogs(answers);
  const rewinds = new FakeRewinds();
  rewinds.state = REWOUND;
  let unsaved = dirty;
  const common = { dialogs, now: () => 0, formats, log: new RecordedLog(), t, displayPath: (path: string) => path };
  const undone: string[] = [];
  const editors = {
    unsaved: (paths: readonly string[]) => Promise.resolve(paths.filter((path) => unsaved.includes(path))),
    save: () => {
      unsaved = [];
      return Promise.resolve();
    },
  };
  const end = new RewindEnd({
    ...common,
    undo: () => Promise.resolve(),
    showFolder: () => Promise.resolve(),
    showLog: () => undefined,
  });
  const flow = new UndoFlow({
    ...common,
    rewinds,
    unsaved: new UnsavedFiles({ ...common, editors }),
    end,
    roots: () => ['/src/app'],
    onUndone: () => undone.push('undone'),
  });
  return { flow, dialogs, rewinds, undone };
}

describe('Undoing a rewind', () => {
  it('asks with the files to be restored, and reports that they were', async () => {
    const { flow, dialogs, rewinds, undone } = setUp({ ask: ['Undo Rewind'] });
    await flow.undo(SESSION, false);
    assert.equal(dialogs.questions[0]?.message, 'Undo the rewind (5 minutes ago)?');
    assert.match(dialogs.questions[0].detail ?? '', /\n\/src\/app\/chart\.ts\n\/src\/app\/axis\.ts$/);
    assert.deepEqual(rewinds.calls, ['undoRewind']);
    assert.deepEqual(dialogs.notes, ['The rewind was undone: 1 file is as it was before.']);
    assert.deepEqual(undone, ['undone']);
  });

  it('asks nothing right after the rewind, when the person pressed Undo', async () => {
    const { flow, dialogs, rewinds } = setUp({});
    await flow.undo(SESSION, true);
    assert.deepEqual(dialogs.questions, []);
    assert.deepEqual(rewinds.undone, [{ ...CHOICE, mayBeLive: false }]);
    assert.deepEqual(rewinds.calls, ['undoRewind']);
  });

  it('warns of a running session, also right after the rewind, and passes the confirmation to the engine', async () => {
    for (const isAsked of [false, true]) {
      const { flow, dialogs, rewinds } = setUp({ ask: ['Undo Anyway'] });
      rewinds.state = { ...REWOUND, isLive: true };
      await flow.undo(SESSION, isAsked);
      assert.equal(dialogs.questions[0]?.kind, 'warning');
      assert.match(dialogs.questions[0].detail ?? '', /^Claude Code is running this session/);
      assert.deepEqual(rewinds.undone, [{ ...CHOICE, mayBeLive: true }]);

      const unwilling = setUp({ ask: [null] });
      unwilling.rewinds.state = { ...REWOUND, isLive: true };
      await unwilling.flow.undo(SESSION, isAsked);
      assert.deepEqual(unwilling.rewinds.undone, []);
    }
  });

  it('names what is sensitive, outside or in the way, also right after the rewind, and leaves that out or allows it', async () => {
    const [chart = '', axis = ''] = REWOUND.paths;
    const obstacles = [
      { path: chart, why: 'It is sensitive.', isOutside: false, isSensitive: true },
      { path: axis, why: 'Its folder moved.', isOutside: false, isSensitive: false },
    ];
    const { flow, dialogs, rewinds } = setUp({ ask: ['Undo Rewind'] });
    rewinds.state = { ...REWOUND, obstacles };
    await flow.undo(SESSION, true);
    assert.equal(dialogs.questions[0]?.kind, 'warning');
    const { detail = '' } = dialogs.questions[0];
    assert.ok(detail.includes(`\n\nLook at these first:\n${chart}: It is sensitive.\n\n`), detail);
    assert.ok(detail.endsWith(`\n\nIn the way, and left as they are:\n${axis}: Its folder moved.`), detail);
    assert.deepEqual(rewinds.undone, [{ ...CHOICE, paths: [chart], mayBeLive: false }]);

    const unwilling = setUp({ ask: [null] });
    unwilling.rewinds.state = { ...REWOUND, obstacles };
    await unwilling.flow.undo(SESSION, true);
    assert.deepEqual(unwilling.rewinds.undone, []);
  });

  it('changes nothing when the person cancels, or when there is nothing to undo', async () => {
    const unwilling = setUp({ ask: [null] });
    await unwilling.flow.undo(SESSION, false);
    assert.deepEqual(unwilling.rewinds.calls, []);

    const empty = setUp({});
    empty.rewinds.state = { undoableMs: null, paths: [], obstacles: [], isLive: false };
    await empty.flow.undo(SESSION, false);
    assert.deepEqual(empty.dialogs.reported, ['There is no rewind of this session that could be undone.']);
    assert.deepEqual(empty.rewinds.calls, []);
  });

  it('has unsaved files saved first, or does nothing', async () => {
    const willing = setUp({ ask: ['Save All'] }, ['/src/app/axis.ts']);
    await willing.flow.undo(SESSION, true);
    assert.equal(willing.dialogs.questions[0]?.detail, '/src/app/axis.ts');
    assert.deepEqual(willing.rewinds.calls, ['undoRewind']);

    const unwilling = setUp({ ask: [null] }, ['/src/app/axis.ts']);
    await unwilling.flow.undo(SESSION, true);
    assert.deepEqual(unwilling.rewinds.calls, []);
  });

  it('can be repeated when the worker thread dies during the undo', async () => {
    const { flow, rewinds, dialogs, undone } = setUp({});
    rewinds.failure = new WorkerError('worker-died', 'out of memory');
    await flow.undo(SESSION, true);
    assert.deepEqual(dialogs.messages, [
      {
        kind: 'error',
        message: 'Undoing the rewind was interrupted. Undo it again, and all files go back.',
        buttons: ['Undo Rewind'],
      },
    ]);
    assert.deepEqual(undone, ['undone']);
  });

  it('reports which files were skipped, and why nothing was undone', async () => {
    const partly = setUp({});
    partly.rewinds.outcomes = [outcome({ warning: 'axis.ts was changed since.' })];
    await partly.flow.undo(SESSION, true);
    assert.deepEqual(partly.dialogs.reported, ['axis.ts was changed since.']);

    const failed = setUp({});
    failed.rewinds.outcomes = [outcome({ reason: 'read-only', result: { canRewind: false } })];
    await failed.flow.undo(SESSION, true);
    assert.deepEqual(failed.dialogs.reported, [rewindFailure('read-only', t)]);
    assert.deepEqual(failed.dialogs.notes, []);
  });
});

describe('The sessions with a rewind that can be undone', () => {
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('are requested after the sessions were listed, and again on request', async () => {
    const rewinds = new FakeRewinds();
    rewinds.rewound = ['a'];
    const listed = new Emitter<void>();
    let isListed = false;
    const log = new RecordedLog();
    const rewound = new RewoundSessions({ rewinds, onListed: listed.event, isListed: () => isListed, log });
    let changes = 0;
    rewound.onChange(() => changes++);
    listed.fire();
    assert.deepEqual(rewinds.calls, []);
    isListed = true;
    listed.fire();
    listed.fire();
    await settled();
    assert.deepEqual(rewinds.calls, ['rewoundSessions']);
    assert.deepEqual([rewound.has('a'), rewound.has('b'), rewound.isEmpty, changes], [true, false, false, 1]);
    await rewound.refresh();
    assert.equal(changes, 1);
    rewinds.rewound = [];
    await rewound.refresh();
    assert.deepEqual([rewound.has('a'), rewound.isEmpty, changes], [false, true, 2]);
  });

  it('stay unchanged when the request fails', async () => {
    const rewinds = new FakeRewinds();
    rewinds.rewound = ['a'];
    const log = new RecordedLog();
    const rewound = new RewoundSessions({ rewinds, onListed: new Emitter<void>().event, isListed: () => true, log });
    await rewound.refresh();
    rewinds.rewoundSessions = () => Promise.reject(new Error('gone'));
    await rewound.refresh();
    assert.ok(rewound.has('a'));
    assert.ok(log.lines.some((line) => line.includes('gone')));
  });
});

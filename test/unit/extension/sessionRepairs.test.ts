import assert from 'node:assert/strict';
import { SessionRepairs } from '../../../src/extension/repair/sessionRepairs';
import type { SessionSummary } from '../../../src/protocol/channels/sessions';
import type {
  RepairEdit,
  RepairFailureReason,
  RepairManner,
  RepairOutcome,
  RepairScope,
} from '../../../src/protocol/repair';
import { type Answers, FakeDialogs } from './dialogFakes';
import { formats, project, RecordedLog, session, snapshot, t } from './fakes';

const LISTED = session({ hasBackup: true });
const EDIT: RepairEdit = {
  line: 33,
  uuid: 'u33',
  field: 'parentUuid',
  from: 'gone',
  to: 'u31',
  why: 'It is before it.',
};

function outcome(reason?: RepairFailureReason, problem: string | null = null): RepairOutcome {
  return {
    result: {
      sessionId: LISTED.id,
      filePath: LISTED.path,
      status: reason === undefined ? 'repaired' : 'failed',
      ...(reason === undefined ? {} : { reason }),
      orphansFixed: 1,
      newChainDepth: 30,
      edits: [EDIT],
      resumeBefore: { loads: 9, of: 28 },
      resumeAfter: { loads: 28, of: 28 },
    },
    problem,
  };
}

interface Scene {
  /** The results of the repairs and undos, in order; the last one is for all further ones. */
  readonly outcomes?: readonly RepairOutcome[];
  readonly answers?: Answers;
  readonly hasBackup?: boolean;
  readonly stored?: unknown;
  /** Those that are listed. */
  readonly sessions?: readonly SessionSummary[];
}

function setUp({ outcomes = [outcome()], answers = {}, hasBackup = true, stored, sessions }: Scene = {}) {
  const dialogs = new FakeDialogs(answers);
  const left = [...outcomes];
  const asked: string[] = [];
  const kept = new Map<string, unknown>([['repairSeams', stored]]);
  const next = (what: string): Promise<RepairOutcome> => {
    asked.push(what);
    return Promise.resolve(left.length > 1 ? (left.shift() ?? outcome()) : (left[0] ?? outcome()));
  };
  const repairs = new SessionRepairs({
    client: {
      conversation: {
        planRepair: (_session, scope = 'all') => next(`plan ${scope}`).then((each) => ({ ...each, memory: null })),
      },
      sessions: {
        repair: (_session, manner: RepairManner = 'asked', scope: RepairScope = 'all') =>
          next(scope === 'all' ? `repair ${manner}` : `repair ${manner} ${scope}`),
        undoRepair: (_session, isInsisted = false) => next(isInsisted ? 'undo anyway' : 'undo'),
        info: () => Promise.resolve(null),
      },
    },
    home: {
      globalState: {
        get: (key: string) => kept.get(key),
        update: (key, value) => Promise.resolve(void kept.set(key, value)),
      },
    },
    model: {
      snapshot: snapshot([project(sessions ?? [{ ...LISTED, hasBackup }])]),
      start: () => Promise.resolve(),
    },
    ...{ dialogs, formats, t, homeDir: '/home/person', log: new RecordedLog(), showLog: () => undefined, now: () => 0 },
    run: async (_id, work) => work(),
  });
  const panel = repairs.ofPanel(LISTED.path);
  return { repairs, panel, dialogs, asked, kept };
}

describe('The repair of a session', () => {
  it('is shown in its conversation until it is undone, also in the next window', async () => {
    const { panel, repairs, kept } = setUp();
    const changes: string[] = [];
    repairs.onSeamChange((filePath) => changes.push(filePath));
    assert.equal(panel.seam(), null);
    assert.deepEqual(await panel.repair('all', false), { kind: 'done' });
    assert.deepEqual(panel.seam(), { lines: [33] });
    assert.deepEqual(setUp({ stored: kept.get('repairSeams') }).panel.seam(), { lines: [33] });
    assert.deepEqual(await panel.undo(false), { kind: 'done' });
    assert.equal(panel.seam(), null);
    assert.equal(setUp({ stored: kept.get('repairSeams') }).panel.seam(), null);
    assert.deepEqual(changes, [LISTED.path, LISTED.path]);
  });

  it('is not shown once its backup is gone', async () => {
    const { panel } = setUp({ hasBackup: false });
    await panel.repair('all', false);
    assert.equal(panel.seam(), null);
  });

  it('is not shown from what another version has stored', () => {
    for (const stored of ['x', [['/x', {}]], [[LISTED.path, { lines: ['1'] }]], { a: 1 }])
      assert.equal(setUp({ stored }).panel.seam(), null);
  });

  it('opens no dialog: the conversation says why it was refused, and whether the person can insist', async () => {
    const { panel, dialogs, asked } = setUp({ outcomes: [outcome('maybe-live', 'Process 12 may use it.'), outcome()] });
    const answer = await panel.repair('all', false);
    assert.ok(answer.kind === 'refused' && answer.canInsist);
    assert.match(answer.why, /^Process 12 may use it\. If it is, /);
    assert.deepEqual(await panel.repair('all', true), { kind: 'done' });
    assert.deepEqual(asked, ['repair asked', 'repair anyway']);
    const refused = await setUp({ outcomes: [outcome('no-space')] }).panel.repair('all', false);
    assert.deepEqual(refused, {
      kind: 'refused',
      why: 'There is not enough space left on the disk. The transcript was left as it is.',
      canInsist: false,
    });
    assert.deepEqual([dialogs.questions, dialogs.messages], [[], []]);
  });

  it('reports what Claude wrote meanwhile into another file', async () => {
    const { panel, dialogs } = setUp({ outcomes: [outcome(undefined, 'Two lines are in /x.late.')] });
    await panel.repair('all', false);
    assert.deepEqual(dialogs.reported, ['Two lines are in /x.late.']);
  });

  it('plans and makes the one that was asked for by its name', async () => {
    const { panel, asked } = setUp();
    await panel.proposal('wrong-leaf');
    await panel.repair('wrong-leaf', false);
    assert.deepEqual(asked, ['plan wrong-leaf', 'repair asked wrong-leaf']);
  });

  it('offers why nothing can be repaired', async () => {
    const { panel } = setUp({ outcomes: [outcome('read-only')] });
    assert.deepEqual(await panel.proposal('all'), {
      kind: 'nothing',
      why: 'The transcript or its folder cannot be written to.',
    });
  });
});

describe('The repair before a session is resumed', () => {
  it('speaks in the status bar and at its seam, not in a notification', async () => {
    const { repairs, panel, dialogs } = setUp();
    assert.equal(await repairs.repairFirst(LISTED), true);
    await new Promise(setImmediate);
    assert.deepEqual([dialogs.messages, dialogs.notes], [[], ['Repaired before resuming']]);
    assert.deepEqual(panel.seam(), { lines: [33] });
  });

  it('leaves to the person what could lose something, and reports what failed', async () => {
    for (const reason of ['not-repairable', 'declined', 'maybe-live'] as const) {
      const { repairs, dialogs } = setUp({ outcomes: [outcome(reason)] });
      assert.equal(await repairs.repairFirst(LISTED), false);
      assert.deepEqual(dialogs.messages, []);
    }
    const { repairs, dialogs } = setUp({ outcomes: [outcome('write-failed', 'EIO')] });
    assert.equal(await repairs.repairFirst(LISTED), false);
    assert.deepEqual(dialogs.reported, ['The transcript could not be written. It was left as it is.']);
  });
});

describe('Undo Repair', () => {
  it('says so in the status bar', async () => {
    const { repairs, dialogs } = setUp();
    await repairs.undo(LISTED);
    await new Promise(setImmediate);
    assert.deepEqual(dialogs.notes, ['Repair undone']);
  });

  it('undoes the repair of a session that may be running only if the person insists', async () => {
    const first = outcome('maybe-live', 'Process 12 may use it.');
    const insisting = setUp({ outcomes: [first, outcome()], answers: { notify: { 'Process 12': 'Undo Anyway' } } });
    await insisting.repairs.undo(LISTED);
    assert.deepEqual(insisting.asked, ['undo', 'undo anyway']);
    const leaving = setUp({ outcomes: [first] });
    await leaving.repairs.undo(LISTED);
    assert.deepEqual(leaving.asked, ['undo']);
  });

  it('reports why it was refused', async () => {
    const { repairs, dialogs } = setUp({ outcomes: [outcome('changed-since-repair')] });
    await repairs.undo(LISTED);
    assert.deepEqual(dialogs.reported, [
      'The transcript was changed since the repair, so the backup was not put back.',
    ]);
  });
});

describe('A repair of several sessions', () => {
  const broken = (title: string, more: Partial<SessionSummary> = {}) =>
    session({ title, path: `/home/person/.claude/projects/x/${title}.jsonl`, health: 'corrupted', ...more });
  const all = { chooseSeveral: [true] };

  it('lists those that need it, and repairs the chosen ones', async () => {
    const { repairs, dialogs, asked } = setUp({ answers: all });
    await repairs.repairSome([broken('a'), session(), broken('b')]);
    assert.equal(dialogs.lists.length, 1);
    assert.deepEqual(
      dialogs.lists[0]?.lines.map((line) => line.split(' | ')[0]),
      ['a', 'b'],
    );
    assert.deepEqual(asked, ['repair asked', 'repair asked']);
    assert.deepEqual(dialogs.messages, [{ kind: 'info', message: 'Repaired 2 sessions.', buttons: ['Undo'] }]);
  });

  it('leaves out those that cannot be repaired, and does not tick those that may be running', async () => {
    const { repairs, asked, dialogs } = setUp({ answers: all });
    await repairs.repairSome([broken('a', { lacks: ['repair'] }), broken('b', { live: 'maybe-live' }), broken('c')]);
    assert.equal(dialogs.lists[0]?.lines.length, 2);
    assert.deepEqual(asked, ['repair asked']);
  });

  it('changes nothing if the person cancels, and lists nothing if no session needs it', async () => {
    const { repairs, dialogs, asked } = setUp({ answers: { chooseSeveral: [false] } });
    await repairs.repairSome([broken('a')]);
    await repairs.repairSome([session(), session()]);
    assert.deepEqual(asked, []);
    assert.equal(dialogs.lists.length, 1);
    assert.deepEqual(dialogs.notes, ['None of these sessions needs a repair']);
  });

  it('goes on after one that could not be repaired, and names it in one message', async () => {
    const outcomes = [outcome('live'), outcome()];
    const { repairs, dialogs, asked } = setUp({ outcomes, answers: all });
    await repairs.repairSome([broken('Plan'), broken('b')]);
    assert.equal(asked.length, 2);
    assert.equal(dialogs.reported.length, 1);
    assert.match(dialogs.reported[0] ?? '', /^Repaired 1 session\. Not repaired: “Plan”: /);
  });

  it('stops between two sessions, and counts the one that was being written', async () => {
    const { repairs, dialogs, asked } = setUp({ answers: { ...all, skips: true } });
    await repairs.repairSome([broken('a'), broken('b'), broken('c')]);
    assert.deepEqual(asked, ['repair asked']);
    assert.deepEqual(dialogs.reported, ['Repaired 1 session. Stopped before the other 2.']);
  });

  it('is undone for all of them at once', async () => {
    const { repairs, dialogs, asked } = setUp({ answers: { ...all, notify: { Repaired: 'Undo' } } });
    await repairs.repairSome([broken('a'), broken('b')]);
    assert.deepEqual(asked.slice(2), ['undo', 'undo']);
    assert.deepEqual(dialogs.notes, ['2 repairs were undone.']);
  });

  it('names those whose repair could not be undone', async () => {
    const outcomes = [outcome(), outcome(), outcome('changed-since-repair'), outcome()];
    const { repairs, dialogs } = setUp({ outcomes, answers: { ...all, notify: { Repaired: 'Undo' } } });
    await repairs.repairSome([broken('Plan'), broken('b')]);
    assert.match(dialogs.reported[1] ?? '', /^1 repair was undone\. Not undone: “Plan”: The transcript was changed/);
  });

  it('is offered for all broken sessions, after they were listed', async () => {
    const { repairs, dialogs } = setUp({
      answers: all,
      sessions: [broken('a'), session({ isRepairable: true }), broken('b')],
    });
    await repairs.repairAllBroken();
    assert.equal(dialogs.lists[0]?.lines.length, 2);
    const none = setUp({ sessions: [session()] });
    await none.repairs.repairAllBroken();
    assert.deepEqual(none.dialogs.notes, ['No session is broken']);
  });
});

import assert from 'node:assert/strict';
import { SessionSlims, type SessionSlimsDeps } from '../../../src/extension/repair/sessionSlims';
import type { RepairFailureReason } from '../../../src/protocol/repair';
import type { SlimOutcome } from '../../../src/protocol/slim';
import { slimOutcome } from '../../support/fakeProvider';
import { type Answers, FakeDialogs } from './dialogFakes';
import { formats, RecordedLog, session, t } from './fakes';

const SESSION = session();
const SLIMMED = slimOutcome(SESSION.path, {
  status: 'slimmed',
  backupPath: `${SESSION.path}.backup-1`,
  bytesBefore: 500_000_000,
  bytesAfter: 4_000_000,
  kinds: [{ kind: 'progress', rows: 1200, bytesBefore: 496_000_000, bytesAfter: 0 }],
});
const RESTORED = slimOutcome(SESSION.path, { status: 'restored' });

function failed(reason: RepairFailureReason, problem: string | null = null): SlimOutcome {
  return slimOutcome(SESSION.path, { status: 'failed', reason }, problem);
}

interface Scene {
  readonly plan?: SlimOutcome;
  /** In order; the last one is for all further ones. */
  readonly outcomes?: readonly SlimOutcome[];
  readonly answers?: Answers;
}

async function slim({ plan = SLIMMED, outcomes = [SLIMMED, RESTORED], answers = {} }: Scene) {
  const dialogs = new FakeDialogs(answers);
  const asked: string[] = [];
  const left = [...outcomes];
  const next = (what: string, mayBeLive = false): Promise<SlimOutcome> => {
    asked.push(mayBeLive ? `${what} anyway` : what);
    return Promise.resolve(left.shift() ?? RESTORED);
  };
  const rewritten: string[] = [];
  const services: SessionSlimsDeps = {
    client: {
      sessions: {
        planSlim: () => Promise.resolve(plan),
        slim: (_session, mayBeLive) => next('slim', mayBeLive),
        undoSlim: (_session, mayBeLive) => next('undo', mayBeLive),
      },
    },
    ...{ dialogs, formats, t, log: new RecordedLog() },
  };
  await new SessionSlims(services, (filePath) => rewritten.push(filePath)).slim(SESSION);
  return { dialogs, asked, rewritten };
}

describe('Slim…', () => {
  it('shows what would be removed, how small the file gets, and when disk space is freed', async () => {
    const { dialogs, asked } = await slim({ answers: { ask: [null] } });
    const [question] = dialogs.questions;
    assert.match(question?.message ?? '', /^Slim “.+” from 500 MB to 4 MB\?$/);
    assert.equal(
      question?.detail,
      '1,200 entries of progress that an old client wrote (496 MB) are removed. Claude remembers the same as before. The original is kept beside it, so disk space is freed only once you delete that.',
    );
    assert.deepEqual([question.buttons, asked], [['Slim'], []]);
  });

  it('names each kind that is removed or moved', async () => {
    const kinds = [
      { kind: 'attachments', rows: 1, bytesBefore: 40_000, bytesAfter: 0 },
      { kind: 'outputs', rows: 12, bytesBefore: 90_000_000, bytesAfter: 1_200 },
    ] as const;
    const plan = slimOutcome(SESSION.path, { ...SLIMMED.result, kinds });
    const { dialogs } = await slim({ plan, answers: { ask: [null] } });
    assert.match(
      dialogs.questions[0]?.detail ?? '',
      /^1 copy of the system prompt that repeats the one before \(40 kB\) is removed\. 12 long outputs of tools \(90 MB\), which only the display of Claude Code reads, are moved to files\. Claude remembers/,
    );
  });

  it('slims when the person says so, and its message undoes that', async () => {
    const { dialogs, asked, rewritten } = await slim({ answers: { ask: ['Slim'], notify: { '“': 'Undo' } } });
    assert.deepEqual(asked, ['slim', 'undo']);
    assert.deepEqual(rewritten, [SESSION.path, SESSION.path]);
    assert.match(dialogs.reported[0] ?? '', /was slimmed from 500 MB to 4 MB\. .+ beside it as .+\.jsonl\.backup-1\.$/);
    assert.match(dialogs.notes[0] ?? '', /is as it was before it was slimmed$/);
  });

  it('says in the status bar that there is nothing to remove', async () => {
    const { dialogs, asked } = await slim({ plan: slimOutcome(SESSION.path) });
    assert.match(dialogs.notes[0] ?? '', /^There is nothing to remove from “/);
    assert.deepEqual([dialogs.questions, dialogs.reported, asked], [[], [], []]);
  });

  it('lets the person insist if a client may be running the session', async () => {
    const outcomes = [failed('maybe-live', 'Process 12 may use it.'), SLIMMED];
    const { asked } = await slim({ outcomes, answers: { ask: ['Slim'], notify: { Process: 'Slim Anyway' } } });
    assert.deepEqual(asked, ['slim', 'slim anyway']);
  });

  it('says why nothing was changed, in words of its own', async () => {
    const { dialogs } = await slim({ outcomes: [failed('no-space')], answers: { ask: ['Slim'] } });
    assert.deepEqual(dialogs.reported, [
      'There is not enough space left on the disk. The transcript was left as it is.',
    ]);
    const unproven = await slim({ plan: failed('not-repairable') });
    assert.deepEqual(unproven.dialogs.reported, ['Nothing can be removed without changing what Claude remembers.']);
  });
});

import assert from 'node:assert/strict';
import type { ConversationEnd } from '../../../src/protocol/message';
import type { SessionSource, SessionStateName } from '../../../src/protocol/sessionActivity';
import type { TranscriptEnd } from '../../../src/protocol/sessionInfo';
import { type ActivitySources, type BackgroundJob, type ClientRecord, sessionActivity } from '../../rooms/providers';

const NOW = Date.UTC(2026, 10, 24, 12);
const MINUTE_MS = 60_000;

const RECORD: ClientRecord = {
  sessionId: 's',
  pid: 7,
  standing: 'runs',
  status: 'idle',
  waitingFor: null,
  kind: 'interactive',
  entrypoint: 'cli',
  cwd: '/p',
  agent: null,
  tmux: null,
  parkedJobId: null,
  startedMs: NOW - 10 * MINUTE_MS,
  statusMs: NOW - MINUTE_MS,
};

const JOB: BackgroundJob = {
  id: 's',
  sessionIds: [],
  state: 'working',
  tempo: 'active',
  needs: null,
  cwd: '/p',
  isSettled: false,
  updatedMs: NOW - MINUTE_MS,
};

const ENDED: ConversationEnd = { kind: 'ended' };
const UNANSWERED: ConversationEnd = { kind: 'interrupted', by: 'unknown', duringTool: false, line: 1 };
const STOPPED: ConversationEnd = { kind: 'interrupted', by: 'person', duringTool: true, line: 1 };
const CALLING: ConversationEnd = { kind: 'waitingOnTool', calls: [] };
const FAILED: ConversationEnd = { kind: 'apiError', text: 'Overloaded', line: 1 };

function endOf(end: ConversationEnd, change: Partial<TranscriptEnd> = {}): TranscriptEnd {
  return { end, isClosed: false, entrypoint: null, lastMessageMs: NOW - 5 * MINUTE_MS, ...change };
}

function activityOf(sources: Partial<ActivitySources>): ReturnType<typeof sessionActivity> {
  return sessionActivity({ records: [], job: null, live: 'not-live', end: endOf(ENDED), nowMs: NOW, ...sources });
}

function record(change: Partial<ClientRecord>): ClientRecord {
  return { ...RECORD, ...change };
}

describe('What a session is doing', () => {
  const statuses: readonly (readonly [string, string | null, SessionStateName])[] = [
    ['idle', null, 'idle'],
    ['busy', null, 'busy'],
    ['shell', null, 'shell'],
    ['waiting', 'permission prompt', 'waiting-approval'],
    ['waiting', 'input needed', 'waiting-answer'],
    ['waiting', null, 'waiting-answer'],
  ];
  for (const [status, waitingFor, state] of statuses) {
    it(`is what its client’s record says: ${status}${waitingFor === null ? '' : `, ${waitingFor}`}`, () => {
      const answer = activityOf({ records: [record({ status, waitingFor })], live: 'live', end: endOf(CALLING) });
      assert.deepEqual(answer, {
        ...{ state, isInferred: false, source: 'terminal', pid: 7 },
        ...{ sinceMs: RECORD.statusMs, waitingFor, agentName: null },
      });
    });
  }

  it('is work, but inferred, if the record has a status that no measured client writes', () => {
    const { state, isInferred } = activityOf({ records: [record({ status: 'dreaming' })], live: 'live' });
    assert.deepEqual([state, isInferred], ['busy', true]);
  });

  it('is starting while a new client has written neither a status nor a message', () => {
    const fresh = record({ status: null, startedMs: NOW - 100 });
    assert.equal(activityOf({ records: [fresh], live: 'live', end: null }).state, 'starting');
    assert.equal(activityOf({ records: [fresh], live: 'live', end: endOf({ kind: 'empty' }) }).state, 'starting');
  });

  it('is read off the rows if the record of an old client has no status', () => {
    const old = record({ status: null, entrypoint: 'sdk-cli' });
    const answers = [UNANSWERED, CALLING, ENDED, STOPPED].map((end) => {
      const { state, isInferred, pid, source } = activityOf({ records: [old], live: 'live', end: endOf(end) });
      return [state, isInferred, pid, source];
    });
    assert.deepEqual(
      answers,
      ['busy', 'busy', 'idle', 'idle'].map((state) => [state, true, 7, 'sdk']),
    );
  });

  it('is what the newest running client says if two have the session', () => {
    const records = [
      record({ pid: 8, status: 'busy', statusMs: NOW }),
      record({ pid: 9, standing: 'ended', status: 'waiting', statusMs: NOW + 1 }),
      RECORD,
    ];
    const { state, pid } = activityOf({ records, live: 'live' });
    assert.deepEqual([state, pid], ['busy', 8]);
  });

  it('is what a client says that waits for the person, if two have the session', () => {
    const records = [
      record({ pid: 8, status: 'busy', statusMs: NOW }),
      record({ status: 'waiting', waitingFor: 'input needed' }),
    ];
    const { state, pid } = activityOf({ records, live: 'live' });
    assert.deepEqual([state, pid], ['waiting-answer', 7]);
  });

  it('comes from a terminal if a session whose job has ended was resumed there', () => {
    const job = { ...JOB, state: 'stopped', isSettled: true };
    assert.equal(activityOf({ records: [RECORD], job, live: 'live' }).source, 'terminal');
  });

  it('is what a client says that cannot be seen from here, without its process', () => {
    const { state, pid, isInferred } = activityOf({ records: [record({ standing: 'may run' })], live: 'maybe-live' });
    assert.deepEqual([state, pid, isInferred], ['idle', null, false]);
  });

  const jobs: readonly (readonly [Partial<BackgroundJob>, SessionStateName])[] = [
    [{ state: 'working', tempo: 'active' }, 'busy'],
    [{ state: 'working', tempo: 'idle' }, 'idle'],
    [{ state: 'working', tempo: 'blocked', needs: 'approve Write: /a.txt' }, 'waiting-approval'],
    [{ state: 'working', tempo: 'blocked', needs: 'answer' }, 'waiting-answer'],
    [{ state: 'blocked', needs: 'approve Write: a.txt' }, 'waiting-approval'],
    [{ state: 'blocked', needs: 'answer a question' }, 'waiting-answer'],
    [{ state: 'crashed' }, 'crashed'],
    [{ state: 'failed', isSettled: true, updatedMs: NOW }, 'failed'],
    [{ state: 'done', isSettled: true, updatedMs: NOW }, 'ended'],
    [{ state: 'stopped', isSettled: true, updatedMs: NOW }, 'ended'],
  ];
  for (const [job, state] of jobs) {
    it(`is what its background job says if no client runs: ${Object.values(job).join(', ')}`, () => {
      const answer = activityOf({ job: { ...JOB, ...job }, live: 'maybe-live', end: endOf(CALLING) });
      assert.deepEqual([answer.state, answer.isInferred, answer.source], [state, false, 'background']);
    });
  }

  it('is not what a settled job says if the session went on after it', () => {
    const job = { ...JOB, state: 'stopped', isSettled: true, updatedMs: NOW - 30 * MINUTE_MS };
    const { state, isInferred } = activityOf({ job, end: endOf(FAILED) });
    assert.deepEqual([state, isInferred], ['failed', true]);
  });

  it('is that of the job to which a conversation was handed over', () => {
    const records = [record({ parkedJobId: 's', status: 'idle' })];
    assert.equal(activityOf({ records, job: JOB, live: 'maybe-live' }).state, 'busy');
  });

  it('crashed if its client left a record and no last row', () => {
    const records = [record({ standing: 'ended', status: 'busy' })];
    const answer = activityOf({ records });
    assert.deepEqual([answer.state, answer.isInferred, answer.sinceMs], ['crashed', false, NOW - 5 * MINUTE_MS]);
    assert.equal(activityOf({ records, end: endOf(ENDED, { isClosed: true }) }).state, 'ended');
  });

  const ends: readonly (readonly [ConversationEnd, boolean, SessionStateName])[] = [
    [ENDED, false, 'ended'],
    [STOPPED, false, 'interrupted'],
    [UNANSWERED, false, 'crashed'],
    [UNANSWERED, true, 'interrupted'],
    [CALLING, false, 'crashed'],
    [CALLING, true, 'interrupted'],
    [FAILED, false, 'failed'],
    [{ kind: 'empty' }, false, 'ended'],
  ];
  for (const [end, isClosed, state] of ends) {
    it(`is inferred from the last rows if nothing else tells: ${end.kind}${isClosed ? ', closed' : ''} is ${state}`, () => {
      const answer = activityOf({ end: endOf(end, { isClosed }) });
      assert.deepEqual([answer.state, answer.isInferred, answer.pid], [state, true, null]);
    });
  }

  const sources: readonly (readonly [string | null, SessionSource])[] = [
    ['cli', 'terminal'],
    ['claude-vscode', 'vscode'],
    ['sdk-cli', 'sdk'],
    ['sdk-ts', 'sdk'],
    ['claude-desktop', 'unknown'],
    [null, 'unknown'],
  ];
  for (const [entrypoint, source] of sources) {
    it(`comes from ${source} if its rows or its record name ${entrypoint ?? 'nothing'}`, () => {
      assert.equal(activityOf({ end: endOf(ENDED, { entrypoint }) }).source, source);
      assert.equal(activityOf({ records: [record({ entrypoint })], live: 'live' }).source, source);
    });
  }
});

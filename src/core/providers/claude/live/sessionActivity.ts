import type { Liveness } from '../../../../protocol/session';
import type { SessionActivity, SessionSource, SessionStateName } from '../../../../protocol/sessionActivity';
import type { TranscriptEnd } from '../../../../protocol/sessionInfo';
import type { BackgroundJob, ClientRecord } from './registry';

/** Everything that tells what a session is doing. */
export interface ActivitySources {
  /** The session's own records in the registry. */
  readonly records: readonly ClientRecord[];
  /** The session's background job. */
  readonly job: BackgroundJob | null;
  /** Whether a client runs the session. */
  readonly live: Liveness;
  /** Null if the transcript cannot be read, or is not there. */
  readonly end: TranscriptEnd | null;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** A terminal's client writes its first status some 0.1 s after its record. A program's client of old versions never writes one. */
const STARTING_MS = 3_000;

/** So much later than its last message, at most, a job is written down as settled. */
const SETTLING_MS = 10_000;

type Said = Pick<SessionActivity, 'state' | 'isInferred' | 'sinceMs' | 'pid' | 'waitingFor'>;

/**
 * What a session is doing: as a client's record says it, else its background job, else, and then marked as inferred, the last rows.
 * Facts: docs/format.md, "Live processes".
 */
export function sessionActivity(sources: ActivitySources): SessionActivity {
  const record = holderOf(sources.records);
  const said =
    (record === null ? null : ofRecord(record, sources)) ??
    (sources.job === null || isOutdated(sources.job, sources) ? null : ofJob(sources.job)) ??
    ofCrash(sources) ??
    ofRows(sources);
  const newest = record ?? newestOf(sources.records);
  const isOfJob = record === null ? sources.job !== null && !isOutdated(sources.job, sources) : record.kind === 'bg';
  return { ...said, source: isOfJob ? 'background' : sourceOf(newest, sources), agentName: newest?.agent ?? null };
}

/**
 * The record of the client that has the session now; of several, one that waits for the person. One whose conversation was handed to
 * a job has it no more.
 */
function holderOf(records: readonly ClientRecord[]): ClientRecord | null {
  const held = records.filter(({ standing, parkedJobId }) => standing !== 'ended' && parkedJobId === null);
  const running = held.filter(({ standing }) => standing === 'runs');
  const holders = running.length > 0 ? running : held;
  const waiting = holders.filter(({ status }) => status === 'waiting');
  return newestOf(waiting.length > 0 ? waiting : holders);
}

function newestOf(records: readonly ClientRecord[]): ClientRecord | null {
  const [newest = null] = [...records].sort((a, b) => timeOf(b) - timeOf(a));
  return newest;
}

function timeOf({ statusMs, startedMs }: ClientRecord): number {
  return Math.max(statusMs ?? 0, startedMs ?? 0);
}

function ofRecord(record: ClientRecord, sources: ActivitySources): Said {
  const pid = record.standing === 'runs' ? record.pid : null;
  const sinceMs = record.statusMs ?? record.startedMs;
  const { waitingFor } = record;
  const said = { isInferred: false, pid, sinceMs, waitingFor };
  switch (record.status) {
    case 'idle':
    case 'shell':
      return { ...said, state: record.status };
    case 'waiting':
      return { ...said, state: waitingState(waitingFor) };
    case 'busy':
      return { ...said, state: 'busy' };
    case null: {
      const isNew = record.startedMs !== null && sources.nowMs - record.startedMs < STARTING_MS;
      if (isNew && (sources.end === null || sources.end.end.kind === 'empty')) return { ...said, state: 'starting' };
      return { ...ofRows({ ...sources, live: 'live' }), pid };
    }
    default:
      // A status that later clients may write: it is at work on something.
      return { ...said, state: 'busy', isInferred: true };
  }
}

/** `permission prompt`, or a plan or a sandbox to approve; everything else, such as `input needed`, is a question. */
function waitingState(waitingFor: string | null): SessionStateName {
  return /permission|approv|sandbox|trust/iu.test(waitingFor ?? '') ? 'waiting-approval' : 'waiting-answer';
}

/** Whether the session was resumed, and went on, after its job had ended. */
function isOutdated({ isSettled, updatedMs }: BackgroundJob, { end }: ActivitySources): boolean {
  const lastMs = end?.lastMessageMs ?? null;
  return isSettled && updatedMs !== null && lastMs !== null && lastMs > updatedMs + SETTLING_MS;
}

function ofJob(job: BackgroundJob): Said | null {
  const said = { isInferred: false, pid: null, sinceMs: job.updatedMs, waitingFor: job.needs };
  switch (job.state) {
    case 'working':
      if (job.tempo === 'blocked') return { ...said, state: waitingState(job.needs) };
      return { ...said, state: job.tempo === 'idle' ? 'idle' : 'busy', waitingFor: null };
    case 'blocked':
      return { ...said, state: waitingState(job.needs) };
    case 'crashed':
    case 'failed':
      return { ...said, state: job.state };
    case 'done':
    case 'stopped':
      return { ...said, state: 'ended' };
    default:
      return null;
  }
}

/** A client that ends by itself removes its record. */
function ofCrash({ records, live, end }: ActivitySources): Said | null {
  const last = newestOf(records.filter(({ standing }) => standing === 'ended'));
  if (last === null || live !== 'not-live' || end?.isClosed === true) return null;
  const sinceMs = end?.lastMessageMs ?? last.statusMs;
  return { state: 'crashed', isInferred: false, pid: null, sinceMs, waitingFor: null };
}

function ofRows({ live, end }: ActivitySources): Said {
  const state = end === null ? (live === 'not-live' ? 'ended' : 'starting') : rowState(end, live !== 'not-live');
  return { state, isInferred: true, pid: null, sinceMs: end?.lastMessageMs ?? null, waitingFor: null };
}

function rowState({ end, isClosed }: TranscriptEnd, mayRun: boolean): SessionStateName {
  switch (end.kind) {
    case 'waitingOnTool':
      return mayRun ? 'busy' : isClosed ? 'interrupted' : 'crashed';
    case 'interrupted':
      if (mayRun) return end.by === 'person' ? 'idle' : 'busy';
      return end.by === 'person' || isClosed ? 'interrupted' : 'crashed';
    case 'apiError':
      return mayRun ? 'idle' : 'failed';
    case 'ended':
      return mayRun ? 'idle' : 'ended';
    case 'empty':
      return mayRun ? 'starting' : 'ended';
  }
}

function sourceOf(record: ClientRecord | null, { end }: ActivitySources): SessionSource {
  if (record?.kind === 'bg') return 'background';
  const entrypoint = record?.entrypoint ?? end?.entrypoint ?? null;
  if (entrypoint === null) return 'unknown';
  if (entrypoint === 'cli') return 'terminal';
  if (entrypoint === 'claude-vscode') return 'vscode';
  return entrypoint.startsWith('sdk') ? 'sdk' : 'unknown';
}

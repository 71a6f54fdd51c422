import { Deferred, untilAborted } from '../util/scheduling';

/** What each kind of job results in. `scan` is what `waitFor` waits for. */
export interface JobResults {
  readonly scan: unknown;
}

export interface JobDone<Results, Kind extends keyof Results> {
  readonly kind: 'done';
  readonly job: Kind;
  readonly session: string;
  readonly result: Results[Kind];
}

/** A job that ended, told before those who wait for it go on. */
export type JobEvent<Results> =
  | { readonly [Kind in keyof Results]: JobDone<Results, Kind> }[keyof Results]
  | { readonly kind: 'error'; readonly job: keyof Results; readonly session: string; readonly error: unknown };

type Work<Result> = (session: string) => Promise<Result>;

export interface JobQueueDeps<Results extends JobResults> {
  readonly work: { readonly [Kind in keyof Results]: Work<Results[Kind]> };
  /** Jobs that run at the same time; 1 or more. */
  readonly concurrency: number;
  /** Must not throw. */
  readonly onEvent?: (event: JobEvent<Results>) => void;
}

interface Job<Results> {
  readonly kind: keyof Results;
  readonly session: string;
  readonly ending: Deferred<unknown>;
  priority: Priority;
  /** Where it waits; null once it runs. */
  place: LanePlace<Job<Results>> | null;
}

/** Of one session: what runs, and what waits, at most one job of each kind. */
interface SessionJobs<Results> {
  running: Job<Results> | null;
  readonly waiting: Map<keyof Results, Job<Results>>;
}

/**
 * Runs jobs on sessions, the most urgent first, and first come, first served among equals. A session has at most one job
 * running, so that it is never scanned and repaired at once. The last free slot is kept for `active` jobs, where there
 * are several: what a person waits for does not queue behind long scans of the disk.
 */
export class JobQueue<Results extends JobResults> {
  readonly #parts: JobQueueDeps<Results>;
  readonly #lanes: Readonly<Record<Priority, Lane<Job<Results>>>> = {
    active: new Lane(),
    visible: new Lane(),
    background: new Lane(),
    disk: new Lane(),
  };
  /** Sessions with a job that waits or runs. */
  readonly #sessions = new Map<string, SessionJobs<Results>>();
  #concurrency: number;
  #runningCount = 0;
  #drained: Deferred<void> | null = null;

  constructor(parts: JobQueueDeps<Results>) {
    this.#parts = parts;
    this.#concurrency = parts.concurrency;
  }

  /**
   * A run that begins after this call: joins one that still waits, which becomes as urgent as this one, but not one that
   * runs already. Rejects with what the work rejects with, or with a `QueueClosedError`.
   */
  add<Kind extends keyof Results>(kind: Kind, session: string, priority: Priority): Promise<Results[Kind]> {
    if (this.#drained !== null) return Promise.reject(new QueueClosedError(session));
    const jobs: SessionJobs<Results> = this.#sessions.get(session) ?? { running: null, waiting: new Map() };
    this.#sessions.set(session, jobs);
    let job = jobs.waiting.get(kind);
    if (job === undefined) {
      job = { kind, session, ending: new Deferred(), priority, place: null };
      // Nobody may be waiting for it: the event tells of its failure, too.
      job.ending.promise.catch(() => undefined);
      jobs.waiting.set(kind, job);
      this.#line(job, priority);
    } else if (isMoreUrgent(priority, job.priority)) {
      this.#line(job, priority);
    }
    this.#startWhatMay();
    return endingOf<Results, Kind>(job);
  }

  /**
   * The result of the session's scan that runs or waits; a waiting one becomes `active`. Without any, one is begun as
   * `active`. The signal ends this waiting only, not the scan.
   */
  waitFor(session: string, signal?: AbortSignal): Promise<Results['scan']> {
    const running = this.#sessions.get(session)?.running;
    const isScanning = running?.kind === 'scan';
    const scan = isScanning ? endingOf<Results, 'scan'>(running) : this.add('scan', session, 'active');
    return signal === undefined ? scan : untilAborted(scan, signal);
  }

  /** Makes what waits of this session more or less urgent: it queues behind what is as urgent already. */
  prioritise(session: string, priority: Priority): void {
    for (const job of this.#sessions.get(session)?.waiting.values() ?? []) {
      if (job.priority !== priority) this.#line(job, priority);
    }
    this.#startWhatMay();
  }

  /** With fewer than run now, those run on, and the next begins when enough of them have ended. */
  setConcurrency(concurrency: number): void {
    this.#concurrency = concurrency;
    this.#startWhatMay();
  }

  /** Takes no more jobs, rejects those that wait, and resolves once those that run have ended: none of them is cut. */
  drain(): Promise<void> {
    if (this.#drained !== null) return this.#drained.promise;
    const drained = new Deferred<void>();
    this.#drained = drained;
    for (const [session, { waiting }] of this.#sessions) {
      for (const job of waiting.values()) {
        this.#leaveLine(job);
        job.ending.reject(new QueueClosedError(session));
      }
      waiting.clear();
    }
    if (this.#runningCount === 0) drained.resolve();
    return drained.promise;
  }

  #line(job: Job<Results>, priority: Priority): void {
    this.#leaveLine(job);
    job.priority = priority;
    job.place = this.#lanes[priority].push(job);
  }

  #leaveLine(job: Job<Results>): void {
    if (job.place !== null) this.#lanes[job.priority].remove(job.place);
    job.place = null;
  }

  #startWhatMay(): void {
    for (let job = this.#next(); job !== null; job = this.#next()) void this.#run(job);
  }

  #next(): Job<Results> | null {
    for (const priority of PRIORITIES) {
      const slots = priority === 'active' ? this.#concurrency : Math.max(1, this.#concurrency - 1);
      if (this.#runningCount >= slots) return null;
      for (const job of this.#lanes[priority]) {
        if (this.#sessions.get(job.session)?.running === null) return job;
      }
    }
    return null;
  }

  async #run(job: Job<Results>): Promise<void> {
    const { kind, session, ending } = job;
    const { work, onEvent } = this.#parts;
    const jobs = this.#sessions.get(session);
    if (jobs === undefined) return;
    this.#leaveLine(job);
    jobs.waiting.delete(kind);
    jobs.running = job;
    this.#runningCount++;
    let settle: () => void;
    try {
      const result = await work[kind](session);
      const done: JobDone<Results, keyof Results> = { kind: 'done', job: kind, session, result };
      settle = () => {
        onEvent?.(done);
        ending.resolve(result);
      };
    } catch (error) {
      settle = () => {
        onEvent?.({ kind: 'error', job: kind, session, error });
        ending.reject(error);
      };
    }
    jobs.running = null;
    this.#runningCount--;
    if (jobs.waiting.size === 0) this.#sessions.delete(session);
    settle();
    if (this.#runningCount === 0) this.#drained?.resolve();
    this.#startWhatMay();
  }
}

function endingOf<Results, Kind extends keyof Results>(job: Job<Results>): Promise<Results[Kind]> {
  // SAFETY: jobs are looked up by their kind, and settled with the result of that kind's work.
  return job.ending.promise as Promise<Results[Kind]>;
}

/** A place in a lane. */
interface LanePlace<T> {
  readonly value: T;
  before: LanePlace<T> | null;
  after: LanePlace<T> | null;
}

/** First in, first out, but anyone may step out of the line. Each step costs the same, however long the line is. */
class Lane<T> {
  #first: LanePlace<T> | null = null;
  #last: LanePlace<T> | null = null;

  push(value: T): LanePlace<T> {
    const place: LanePlace<T> = { value, before: this.#last, after: null };
    if (this.#last === null) this.#first = place;
    else this.#last.after = place;
    this.#last = place;
    return place;
  }

  /** `place` is one of this lane, and leaves it once. */
  remove({ before, after }: LanePlace<T>): void {
    if (before === null) this.#first = after;
    else before.after = after;
    if (after === null) this.#last = before;
    else after.before = before;
  }

  /** From the one that waits longest. Nobody may leave or join meanwhile. */
  *[Symbol.iterator](): Generator<T> {
    for (let place = this.#first; place !== null; place = place.after) yield place.value;
  }
}

/** Who waits for a session, most urgent first. */
export const PRIORITIES = [
  /** A person waits for this one session. */
  'active',
  /** It belongs to what the person sees. */
  'visible',
  /** It is open out of sight. */
  'background',
  /** Nobody asked for it; it lies on the disk. */
  'disk',
] as const;

export type Priority = (typeof PRIORITIES)[number];

export function isMoreUrgent(a: Priority, b: Priority): boolean {
  return PRIORITIES.indexOf(a) < PRIORITIES.indexOf(b);
}

/** A job that was refused, or that had not begun when its queue was closed. */
export class QueueClosedError extends Error {
  readonly code = 'queue-closed';

  constructor(session: string) {
    super(`Failed to look at ${session}: the work is being wound up`);
    this.name = 'QueueClosedError';
  }
}

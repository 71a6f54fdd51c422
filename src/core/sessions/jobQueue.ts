import { Deferred, untilAborted } from '../util/scheduling';

/** The result type of each kind of job. `waitFor` waits for `scan`. */
export interface JobResults {
  readonly scan: unknown;
}

export interface JobDone<Results, Kind extends keyof Results> {
  readonly kind: 'done';
  readonly job: Kind;
  readonly session: string;
  readonly result: Results[Kind];
}

/** The end of a job. It is reported before the callers that wait for the job continue. */
export type JobEvent<Results> =
  | { readonly [Kind in keyof Results]: JobDone<Results, Kind> }[keyof Results]
  | { readonly kind: 'error'; readonly job: keyof Results; readonly session: string; readonly error: unknown };

type Work<Result> = (session: string) => Promise<Result>;

export interface JobQueueDeps<Results extends JobResults> {
  readonly work: { readonly [Kind in keyof Results]: Work<Results[Kind]> };
  /** Maximum number of jobs that run at the same time; 1 or more. */
  readonly concurrency: number;
  /** Must not throw. */
  readonly onEvent?: (event: JobEvent<Results>) => void;
}

interface Job<Results> {
  readonly kind: keyof Results;
  readonly session: string;
  readonly ending: Deferred<unknown>;
  priority: Priority;
  /** Its place in the lane of its priority; null once it runs. */
  place: LanePlace<Job<Results>> | null;
}

/** The running job and the waiting jobs of one session; at most one waiting job of each kind. */
interface JobsOfSession<Results> {
  running: Job<Results> | null;
  readonly waiting: Map<keyof Results, Job<Results>>;
}

/**
 * Runs jobs on sessions in the order of their priority, and jobs of equal priority in the order of their arrival. Runs
 * at most one job per session at a time, so that a session is never scanned and repaired at once. If there are several
 * slots, the last free one is reserved for `active` jobs, so that a person never waits for long scans of the disk.
 */
export class JobQueue<Results extends JobResults> {
  readonly #deps: JobQueueDeps<Results>;
  readonly #lanes: Readonly<Record<Priority, Lane<Job<Results>>>> = {
    active: new Lane(),
    visible: new Lane(),
    background: new Lane(),
    disk: new Lane(),
    idle: new Lane(),
  };
  /** Sessions with waiting or running jobs. */
  readonly #sessions = new Map<string, JobsOfSession<Results>>();
  #concurrency: number;
  #runningCount = 0;
  #drained: Deferred<void> | null = null;

  constructor(deps: JobQueueDeps<Results>) {
    this.#deps = deps;
    this.#concurrency = deps.concurrency;
  }

  /**
   * Resolves to the result of a job that begins after this call. Joins a waiting job of the same kind and raises its
   * priority if necessary, but never joins a running job. Rejects with the error of the work, or with a
   * `QueueClosedError`.
   */
  add<Kind extends keyof Results>(kind: Kind, session: string, priority: Priority): Promise<Results[Kind]> {
    if (this.#drained !== null) return Promise.reject(new QueueClosedError(session));
    const jobs: JobsOfSession<Results> = this.#sessions.get(session) ?? { running: null, waiting: new Map() };
    this.#sessions.set(session, jobs);
    let job = jobs.waiting.get(kind);
    if (job === undefined) {
      job = { kind, session, ending: new Deferred(), priority, place: null };
      // The caller may ignore the promise; the event reports the failure as well.
      job.ending.promise.catch(() => undefined);
      jobs.waiting.set(kind, job);
      this.#enqueue(job, priority);
    } else if (isMoreUrgent(priority, job.priority)) {
      this.#enqueue(job, priority);
    }
    this.#startJobs();
    return endingOf<Results, Kind>(job);
  }

  /**
   * The result of the session's running or waiting scan; a waiting scan becomes `active`. If there is none, adds an
   * `active` one. The signal ends only the waiting of this caller, not the scan.
   */
  waitFor(session: string, signal?: AbortSignal): Promise<Results['scan']> {
    const running = this.#sessions.get(session)?.running;
    const isScanning = running?.kind === 'scan';
    const scan = isScanning ? endingOf<Results, 'scan'>(running) : this.add('scan', session, 'active');
    return signal === undefined ? scan : untilAborted(scan, signal);
  }

  /**
   * Changes the priority of the session's waiting jobs, except those of `idle`. They are placed behind the jobs that already have
   * this priority.
   */
  prioritise(session: string, priority: Priority): void {
    for (const job of this.#sessions.get(session)?.waiting.values() ?? []) {
      if (job.priority !== priority && job.priority !== 'idle') this.#enqueue(job, priority);
    }
    this.#startJobs();
  }

  /** If more jobs are running than allowed, they continue, and the next job begins when enough of them have ended. */
  setConcurrency(concurrency: number): void {
    this.#concurrency = concurrency;
    this.#startJobs();
  }

  /**
   * Accepts no more jobs and rejects waiting ones. Resolves once the running jobs, which are not aborted, have ended.
   */
  drain(): Promise<void> {
    if (this.#drained !== null) return this.#drained.promise;
    const drained = new Deferred<void>();
    this.#drained = drained;
    for (const [session, { waiting }] of this.#sessions) {
      for (const job of waiting.values()) {
        this.#dequeue(job);
        job.ending.reject(new QueueClosedError(session));
      }
      waiting.clear();
    }
    if (this.#runningCount === 0) drained.resolve();
    return drained.promise;
  }

  #enqueue(job: Job<Results>, priority: Priority): void {
    this.#dequeue(job);
    job.priority = priority;
    job.place = this.#lanes[priority].push(job);
  }

  #dequeue(job: Job<Results>): void {
    if (job.place !== null) this.#lanes[job.priority].remove(job.place);
    job.place = null;
  }

  #startJobs(): void {
    for (let job = this.#next(); job !== null; job = this.#next()) void this.#run(job);
  }

  #next(): Job<Results> | null {
    for (const priority of PRIORITIES) {
      if (this.#runningCount >= this.#slotsFor(priority)) return null;
      for (const job of this.#lanes[priority]) {
        if (this.#sessions.get(job.session)?.running === null) return job;
      }
    }
    return null;
  }

  /** How many jobs may run, so that one of this priority begins only while there are fewer. */
  #slotsFor(priority: Priority): number {
    switch (priority) {
      case 'active':
        return this.#concurrency;
      case 'idle':
        return 1;
      case 'visible':
      case 'background':
      case 'disk':
        return Math.max(1, this.#concurrency - 1);
    }
  }

  async #run(job: Job<Results>): Promise<void> {
    const { kind, session, ending } = job;
    const { work, onEvent } = this.#deps;
    const jobs = this.#sessions.get(session);
    if (jobs === undefined) return;
    this.#dequeue(job);
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
    this.#startJobs();
  }
}

function endingOf<Results, Kind extends keyof Results>(job: Job<Results>): Promise<Results[Kind]> {
  // SAFETY: jobs are looked up by kind and settled with the result of that kind of work.
  return job.ending.promise as Promise<Results[Kind]>;
}

/** A place in a lane. */
interface LanePlace<T> {
  readonly value: T;
  before: LanePlace<T> | null;
  after: LanePlace<T> | null;
}

/** A first-in, first-out list from which any item can be removed. Each operation takes constant time. */
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

  /** The place must be in this lane, and must be removed only once. */
  remove({ before, after }: LanePlace<T>): void {
    if (before === null) this.#first = after;
    else before.after = after;
    if (after === null) this.#last = before;
    else after.before = before;
  }

  /** Oldest first. The lane must not change during the iteration. */
  *[Symbol.iterator](): Generator<T> {
    for (let place = this.#first; place !== null; place = place.after) yield place.value;
  }
}

/** Most urgent first. */
export const PRIORITIES = [
  /** A person waits for this one session. */
  'active',
  /** The person sees the session. */
  'visible',
  /** The session is open but not visible. */
  'background',
  /** The session is only on the disk. */
  'disk',
  /** Nobody has asked for it: it begins only while nothing else waits or runs. */
  'idle',
] as const;

export type Priority = (typeof PRIORITIES)[number];

export function isMoreUrgent(a: Priority, b: Priority): boolean {
  return PRIORITIES.indexOf(a) < PRIORITIES.indexOf(b);
}

/** A job that was refused, or that had not begun when its queue was closed. */
export class QueueClosedError extends Error {
  readonly code = 'queue-closed';

  constructor(session: string) {
    super(`Failed to process ${session}: the worker is shutting down`);
    this.name = 'QueueClosedError';
  }
}

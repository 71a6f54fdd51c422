import { type JobEvent, JobQueue } from '../../rooms/sessions';
import { settle } from './fakes';

export interface Results {
  readonly scan: string;
  readonly repair: number;
}

/** A job that runs until the test ends it. */
export interface RunningJob {
  readonly kind: keyof Results;
  readonly session: string;
  readonly end: () => void;
  readonly fail: (error: Error) => void;
}

/** A queue whose jobs run until the test ends them. */
export class ControlledWork {
  readonly queue: JobQueue<Results>;
  /** Every job that was started, in order, as `kind session`. */
  readonly begun: string[] = [];
  readonly events: JobEvent<Results>[] = [];
  running: RunningJob[] = [];

  constructor(concurrency: number) {
    this.queue = new JobQueue<Results>({
      work: {
        scan: (session) => this.#begin('scan', session, `result of ${session}`),
        repair: (session) => this.#begin('repair', session, session.length),
      },
      concurrency,
      onEvent: (event) => this.events.push(event),
    });
  }

  /** Ends the running job of the session and waits until everything that follows from it has happened. */
  async end(session: string): Promise<void> {
    this.#runningOf(session).end();
    await settle();
  }

  async fail(session: string, error: Error): Promise<void> {
    this.#runningOf(session).fail(error);
    await settle();
  }

  #begin<Result>(kind: keyof Results, session: string, result: Result): Promise<Result> {
    this.begun.push(`${kind} ${session}`);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.running = this.running.filter((each) => each !== job);
      };
      const job: RunningJob = {
        kind,
        session,
        end: () => {
          leave();
          resolve(result);
        },
        fail: (error) => {
          leave();
          reject(error);
        },
      };
      this.running.push(job);
    });
  }

  #runningOf(session: string): RunningJob {
    const job = this.running.find((each) => each.session === session);
    if (job === undefined) throw new Error(`No job of ${session} runs`);
    return job;
  }
}

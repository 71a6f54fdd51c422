import { type BirpcReturn, createBirpc } from 'birpc';
import type { SessionFocus, WorkerApi, WorkerConfiguration, WorkerEvents } from '../../protocol/api/worker';
import { CALL_TIMEOUTS_MS, withLimit } from './callLimit';
import type { WorkerThread } from './workerThread';

export type WorkerCalls = BirpcReturn<WorkerApi, WorkerEvents>;

/** One worker thread, from its first message to its end. It is told its configuration before anything else. */
export class WorkerConnection {
  readonly #thread: WorkerThread;
  readonly #rpc: WorkerCalls;
  #configured: Promise<void>;
  /** Why no call is sent any more. */
  #closedBy: Error | null = null;

  constructor(thread: WorkerThread, configuration: WorkerConfiguration, receivers: WorkerEvents) {
    this.#thread = thread;
    this.#rpc = createBirpc<WorkerApi, WorkerEvents>(receivers, {
      post: (message: unknown) => {
        thread.post(message);
      },
      on: (listener) => {
        thread.onMessage(listener);
      },
      // Every call has its own limit.
      timeout: -1,
    });
    this.#configured = this.#rpc.configure(configuration);
    // Its callers see the rejection; there may be none.
    this.#configured.catch(() => undefined);
  }

  /** Calls that come later wait for it. */
  async configure(configuration: WorkerConfiguration): Promise<void> {
    // One that failed must not hold up the next.
    const before = this.#configured.catch(() => undefined);
    const configured = before.then(() => this.#open().configure(configuration));
    this.#configured = configured;
    configured.catch(() => undefined);
    await withLimit(configured, CALL_TIMEOUTS_MS.configure);
  }

  prioritise(focus: SessionFocus): void {
    // A thread that does not know what comes first does everything all the same.
    this.#rpc.prioritise(focus).catch(() => undefined);
  }

  async call<T>(send: (calls: WorkerCalls) => Promise<T>): Promise<T> {
    await this.#configured;
    return send(this.#open());
  }

  /** Rejects what is under way. */
  close(reason: Error): void {
    this.#closedBy ??= reason;
    this.#rpc.$close(reason);
  }

  /** Ends the thread, once what it must not leave half done is done, or after a while in any case. Never rejects. */
  async end(reason: Error): Promise<void> {
    // A thread that is stuck, or dead, is ended all the same.
    await withLimit(this.#rpc.drain(), CALL_TIMEOUTS_MS.drain).catch(() => undefined);
    this.close(reason);
    this.#thread.terminate();
  }

  #open(): WorkerCalls {
    if (this.#closedBy !== null) throw this.#closedBy;
    return this.#rpc;
  }
}

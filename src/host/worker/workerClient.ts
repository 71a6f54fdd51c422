import type { BirpcReturn } from 'birpc';
import { createBirpc } from 'birpc';
import type {
  ScanAllOptions,
  SessionDetails,
  SessionsSnapshot,
  WorkerApi,
  WorkerConfiguration,
  WorkerEvents,
} from '../../shared/api/worker';
import type { RepairOutcome } from '../../shared/repair';
import type { ScannedSession } from '../../shared/session';
import { Disposable } from '../lifetime/disposable';
import { Emitter } from '../lifetime/emitter';
import type { Log } from '../text/log';
import type { CallLimit } from './callLimit';
import { CALL_TIMEOUTS_MS, withLimit } from './callLimit';
import { RestartPolicy } from './restartPolicy';
import { WorkerError } from './workerError';
import type { WorkerThread } from './workerThread';

export interface WorkerClientParts {
  readonly startThread: () => WorkerThread;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly restarts?: RestartPolicy;
}

interface Connection {
  readonly thread: WorkerThread;
  readonly rpc: BirpcReturn<WorkerApi, WorkerEvents>;
  readonly startedMs: number;
  /** The thread knows its configuration: no other call is sent before. */
  configured: Promise<void>;
}

type ClientState =
  | { readonly kind: 'asleep' }
  | { readonly kind: 'connected'; readonly connection: Connection }
  | { readonly kind: 'restarting'; readonly connection: Promise<Connection>; readonly cancel: () => void }
  | { readonly kind: 'gave-up'; readonly reason: string };

/**
 * The worker thread, as the host calls it. It starts with the first call. When it dies, the calls under way reject with
 * a `WorkerError`, and it starts again after a while, with the configuration it had.
 */
export class WorkerClient extends Disposable {
  readonly #parts: WorkerClientParts;
  readonly #restarts: RestartPolicy;
  readonly #snapshots = this._register(new Emitter<SessionsSnapshot>());
  readonly #restarted = this._register(new Emitter<void>());
  readonly #gaveUp = this._register(new Emitter<string>());
  #state: ClientState = { kind: 'asleep' };
  #configuration: WorkerConfiguration | null = null;

  /** Each snapshot replaces the one before. */
  readonly onSnapshot = this.#snapshots.event;
  /** A thread took the place of a dead one; it knows no session yet. */
  readonly onRestarted = this.#restarted.event;
  /** It died too often in a row, for the reason given. A scan of everything tries again. */
  readonly onGaveUp = this.#gaveUp.event;

  constructor(parts: WorkerClientParts) {
    super();
    this.#parts = parts;
    this.#restarts = parts.restarts ?? new RestartPolicy();
  }

  override dispose(): void {
    if (this.#state.kind === 'restarting') this.#state.cancel();
    if (this.#state.kind === 'connected') {
      const { rpc, thread } = this.#state.connection;
      rpc.$close(unavailable('the extension is shutting down'));
      thread.terminate();
    }
    this.#state = { kind: 'gave-up', reason: 'the extension is shutting down' };
    super.dispose();
  }

  /** To be called before anything else. Starts no thread; one that starts later is told. */
  async configure(configuration: WorkerConfiguration): Promise<void> {
    this.#configuration = configuration;
    if (this.#state.kind !== 'connected') return;
    const { connection } = this.#state;
    // One that failed must not hold up the next.
    const before = connection.configured.catch(() => undefined);
    connection.configured = before.then(() => connection.rpc.configure(configuration));
    connection.configured.catch(() => undefined);
    await withLimit(connection.configured, CALL_TIMEOUTS_MS.configure);
  }

  /** Takes as long as there are sessions. The signal ends the waiting, not the scan. */
  async scanAll(options: ScanAllOptions, signal: AbortSignal): Promise<void> {
    if (this.#state.kind === 'gave-up' && !this.isDisposed) {
      this.#restarts.reset();
      this.#state = { kind: 'asleep' };
    }
    await this.#call((rpc) => rpc.scanAll(options), signal);
  }

  scanSession(filePath: string): Promise<ScannedSession> {
    return this.#call((rpc) => rpc.scanSession(filePath), CALL_TIMEOUTS_MS.scanSession);
  }

  details(filePath: string): Promise<SessionDetails> {
    return this.#call((rpc) => rpc.details(filePath), CALL_TIMEOUTS_MS.details);
  }

  planRepair(filePath: string): Promise<RepairOutcome> {
    return this.#call((rpc) => rpc.planRepair(filePath), CALL_TIMEOUTS_MS.planRepair);
  }

  repair(filePath: string): Promise<RepairOutcome> {
    return this.#call((rpc) => rpc.repair(filePath), CALL_TIMEOUTS_MS.repair);
  }

  undoRepair(filePath: string): Promise<RepairOutcome> {
    return this.#call((rpc) => rpc.undoRepair(filePath), CALL_TIMEOUTS_MS.undoRepair);
  }

  #call<T>(send: (rpc: Connection['rpc']) => Promise<T>, limit: CallLimit): Promise<T> {
    const work = async (): Promise<T> => {
      const connection = await this.#connection();
      await connection.configured;
      return send(connection.rpc);
    };
    return withLimit(work(), limit);
  }

  async #connection(): Promise<Connection> {
    switch (this.#state.kind) {
      case 'asleep':
        return this.#connect();
      case 'connected':
      case 'restarting':
        return this.#state.connection;
      case 'gave-up':
        throw unavailable(this.#state.reason);
    }
  }

  #connect(): Connection {
    const configuration = this.#configuration;
    if (configuration === null) throw unavailable('no configuration was given');
    const thread = this.#parts.startThread();
    const receivers: WorkerEvents = {
      sessionsChanged: (snapshot) => {
        this.#snapshots.fire(snapshot);
      },
      log: (level, message) => {
        this.#parts.log[level](message);
      },
    };
    const rpc = createBirpc<WorkerApi, WorkerEvents>(receivers, {
      post: (message: unknown) => {
        thread.post(message);
      },
      on: (listener) => {
        thread.onMessage(listener);
      },
      // Every call has its own limit.
      timeout: -1,
    });
    const configured = rpc.configure(configuration);
    // Its callers see the rejection; there may be none.
    configured.catch(() => undefined);
    const connection: Connection = { thread, rpc, startedMs: this.#parts.now(), configured };
    thread.onDeath((reason) => {
      this.#outlive(connection, reason);
    });
    this.#state = { kind: 'connected', connection };
    return connection;
  }

  #outlive(connection: Connection, reason: string): void {
    if (this.isDisposed) return;
    this.#parts.log.error(`The worker thread ended: ${reason}`);
    const delayMs = this.#restarts.delayAfterDeath(this.#parts.now() - connection.startedMs);
    if (delayMs === null) {
      this.#state = { kind: 'gave-up', reason };
      this.#gaveUp.fire(reason);
    } else {
      this.#state = this.#restartAfter(delayMs);
    }
    connection.rpc.$close(new WorkerError('worker-died', `The worker thread ended: ${reason}`));
  }

  #restartAfter(delayMs: number): ClientState {
    let cancel: () => void = () => undefined;
    const connection = new Promise<Connection>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#parts.log.info('The worker thread is started again');
        resolve(this.#connect());
        this.#restarted.fire();
      }, delayMs);
      cancel = () => {
        clearTimeout(timer);
        reject(unavailable('the extension is shutting down'));
      };
    });
    connection.catch(() => undefined);
    return { kind: 'restarting', connection, cancel };
  }
}

function unavailable(why: string): WorkerError {
  return new WorkerError('worker-unavailable', `The worker thread is not running: ${why}`);
}

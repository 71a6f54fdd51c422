import type { ConversationsApi } from '../../protocol/api/conversation';
import type { RewindingApi } from '../../protocol/api/rewinding';
import type { SearchMatch, SearchProgress } from '../../protocol/api/search';
import type { TasksApi } from '../../protocol/api/tasks';
import type { UsageApi } from '../../protocol/api/usage';
import type {
  ScanAllOptions,
  SessionDetails,
  SessionFocus,
  SessionsUpdate,
  WorkerConfiguration,
} from '../../protocol/api/worker';
import type { ConversationHead } from '../../protocol/conversation';
import type { RepairOutcome } from '../../protocol/repair';
import type { ScannedSession } from '../../protocol/session';
import type { TaskList } from '../../protocol/task';
import type { UsageOverview } from '../../protocol/usage';
import { Disposable, Emitter } from '../lifetime';
import type { Log } from '../services';
import { CALL_TIMEOUTS_MS, withLimit } from './callLimit';
import { type CallWorker, createConversationCalls } from './conversationCalls';
import { createLongCalls, type LongCalls } from './longCalls';
import { RestartPolicy } from './restartPolicy';
import { createRewindingCalls } from './rewindingCalls';
import { createTasksCalls } from './tasksCalls';
import { createUsageCalls } from './usageCalls';
import { WorkerConnection } from './workerConnection';
import { WorkerError } from './workerError';
import type { WorkerThread } from './workerThread';

export interface WorkerClientParts {
  readonly startThread: () => WorkerThread;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly restarts?: RestartPolicy;
}

/** What a search has found since it told last, and how far it is. */
export interface SearchNews {
  readonly searchId: string;
  readonly matches: readonly SearchMatch[];
  readonly progress: SearchProgress;
}

export interface ExportNews {
  readonly exportId: string;
  readonly itemsDone: number;
  readonly itemsTotal: number;
}

type ClientState =
  | { readonly kind: 'asleep' }
  | { readonly kind: 'connected'; readonly connection: WorkerConnection }
  | { readonly kind: 'restarting'; readonly connection: Promise<WorkerConnection>; readonly cancel: () => void }
  | { readonly kind: 'gave-up'; readonly reason: string }
  | { readonly kind: 'ended' };

/**
 * The worker thread, as the host calls it. It starts with the first call. When it dies, the calls under way reject with
 * a `WorkerError`, and it starts again after a while, with the configuration and the priorities it had.
 */
export class WorkerClient extends Disposable {
  readonly #parts: WorkerClientParts;
  readonly #restarts: RestartPolicy;
  readonly #updates = this._register(new Emitter<SessionsUpdate>());
  readonly #restarted = this._register(new Emitter<void>());
  readonly #gaveUp = this._register(new Emitter<string>());
  readonly #conversationChanged = this._register(new Emitter<ConversationHead>());
  readonly #tasksChanged = this._register(new Emitter<TaskList>());
  readonly #usageChanged = this._register(new Emitter<UsageOverview>());
  readonly #searchNews = this._register(new Emitter<SearchNews>());
  readonly #exportNews = this._register(new Emitter<ExportNews>());
  #state: ClientState = { kind: 'asleep' };
  #configuration: WorkerConfiguration | null = null;
  #focus: SessionFocus | null = null;
  #ending: Promise<void> = Promise.resolve();

  /** In order; each builds on the ones before. */
  readonly onUpdate = this.#updates.event;
  /** A thread took the place of a dead one, after a while or because the person asked; it knows no session yet. */
  readonly onRestarted = this.#restarted.event;
  /** It died too often in a row, for the reason given. `tryAgain`, and a scan of everything, start it again. */
  readonly onGaveUp = this.#gaveUp.event;
  readonly onConversationChanged = this.#conversationChanged.event;
  readonly onTasksChanged = this.#tasksChanged.event;
  readonly onUsageChanged = this.#usageChanged.event;
  readonly onSearchNews = this.#searchNews.event;
  readonly onExportNews = this.#exportNews.event;

  readonly #call: CallWorker = (send, limit) =>
    withLimit(
      this.#connection().then((connection) => connection.call(send)),
      limit,
    );
  readonly conversations: ConversationsApi = createConversationCalls(this.#call);
  readonly tasks: TasksApi = createTasksCalls(this.#call);
  readonly usage: UsageApi = createUsageCalls(this.#call);
  /** Forks, rewinds and checkpoints. */
  readonly rewinding: RewindingApi = createRewindingCalls(this.#call);
  /** Searches and exports. */
  readonly long: LongCalls = createLongCalls(this.#call);

  constructor(parts: WorkerClientParts) {
    super();
    this.#parts = parts;
    this.#restarts = parts.restarts ?? new RestartPolicy();
  }

  /**
   * Refuses calls from here on. Resolves when the thread has ended; what it must not leave half done is done first.
   */
  shutDown(): Promise<void> {
    const state = this.#state;
    this.#state = { kind: 'ended' };
    if (state.kind === 'restarting') state.cancel();
    if (state.kind === 'connected') this.#ending = state.connection.end(shuttingDown());
    return this.#ending;
  }

  override dispose(): void {
    void this.shutDown();
    super.dispose();
  }

  /** It died too often in a row: calls are rejected until somebody wants to try again. */
  get hasGivenUp(): boolean {
    return this.#state.kind === 'gave-up';
  }

  /** Starts the thread again where it had given up. */
  tryAgain(): void {
    if (this.#state.kind !== 'gave-up') return;
    this.#restarts.reset();
    this.#connect();
    this.#restarted.fire();
  }

  /** To be called before anything else. Starts no thread; one that starts later is told. */
  async configure(configuration: WorkerConfiguration): Promise<void> {
    this.#configuration = configuration;
    if (this.#state.kind === 'connected') await this.#state.connection.configure(configuration);
  }

  /** Which sessions come first from here on. Starts no thread; one that starts later is told. */
  prioritise(focus: SessionFocus): void {
    this.#focus = focus;
    if (this.#state.kind === 'connected') this.#state.connection.prioritise(focus);
  }

  /** Takes as long as there are sessions. The signal ends the waiting, not the scan. */
  async scanAll(options: ScanAllOptions, signal: AbortSignal): Promise<void> {
    this.tryAgain();
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

  async #connection(): Promise<WorkerConnection> {
    switch (this.#state.kind) {
      case 'asleep':
        return this.#connect();
      case 'connected':
      case 'restarting':
        return this.#state.connection;
      case 'gave-up':
        throw unavailable(this.#state.reason);
      case 'ended':
        throw shuttingDown();
    }
  }

  #connect(): WorkerConnection {
    const configuration = this.#configuration;
    if (configuration === null) throw unavailable('no configuration was given');
    const thread = this.#parts.startThread();
    const startedMs = this.#parts.now();
    const connection = new WorkerConnection(thread, configuration, {
      sessionsChanged: (update) => {
        this.#updates.fire(update);
      },
      conversationChanged: (head) => {
        this.#conversationChanged.fire(head);
      },
      tasksChanged: (list) => {
        this.#tasksChanged.fire(list);
      },
      usageChanged: (overview) => {
        this.#usageChanged.fire(overview);
      },
      searchFound: (searchId, matches, progress) => {
        this.#searchNews.fire({ searchId, matches, progress });
      },
      exportProgress: (exportId, itemsDone, itemsTotal) => {
        this.#exportNews.fire({ exportId, itemsDone, itemsTotal });
      },
      log: (level, message) => {
        this.#parts.log[level](message);
      },
    });
    if (this.#focus !== null) connection.prioritise(this.#focus);
    thread.onDeath((reason) => {
      if (this.#state.kind !== 'ended') this.#restart(reason, this.#parts.now() - startedMs);
      connection.close(new WorkerError('worker-died', `The worker thread ended: ${reason}`));
    });
    this.#state = { kind: 'connected', connection };
    return connection;
  }

  #restart(reason: string, livedMs: number): void {
    this.#parts.log.error(`The worker thread ended: ${reason}`);
    const delayMs = this.#restarts.delayAfterDeath(livedMs);
    if (delayMs === null) {
      this.#state = { kind: 'gave-up', reason };
      this.#gaveUp.fire(reason);
    } else {
      this.#state = this.#restartAfter(delayMs);
    }
  }

  #restartAfter(delayMs: number): ClientState {
    let cancel: () => void = () => undefined;
    const connection = new Promise<WorkerConnection>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#parts.log.info('The worker thread is started again');
        resolve(this.#connect());
        this.#restarted.fire();
      }, delayMs);
      cancel = () => {
        clearTimeout(timer);
        reject(shuttingDown());
      };
    });
    connection.catch(() => undefined);
    return { kind: 'restarting', connection, cancel };
  }
}

function unavailable(why: string): WorkerError {
  return new WorkerError('worker-unavailable', `The worker thread is not running: ${why}`);
}

function shuttingDown(): WorkerError {
  return unavailable('the extension is shutting down');
}

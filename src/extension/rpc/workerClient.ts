import { Worker } from 'node:worker_threads';
import { type BirpcReturn, createBirpc } from 'birpc';
import { type Calls, type Channel, type EventValue, wireName } from '../../protocol/channel';
import { alarmsChannel } from '../../protocol/channels/alarms';
import { childrenChannel } from '../../protocol/channels/children';
import { conversationChannel } from '../../protocol/channels/conversation';
import { exportsChannel } from '../../protocol/channels/exports';
import { historyChannel } from '../../protocol/channels/history';
import { preflightChannel } from '../../protocol/channels/preflight';
import { searchChannel } from '../../protocol/channels/search';
import { type SessionFocus, sessionsChannel } from '../../protocol/channels/sessions';
import { tasksChannel } from '../../protocol/channels/tasks';
import { terminalsChannel } from '../../protocol/channels/terminals';
import { usageChannel } from '../../protocol/channels/usage';
import { type WorkerCalls, workerChannel, type WorkerConfiguration } from '../../protocol/channels/worker';
import {
  createCalls,
  eventHandlers,
  type EventHandlers,
  type Outgoing,
  type Send,
  withLimit,
} from '../../protocol/rpcClient';
import { Disposable, Emitter, type Listen } from '../lifetime';
import type { Log } from '../log';
import { WorkerError } from './workerError';

export interface WorkerClientDeps {
  readonly startThread: () => WorkerThread;
  /** The current settings; null if they name no usable config folder. */
  readonly readConfiguration: () => WorkerConfiguration | null;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly restarts?: RestartPolicy;
}

/** The calls of a channel, and its events: `onChanged` for the event `changed`. */
export type ChannelClient<C extends Channel> = Calls<C> & {
  readonly [K in keyof C['events'] & string as `on${Capitalize<K>}`]: Listen<EventValue<C['events'][K]>>;
};

type ClientState =
  | { readonly kind: 'asleep' }
  | { readonly kind: 'connected'; readonly connection: WorkerConnection }
  | { readonly kind: 'restarting'; readonly connection: Promise<WorkerConnection>; readonly cancel: () => void }
  | { readonly kind: 'gave-up'; readonly reason: string }
  | { readonly kind: 'ended' };

/**
 * The extension's side of the worker thread. The thread starts with the first call and is configured from the current
 * settings. When it dies, pending calls reject with a `WorkerError`, and it restarts after a delay with the priorities it
 * had.
 */
export class WorkerClient extends Disposable {
  readonly #deps: WorkerClientDeps;
  readonly #restarts: RestartPolicy;
  readonly #restarted = this._register(new Emitter<void>());
  readonly #gaveUp = this._register(new Emitter<string>());
  readonly #handlers: EventHandlers;
  #state: ClientState = { kind: 'asleep' };
  /** The last configuration that named a config folder. */
  #configuration: WorkerConfiguration | null = null;
  #focus: SessionFocus | null = null;
  #ending: Promise<void> = Promise.resolve();

  /** Fires when a thread has replaced a dead one, after a delay or on request; it knows no session yet. */
  readonly onRestarted = this.#restarted.event;
  /** Fires with the reason when the thread died too often in a row. `tryAgain` starts it again. */
  readonly onGaveUp = this.#gaveUp.event;

  readonly sessions: ChannelClient<typeof sessionsChannel>;
  readonly alarms: ChannelClient<typeof alarmsChannel>;
  readonly children: ChannelClient<typeof childrenChannel>;
  readonly conversation: ChannelClient<typeof conversationChannel>;
  readonly search: ChannelClient<typeof searchChannel>;
  readonly exports: ChannelClient<typeof exportsChannel>;
  readonly tasks: ChannelClient<typeof tasksChannel>;
  readonly usage: ChannelClient<typeof usageChannel>;
  readonly preflights: ChannelClient<typeof preflightChannel>;
  readonly history: ChannelClient<typeof historyChannel>;
  readonly terminals: ChannelClient<typeof terminalsChannel>;

  constructor(deps: WorkerClientDeps) {
    super();
    this.#deps = deps;
    this.#restarts = deps.restarts ?? new RestartPolicy();
    this.#handlers = eventHandlers(workerChannel, {
      log: (level, message) => {
        deps.log[level](message);
      },
    });
    this.sessions = this.#clientOf(sessionsChannel);
    this.alarms = this.#clientOf(alarmsChannel);
    this.children = this.#clientOf(childrenChannel);
    this.conversation = this.#clientOf(conversationChannel);
    this.search = this.#clientOf(searchChannel);
    this.exports = this.#clientOf(exportsChannel);
    this.tasks = this.#clientOf(tasksChannel);
    this.usage = this.#clientOf(usageChannel);
    this.preflights = this.#clientOf(preflightChannel);
    this.history = this.#clientOf(historyChannel);
    this.terminals = this.#clientOf(terminalsChannel);
  }

  /** Refuses further calls. Resolves when the thread has ended, after finishing work that must not be left half done. */
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

  /** The thread died too often in a row: calls are rejected until `tryAgain`. */
  get hasGivenUp(): boolean {
    return this.#state.kind === 'gave-up';
  }

  /** Restarts the thread after it was given up. */
  tryAgain(): void {
    if (this.#state.kind !== 'gave-up') return;
    this.#restarts.reset();
    this.#connect();
    this.#restarted.fire();
  }

  /**
   * Called when settings or workspace folders changed: a running thread is notified before any later call. Starts no thread.
   * Rejects if the thread does not accept the configuration.
   */
  async reconfigure(): Promise<void> {
    if (this.#state.kind !== 'connected') return;
    const configuration = this.#deps.readConfiguration();
    if (configuration === null) return;
    this.#configuration = configuration;
    await this.#state.connection.configure(configuration);
  }

  /** Sets which sessions come first. Starts no thread; a thread that starts later gets the latest value. */
  prioritise(focus: SessionFocus): void {
    this.#focus = focus;
    if (this.#state.kind === 'connected') this.#state.connection.prioritise(focus);
  }

  readonly #send: Send = (outgoing) =>
    withLimit(
      this.#connection().then((connection) => connection.send(outgoing)),
      outgoing.limit,
      timedOut,
    );

  #clientOf<C extends Channel>(channel: C): ChannelClient<C> {
    const listens = Object.keys(channel.events).map((name) => {
      const emitter = this._register(new Emitter<unknown>());
      this.#handlers[wireName(channel, name)] = (value: unknown) => {
        emitter.fire(value);
      };
      return [`on${name.charAt(0).toUpperCase()}${name.slice(1)}`, emitter.event];
    });
    // SAFETY: one entry per event of the channel; every event that a worker sends has a single value.
    return { ...createCalls(channel, this.#send), ...Object.fromEntries(listens) } as ChannelClient<C>;
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
    const configuration = this.#deps.readConfiguration() ?? this.#configuration;
    if (configuration === null) throw unavailable('the settings name no usable config folder');
    this.#configuration = configuration;
    const thread = this.#deps.startThread();
    const startedMs = this.#deps.now();
    const connection = new WorkerConnection(thread, configuration, this.#handlers);
    if (this.#focus !== null) connection.prioritise(this.#focus);
    thread.onDeath((reason) => {
      const life = { livedMs: this.#deps.now() - startedMs, hasStarted: connection.hasStarted };
      if (this.#state.kind !== 'ended') this.#restart(reason, life);
      connection.close(new WorkerError('worker-died', `The worker thread ended: ${reason}`));
    });
    this.#state = { kind: 'connected', connection };
    return connection;
  }

  #restart(reason: string, life: ThreadLife): void {
    this.#deps.log.error(`The worker thread ended: ${reason}`);
    const delayMs = this.#restarts.delayAfterDeath(life);
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
        this.#deps.log.info('The worker thread is started again');
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

/** One worker thread, from its first message to its end. The configuration is sent before anything else. */
class WorkerConnection {
  readonly #thread: WorkerThread;
  readonly #rpc: BirpcReturn<object, object, false>;
  /** Calls that do not wait for the configuration. */
  readonly #worker: Pick<WorkerCalls, 'prioritise' | 'drain'>;
  #configured: Promise<unknown>;
  /** Why calls are no longer sent. */
  #closedBy: Error | null = null;
  #hasStarted = false;

  constructor(thread: WorkerThread, configuration: WorkerConfiguration, handlers: EventHandlers) {
    this.#thread = thread;
    this.#rpc = createBirpc<object, object, false>(handlers, {
      post: (message: unknown) => {
        thread.post(message);
      },
      on: (listener) => {
        thread.onMessage(listener);
      },
      proxify: false,
      // birpc's own timeout is off, since every call has its own limit.
      timeout: -1,
    });
    this.#worker = createCalls(workerChannel, (outgoing) => withLimit(this.#post(outgoing), outgoing.limit, timedOut));
    // Without a limit: everything that awaits it has its own.
    this.#configured = this.#post(configureWith(configuration)).then(() => {
      this.#hasStarted = true;
    });
    // Callers that await it see the rejection; this prevents an unhandled one if there are none.
    this.#configured.catch(() => undefined);
  }

  /** Whether the thread has accepted its first configuration. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** Later calls wait for it. */
  async configure(configuration: WorkerConfiguration): Promise<void> {
    // A failed configuration must not block the next one.
    const before = this.#configured.catch(() => undefined);
    const configured = before.then(() => this.#post(configureWith(configuration)));
    this.#configured = configured;
    configured.catch(() => undefined);
    await withLimit(configured, workerChannel.calls.configure.timeoutMs, timedOut);
  }

  prioritise(focus: SessionFocus): void {
    // Priorities are optional: without them, the thread still does everything.
    this.#worker.prioritise(focus).catch(() => undefined);
  }

  /** Without a limit: the caller's limit started before the thread existed. */
  async send(outgoing: Outgoing): Promise<unknown> {
    await this.#configured;
    return this.#post(outgoing);
  }

  /** Rejects pending calls. */
  close(reason: Error): void {
    this.#closedBy ??= reason;
    this.#rpc.$close(reason);
  }

  /** Resolves when the thread has ended, after finishing work that must not be left half done, or after a timeout. Never rejects. */
  async end(reason: Error): Promise<void> {
    const isDrained = await this.#worker.drain().then(
      () => true,
      () => false,
    );
    this.close(reason);
    // A thread that is stuck or dead does not end by itself.
    await this.#thread.end(isDrained ? OWN_END_MS : 0);
  }

  async #post({ method, args }: Pick<Outgoing, 'method' | 'args'>): Promise<unknown> {
    if (this.#closedBy !== null) throw this.#closedBy;
    return this.#rpc.$callRaw({ method, args: [...args] });
  }
}

function configureWith(configuration: WorkerConfiguration): Pick<Outgoing, 'method' | 'args'> {
  return { method: wireName(workerChannel, 'configure'), args: [configuration] };
}

function timedOut(afterMs: number): WorkerError {
  return new WorkerError('timeout', `No answer within ${afterMs} ms`);
}

function unavailable(why: string): WorkerError {
  return new WorkerError('worker-unavailable', `The worker thread is not running: ${why}`);
}

function shuttingDown(): WorkerError {
  return unavailable('the extension is shutting down');
}

/** Delays before the first, second… restart in a row, in milliseconds. Their number limits the restarts. */
const RESTART_DELAYS_MS: readonly number[] = [250, 1000, 4000, 15_000];

/** A thread that lived this long was healthy: its death counts as the first in a row. */
const HEALTHY_AFTER_MS = 60_000;

/** A thread that ends before it has started, twice in a row, will not start by itself: its files are damaged or missing. */
const MAX_FAILED_STARTS = 2;

export interface ThreadLife {
  /** From the start of the thread to its death, in milliseconds. */
  readonly livedMs: number;
  /** It had loaded its program and accepted its configuration. */
  readonly hasStarted: boolean;
}

/** Counts deaths and computes the delay before a restart; null to give up. */
export class RestartPolicy {
  readonly #delaysMs: readonly number[];
  #deathsInRow = 0;
  #failedStartsInRow = 0;

  constructor(delaysMs = RESTART_DELAYS_MS) {
    this.#delaysMs = delaysMs;
  }

  delayAfterDeath({ livedMs, hasStarted }: ThreadLife): number | null {
    if (livedMs >= HEALTHY_AFTER_MS) this.#deathsInRow = 0;
    this.#failedStartsInRow = hasStarted ? 0 : this.#failedStartsInRow + 1;
    if (this.#failedStartsInRow >= MAX_FAILED_STARTS) return null;
    return this.#delaysMs[this.#deathsInRow++] ?? null;
  }

  /** The person asked to try again. */
  reset(): void {
    this.#deathsInRow = 0;
    this.#failedStartsInRow = 0;
  }
}

/** The parts of a running worker thread that its client needs. */
export interface WorkerThread {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once, if the thread ends without a request. */
  onDeath(listener: (reason: string) => void): void;
  /** Terminates the thread unless it ends by itself within this time. Resolves when it has ended. Never rejects. */
  end(withinMs: number): Promise<void>;
}

/** A thread that answered the last call ends by itself at once; in milliseconds. */
const OWN_END_MS = 500;

/** Starts the bundled worker. `entryPath` is absolute. */
export function startWorkerThread(entryPath: string): WorkerThread {
  const worker = new Worker(entryPath, { name: 'rethread' });
  let reason: string | null = null;
  let isEnding = false;
  const exited = new Promise<number>((resolve) => worker.once('exit', resolve));
  // Always has a listener: an `error` event without one would end the extension host.
  worker.on('error', (error: unknown) => {
    reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  });
  return {
    post: (message) => {
      worker.postMessage(message);
    },
    onMessage: (listener) => {
      worker.on('message', listener);
    },
    onDeath: (listener) => {
      void exited.then((exitCode) => {
        if (!isEnding) listener(reason ?? `exit code ${exitCode}`);
      });
    },
    end: async (withinMs) => {
      isEnding = true;
      await withLimit(exited, withinMs, timedOut).catch(() => undefined);
      await worker.terminate();
    },
  };
}

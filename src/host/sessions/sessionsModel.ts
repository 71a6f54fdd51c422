import type { ScanAllOptions, SessionsSnapshot, WorkerConfiguration } from '../../shared/api/worker';
import { Disposable } from '../lifetime/disposable';
import { Emitter } from '../lifetime/emitter';
import type { Log } from '../text/log';
import type { WorkerClient } from '../worker/workerClient';
import { MergedSessions } from './mergedSessions';
import type { ModelProblem } from './sessionsState';
import { allSessions } from './sessionsState';

/** Looking again when the view comes back is worth it after this long. */
const STALE_AFTER_MS = 30_000;

const TELL_INTERVAL_MS = 200;

export interface SessionsModelParts {
  readonly client: Pick<WorkerClient, 'configure' | 'scanAll' | 'onUpdate' | 'onRestarted' | 'onGaveUp'>;
  /** null when the settings name no usable config folder. */
  readonly readConfiguration: () => WorkerConfiguration | null;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The sessions as the window knows them, and when to ask for them again. */
export class SessionsModel extends Disposable {
  readonly #parts: SessionsModelParts;
  readonly #changed = this._register(new Emitter<void>());
  readonly #lifetime = new AbortController();
  #configuration: WorkerConfiguration | null = null;
  readonly #merged = new MergedSessions();
  #problem: ModelProblem | null = null;
  #scan: Promise<void> | null = null;
  #lastScanEndMs: number | null = null;
  #lastToldMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  readonly onChange = this.#changed.event;

  constructor(parts: SessionsModelParts) {
    super();
    this.#parts = parts;
    this._register({
      dispose: () => {
        this.#lifetime.abort();
        clearTimeout(this.#timer);
      },
    });
    this._register(
      parts.client.onUpdate((update) => {
        this.#merged.apply(update);
        this.#tellSoon();
      }),
    );
    this._register(
      parts.client.onRestarted(() => {
        // A scan that is under way has started the thread, or waits for it.
        if (this.#scan === null) void this.scanAll();
      }),
    );
    this._register(
      parts.client.onGaveUp(() => {
        this.#problem = 'worker-gave-up';
        this.#changed.fire();
      }),
    );
  }

  get snapshot(): SessionsSnapshot {
    return this.#merged.of(this.configDir);
  }

  get problem(): ModelProblem | null {
    return this.#problem;
  }

  /** The scan of everything that is under way. Never rejects. */
  get scan(): Promise<void> | null {
    return this.#scan;
  }

  /** Where the sessions are read from; null before the first scan. */
  get configDir(): string | null {
    return this.#configuration?.configDir ?? null;
  }

  /** Whether anything has asked for the sessions; until then no thread runs. */
  get isStarted(): boolean {
    return this.#scan !== null || this.#lastScanEndMs !== null;
  }

  /** The first scan; once there has been one, nothing more. Never rejects: what fails is shown. */
  async start(): Promise<void> {
    if (this.isStarted) await this.#scan;
    else await this.scanAll();
  }

  /** Lists everything and scans what changed. Never rejects: what fails is shown. */
  async scanAll(options: ScanAllOptions = {}): Promise<void> {
    const scan = this.#scanAll(options);
    this.#scan = scan;
    this.#changed.fire();
    await scan;
    // A later scan may have taken its place.
    if (this.#scan !== scan) return;
    this.#scan = null;
    this.#lastScanEndMs = this.#parts.now();
    this.#changed.fire();
  }

  async refreshIfStale(): Promise<void> {
    const isStale = this.#lastScanEndMs === null || this.#parts.now() - this.#lastScanEndMs > STALE_AFTER_MS;
    if (this.#scan === null && isStale) await this.scanAll();
  }

  /** Settings or workspace folders changed. */
  async reconfigure(): Promise<void> {
    if (!this.isStarted) return;
    const before = this.#configuration;
    const configuration = this.#parts.readConfiguration();
    if (configuration === null || configuration.configDir !== before?.configDir) {
      this.#configuration = configuration;
      await this.scanAll();
      return;
    }
    this.#configuration = configuration;
    await this.#parts.client.configure(configuration).catch((error: unknown) => {
      this.#parts.log.error(`Failed to configure the worker thread: ${String(error)}`);
    });
  }

  /** Thousands of sessions come in dozens of updates; whoever shows them draws them at most so often. */
  #tellSoon(): void {
    if (this.#timer !== undefined) return;
    const tell = (): void => {
      this.#timer = undefined;
      this.#lastToldMs = this.#parts.now();
      this.#changed.fire();
    };
    const waitMs = this.#lastToldMs + TELL_INTERVAL_MS - this.#parts.now();
    if (waitMs <= 0) tell();
    else this.#timer = setTimeout(tell, waitMs);
  }

  async #scanAll(options: ScanAllOptions): Promise<void> {
    const configuration = this.#parts.readConfiguration();
    this.#configuration = configuration;
    this.#problem = configuration === null ? 'invalid-config-dir' : null;
    if (configuration === null) return;
    try {
      await this.#parts.client.configure(configuration);
      await this.#parts.client.scanAll(options, this.#lifetime.signal);
      const sessions = allSessions(this.snapshot);
      const corrupted = sessions.filter((session) => session.health === 'corrupted').length;
      this.#parts.log.info(`Sessions in ${configuration.configDir}: ${sessions.length}, corrupted: ${corrupted}`);
    } catch (error) {
      // A restarted thread is asked again, and one that gave up is shown as such.
      if (!this.isDisposed) this.#parts.log.warn(`A scan of all sessions ended early: ${String(error)}`);
    }
  }
}

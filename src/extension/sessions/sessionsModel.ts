import type { ScanAllOptions, SessionsSnapshot } from '../../protocol/channels/sessions';
import type { WorkerConfiguration } from '../../protocol/channels/worker';
import { Disposable, Emitter } from '../lifetime';
import type { WorkerClient } from '../rpc/workerClient';
import type { Log } from '../log';
import { MergedFolders } from './mergedFolders';
import { allSessions, type ModelProblem } from './sessionsState';

/** When the view becomes visible again after this long, the sessions are scanned again. */
const STALE_AFTER_MS = 30_000;

const FIRE_INTERVAL_MS = 200;

export interface SessionsModelDeps {
  readonly client: Pick<WorkerClient, 'onRestarted' | 'onGaveUp' | 'tryAgain'> & {
    readonly sessions: Pick<WorkerClient['sessions'], 'scanAll' | 'onSessionsChanged'>;
  };
  /** null if the settings name no usable config folder. */
  readonly readConfiguration: () => WorkerConfiguration | null;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The sessions known to the window; decides when to request them again. */
export class SessionsModel extends Disposable {
  readonly #deps: SessionsModelDeps;
  readonly #changed = this._register(new Emitter<void>());
  readonly #lifetime = new AbortController();
  #configuration: WorkerConfiguration | null = null;
  readonly #merged = new MergedFolders();
  #problem: ModelProblem | null = null;
  #scan: Promise<void> | null = null;
  #lastScanEndMs: number | null = null;
  #lastFiredMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  readonly onChange = this.#changed.event;

  constructor(deps: SessionsModelDeps) {
    super();
    this.#deps = deps;
    this._register({
      dispose: () => {
        this.#lifetime.abort();
        clearTimeout(this.#timer);
      },
    });
    this._register(
      deps.client.sessions.onSessionsChanged((update) => {
        this.#merged.apply(update);
        this.#fireSoon();
      }),
    );
    this._register(
      deps.client.onRestarted(() => {
        // A running scan has started the thread, or waits for it.
        if (this.#scan === null) void this.scanAll();
      }),
    );
    this._register(
      deps.client.onGaveUp(() => {
        this.#problem = 'worker-gave-up';
        this.#changed.fire();
      }),
    );
  }

  get snapshot(): SessionsSnapshot {
    return this.#merged.of(this.configDirs);
  }

  get problem(): ModelProblem | null {
    return this.#problem;
  }

  /** The running scan of all sessions. Never rejects. */
  get scan(): Promise<void> | null {
    return this.#scan;
  }

  /** Config folder that the sessions are read from; null before the first scan. */
  get configDir(): string | null {
    return this.#configuration?.configDir ?? null;
  }

  /** Absolute paths of all config folders, the main one first; empty before the first scan. */
  get configDirs(): readonly string[] {
    return this.#configuration === null ? [] : configDirsOf(this.#configuration);
  }

  /** Whether anything has requested the sessions; until then no thread runs. */
  get isStarted(): boolean {
    return this.#scan !== null || this.#lastScanEndMs !== null;
  }

  /** Runs the first scan; does nothing if there was one. Never rejects: errors are shown. */
  async start(): Promise<void> {
    if (this.isStarted) await this.#scan;
    else await this.scanAll();
  }

  /** Lists all sessions and scans those that changed. Never rejects: errors are shown. */
  async scanAll(options: ScanAllOptions = {}): Promise<void> {
    const scan = this.#scanAll(options);
    this.#scan = scan;
    this.#changed.fire();
    await scan;
    // A later scan may have replaced it.
    if (this.#scan !== scan) return;
    this.#scan = null;
    this.#lastScanEndMs = this.#deps.now();
    this.#changed.fire();
  }

  async refreshIfStale(): Promise<void> {
    const isStale = this.#lastScanEndMs === null || Math.abs(this.#deps.now() - this.#lastScanEndMs) > STALE_AFTER_MS;
    if (this.#scan === null && isStale) await this.scanAll();
  }

  /** Called when settings or workspace folders changed. */
  async reconfigure(): Promise<void> {
    if (!this.isStarted) return;
    const before = this.#configuration;
    const configuration = this.#deps.readConfiguration();
    const isSame = (a: readonly string[], b: readonly string[]): boolean => a.join('\n') === b.join('\n');
    const known = before === null ? [] : configDirsOf(before);
    if (configuration === null || !isSame(configDirsOf(configuration), known)) {
      this.#configuration = configuration;
      await this.scanAll();
      return;
    }
    this.#configuration = configuration;
  }

  /** Thousands of sessions arrive in dozens of updates; this limits how often listeners redraw. */
  #fireSoon(): void {
    if (this.#timer !== undefined) return;
    const fire = (): void => {
      this.#timer = undefined;
      this.#lastFiredMs = this.#deps.now();
      this.#changed.fire();
    };
    // A clock that was set back must not put it off.
    const waitMs = Math.min(this.#lastFiredMs + FIRE_INTERVAL_MS - this.#deps.now(), FIRE_INTERVAL_MS);
    if (waitMs <= 0) fire();
    else this.#timer = setTimeout(fire, waitMs);
  }

  async #scanAll(options: ScanAllOptions): Promise<void> {
    const configuration = this.#deps.readConfiguration();
    this.#configuration = configuration;
    this.#problem = configuration === null ? 'invalid-config-dir' : null;
    if (configuration === null) return;
    try {
      // A worker that had given up fires its restart event; this scan must be registered as the running one before that.
      await Promise.resolve();
      this.#deps.client.tryAgain();
      await this.#deps.client.sessions.scanAll(options, this.#lifetime.signal);
      const sessions = allSessions(this.snapshot);
      const corrupted = sessions.filter((session) => session.health === 'corrupted').length;
      this.#deps.log.info(`Sessions in ${configuration.configDir}: ${sessions.length}, corrupted: ${corrupted}`);
    } catch (error) {
      // After a restart, the scan is requested again; a worker that gave up is shown as such.
      if (!this.isDisposed) this.#deps.log.warn(`A scan of all sessions ended early: ${String(error)}`);
    }
  }
}

function configDirsOf({ configDir, extraConfigDirs }: WorkerConfiguration): readonly string[] {
  return [configDir, ...extraConfigDirs];
}

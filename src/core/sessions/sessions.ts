import type {
  ScanAllOptions,
  SessionDetails,
  SessionFocus,
  SessionsCalls,
  SessionsEvents,
} from '../../protocol/channels/sessions';
import type { WorkerCalls, WorkerConfiguration, WorkerEvents } from '../../protocol/channels/worker';
import type { RepairOutcome } from '../../protocol/repair';
import type { LiveStatus, QuickMetadata, ScannedSession } from '../../protocol/session';
import { encodeProjectPath } from '../providers/claude/format/paths';
import type { SessionProvider } from '../providers/provider';
import { ConfigDirSessions, type ConfigDirSessionsDeps } from './configDirSessions';
import type { SessionCache } from './sessionCache';
import type { WorkspaceFolder } from './summariseSession';

export interface SessionsDeps extends Pick<
  ConfigDirSessionsDeps,
  'files' | 'clock' | 'homeDir' | 'readEnds' | 'readSessionEnd'
> {
  readonly createProvider: (configDir: string) => SessionProvider;
  /** Called once for each folder. */
  readonly openCache: (folder: string) => SessionCache;
  readonly events: SessionsEvents & WorkerEvents;
}

const NO_FOCUS: SessionFocus = { active: [], visible: [], background: [] };

/** Until the host says how often open conversations are looked at. */
const DEFAULT_LIVE_POLL_MS = 200;

/** Everything the worker thread does for the config folder that it was told; conversations stand beside it. */
export class Sessions implements SessionsCalls, WorkerCalls {
  readonly #deps: SessionsDeps;
  readonly #caches = new Map<string, SessionCache>();
  #catalog: ConfigDirSessions | null = null;
  #provider: SessionProvider | null = null;
  #livePollMs = DEFAULT_LIVE_POLL_MS;
  #focus = NO_FOCUS;
  #configureNumber = 0;
  #revision = 0;
  #isDraining = false;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  /** How often open conversations are looked at, in milliseconds. */
  get livePollMs(): number {
    return this.#livePollMs;
  }

  /** What the host has told last; null before the first time. */
  get configuration(): WorkerConfiguration | null {
    return this.#catalog?.configuration ?? null;
  }

  /** Sessions are being listed and scanned. */
  get isScanning(): boolean {
    return this.#catalog?.isScanning ?? false;
  }

  /** Nothing is begun any more. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Sessions with a running client, by session id; none while the config folder is not known. */
  async liveSessions(): Promise<ReadonlyMap<string, LiveStatus>> {
    return (await this.#provider?.liveSessions()) ?? new Map();
  }

  async configure(configuration: WorkerConfiguration): Promise<void> {
    const number = ++this.#configureNumber;
    this.#livePollMs = configuration.livePollMs;
    const workspaceFolders = await Promise.all(configuration.workspaceFolders.map((path) => this.#lookUp(path)));
    if (number !== this.#configureNumber || this.#isDraining) return;
    const setup = { configuration, workspaceFolders };
    if (this.#catalog?.configDir === configuration.configDir) {
      this.#catalog.reconfigure(setup);
      return;
    }
    this.#catalog?.close();
    const { createProvider, events } = this.#deps;
    this.#provider = createProvider(configuration.configDir);
    const deps: ConfigDirSessionsDeps = {
      ...this.#deps,
      provider: this.#provider,
      cache: configuration.cacheDir === null ? null : this.#cacheIn(configuration.cacheDir),
      log: (level, message) => {
        events.log(level, message);
      },
      send: (update) => events.sessionsChanged(update),
      nextRevision: () => ++this.#revision,
    };
    this.#catalog = new ConfigDirSessions(deps, setup);
    this.#catalog.prioritise(this.#focus);
  }

  async scanAll(options: ScanAllOptions = {}): Promise<void> {
    await this.#configured().scanAll(options);
  }

  async scanSession(filePath: string): Promise<ScannedSession> {
    return this.#configured().scanSession(filePath);
  }

  async details(filePath: string): Promise<SessionDetails> {
    return this.#configured().details(filePath);
  }

  /** What is known of a session by its path; null for one that is not. */
  known(filePath: string): QuickMetadata | null {
    return this.#catalog?.known(filePath) ?? null;
  }

  async planRepair(filePath: string): Promise<RepairOutcome> {
    return this.#configured().planRepair(filePath);
  }

  async repair(filePath: string): Promise<RepairOutcome> {
    return this.#configured().repair(filePath);
  }

  async undoRepair(filePath: string): Promise<RepairOutcome> {
    return this.#configured().undoRepair(filePath);
  }

  // eslint-disable-next-line @typescript-eslint/require-await
  async prioritise(focus: SessionFocus): Promise<void> {
    this.#focus = focus;
    this.#catalog?.prioritise(focus);
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    await this.#catalog?.drain();
  }

  async #lookUp(path: string): Promise<WorkspaceFolder> {
    const realPath = await this.#deps.files.realPath(path);
    return { path, realPath, projectName: encodeProjectPath(realPath) };
  }

  #cacheIn(folder: string): SessionCache {
    const cache = this.#caches.get(folder) ?? this.#deps.openCache(folder);
    this.#caches.set(folder, cache);
    return cache;
  }

  #configured(): ConfigDirSessions {
    if (this.#isDraining) throw new Error('Failed to look at the sessions: the work is being wound up');
    if (this.#catalog === null) throw new Error('Failed to look at the sessions: the config folder is not known');
    return this.#catalog;
  }
}

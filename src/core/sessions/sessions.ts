import type { SessionFocus, SessionsEvents } from '../../protocol/channels/sessions';
import type { WorkerCalls, WorkerConfiguration, WorkerEvents } from '../../protocol/channels/worker';
import type { QuickMetadata } from '../../protocol/session';
import { encodeProjectPath } from '../providers/claude/format/paths';
import { type Diagnostics, diagnosticsFor } from '../diagnose/verdict';
import type { LivenessAnswer, SessionProvider } from '../providers/provider';
import { ConfigDirSessions, type ConfigDirSessionsDeps } from './configDirSessions';
import type { SessionCache } from './sessionCache';
import type { WorkspaceFolder } from './summariseSession';

export interface SessionsDeps extends Pick<
  ConfigDirSessionsDeps,
  | 'files'
  | 'clock'
  | 'homeDir'
  | 'createWalk'
  | 'readQuickMetadata'
  | 'readTranscriptEnd'
  | 'readOverview'
  | 'createAlarms'
> {
  readonly createProvider: (configDir: string, diagnostics: Diagnostics) => SessionProvider;
  /** Called once for each folder, until the client changes. */
  readonly openCache: (folder: string, diagnostics: Diagnostics) => SessionCache;
  /** Version of the installed client; null if there is none. Never rejects. Takes seconds at most, and only the first time. */
  readonly findClient: (
    places: Pick<WorkerConfiguration, 'clientExtensionFolder' | 'cacheDir'>,
  ) => Promise<string | null>;
  readonly events: SessionsEvents & WorkerEvents;
}

const NO_FOCUS: SessionFocus = { active: [], visible: [], background: [] };

/** Used until the extension has sent its configuration. */
const DEFAULT_LIVE_POLL_MS = 200;

/**
 * Keeps the sessions of the configured config folder: creates them anew when the folder or the client changes, and shuts them
 * down.
 */
export class Sessions implements WorkerCalls {
  readonly #deps: SessionsDeps;
  readonly #caches = new Map<string, SessionCache>();
  #current: ConfigDirSessions | null = null;
  #provider: SessionProvider | null = null;
  #diagnostics = diagnosticsFor();
  #livePollMs = DEFAULT_LIVE_POLL_MS;
  #focus = NO_FOCUS;
  #configureNumber = 0;
  #revision = 0;
  #isDraining = false;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  /** How often open conversations are checked for changes, in milliseconds. */
  get livePollMs(): number {
    return this.#livePollMs;
  }

  /** The configuration that the extension sent last; null before the first one. */
  get configuration(): WorkerConfiguration | null {
    return this.#current?.configuration ?? null;
  }

  /** Whether sessions are being listed or scanned. */
  get isScanning(): boolean {
    return this.#current?.isScanning ?? false;
  }

  /** Whether the worker is shutting down, so that no more work may be started. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Sessions with a running client, by session id; empty while the config folder is not known. */
  async liveSessions(): Promise<ReadonlySet<string>> {
    return (await this.#provider?.liveSessions()) ?? new Set();
  }

  /** Whether a client runs the session of a transcript: it may, while the config folder is not known. */
  async liveness(filePath: string): Promise<LivenessAnswer> {
    return this.#provider?.readLiveness()(filePath) ?? { live: 'maybe-live', why: null };
  }

  /**
   * The sessions of the current config folder. Throws before the first configuration and while the worker shuts down.
   */
  get current(): ConfigDirSessions {
    if (this.#isDraining) throw new Error('Failed to read the sessions: the worker is shutting down');
    if (this.#current === null) throw new Error('Failed to read the sessions: the config folder is not known');
    return this.#current;
  }

  async configure(configuration: WorkerConfiguration): Promise<void> {
    const number = ++this.#configureNumber;
    this.#livePollMs = configuration.livePollMs;
    const [clientVersion, ...workspaceFolders] = await Promise.all([
      configuration.clientVersion ?? this.#deps.findClient(configuration),
      ...configuration.workspaceFolders.map((path) => this.#lookUp(path)),
    ]);
    if (number !== this.#configureNumber || this.#isDraining) return;
    const setup = { configuration, workspaceFolders };
    const isOtherClient = this.#judgeFor(clientVersion);
    const before = this.#current;
    const isSameFolder = before?.configuration.configDir === configuration.configDir;
    if (isSameFolder && !isOtherClient) {
      before.reconfigure(setup);
      return;
    }
    before?.close();
    const { createProvider, events } = this.#deps;
    const diagnostics = this.#diagnostics;
    this.#provider = createProvider(configuration.configDir, diagnostics);
    const deps: ConfigDirSessionsDeps = {
      ...this.#deps,
      provider: this.#provider,
      client: diagnostics.client,
      cache: configuration.cacheDir === null ? null : this.#cacheIn(configuration.cacheDir),
      log: (level, message) => {
        events.log(level, message);
      },
      send: (update) => events.sessionsChanged(update),
      nextRevision: () => ++this.#revision,
    };
    this.#current = new ConfigDirSessions(deps, setup);
    this.#current.prioritise(this.#focus);
    // Nobody else knows that what was shown is to be judged for another client.
    if (isSameFolder && before.isKnown) void this.#current.scanAll();
  }

  /** The known metadata of a session; null for a path that is not listed. */
  known(filePath: string): QuickMetadata | null {
    return this.#current?.known(filePath) ?? null;
  }

  // eslint-disable-next-line @typescript-eslint/require-await
  async prioritise(focus: SessionFocus): Promise<void> {
    this.#focus = focus;
    this.#current?.prioritise(focus);
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    await this.#current?.drain();
  }

  /** True if the client is not the one of before. */
  #judgeFor(clientVersion: string | null): boolean {
    const diagnostics = diagnosticsFor(clientVersion ?? undefined);
    if (diagnostics.client.version === this.#diagnostics.client.version) return false;
    this.#diagnostics = diagnostics;
    this.#caches.clear();
    return true;
  }

  async #lookUp(path: string): Promise<WorkspaceFolder> {
    const realPath = await this.#deps.files.realPath(path);
    return { path, realPath, projectName: encodeProjectPath(realPath) };
  }

  #cacheIn(folder: string): SessionCache {
    const cache = this.#caches.get(folder) ?? this.#deps.openCache(folder, this.#diagnostics);
    this.#caches.set(folder, cache);
    return cache;
  }
}

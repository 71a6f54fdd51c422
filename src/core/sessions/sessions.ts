import { basename } from 'node:path';
import type { Events } from '../../protocol/channel';
import type { alarmsChannel, AlarmsSnapshot } from '../../protocol/channels/alarms';
import type { SessionFocus, SessionsEvents } from '../../protocol/channels/sessions';
import type { WorkerCalls, WorkerConfiguration, WorkerEvents } from '../../protocol/channels/worker';
import type { QuickMetadata } from '../../protocol/session';
import { encodeProjectPath } from '../providers/claude/format/paths';
import { type Diagnostics, diagnosticsFor } from '../diagnose/verdict';
import type { LivenessAnswer, SessionProvider } from '../providers/provider';
import { ConfigDirSessions, type ConfigDirSessionsDeps } from './configDirSessions';
import type { AlarmsContext, SessionAlarms, SessionAlarmsDeps } from './alarms/sessionAlarms';
import { ConfigDirs, distinctConfigDirs, mergeAlarms, type OpenConfigDir } from './configDirs';
import type { SessionCache } from './sessionCache';
import { type WorkspaceFolder, workspaceIndex } from './summariseSession';

export interface SessionsDeps extends Pick<
  ConfigDirSessionsDeps,
  'files' | 'clock' | 'homeDir' | 'createWalk' | 'readQuickMetadata' | 'readTranscriptEnd' | 'readOverview'
> {
  /** Called once for each config folder, until the client changes. */
  readonly createProvider: (configDir: string, diagnostics: Diagnostics) => SessionProvider;
  /** Called once for each folder, until the client changes. */
  readonly openCache: (folder: string, diagnostics: Diagnostics) => SessionCache;
  /** Version of the installed client; null if there is none. Never rejects. Takes seconds at most, and only the first time. */
  readonly findClient: (
    places: Pick<WorkerConfiguration, 'clientExtensionFolder' | 'cacheDir'>,
  ) => Promise<string | null>;
  /** Absent if nobody is to be warned. */
  readonly createAlarms?: (context: AlarmsContext, send: SessionAlarmsDeps['send']) => SessionAlarms;
  readonly events: SessionsEvents & WorkerEvents & Partial<Events<typeof alarmsChannel>>;
}

const NO_FOCUS: SessionFocus = { active: [], visible: [], background: [] };

/** Used until the extension has sent its configuration. */
const DEFAULT_LIVE_POLL_MS = 200;

/**
 * Keeps the sessions of the configured config folders: creates them anew when the folders or the client change, and shuts them
 * down.
 */
export class Sessions implements WorkerCalls {
  readonly #deps: SessionsDeps;
  readonly #caches = new Map<string, SessionCache>();
  /** The latest alarms, by config folder. */
  readonly #alarms = new Map<string, AlarmsSnapshot>();
  #open: ConfigDirs | null = null;
  #configuration: WorkerConfiguration | null = null;
  #diagnostics = diagnosticsFor();
  #livePollMs = DEFAULT_LIVE_POLL_MS;
  #focus = NO_FOCUS;
  #configureNumber = 0;
  #revision = 0;
  #isDraining = false;
  #workspaceFolders: readonly WorkspaceFolder[] = [];

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  /** How often open conversations are checked for changes, in milliseconds. */
  get livePollMs(): number {
    return this.#livePollMs;
  }

  /** The configuration that the extension sent last; null before the first one. */
  get configuration(): WorkerConfiguration | null {
    return this.#configuration;
  }

  /** Absolute paths of the config folders whose sessions are listed, the main one first; empty before the first configuration. */
  get configDirs(): readonly string[] {
    return this.#all.map(({ configDir }) => configDir);
  }

  /** Whether sessions are being listed or scanned. */
  get isScanning(): boolean {
    return this.#all.some(({ sessions }) => sessions.isScanning);
  }

  /** Whether the worker is shutting down, so that no more work may be started. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Sessions with a running client, by session id; empty while the config folder is not known. */
  async liveSessions(): Promise<ReadonlySet<string>> {
    const ofAll = this.#all.map(async ({ provider }, at) => {
      // Another folder may be gone.
      return at === 0 ? provider.liveSessions() : provider.liveSessions().catch(() => new Set<string>());
    });
    return new Set((await Promise.all(ofAll)).flatMap((ids) => [...ids]));
  }

  /** Whether a client runs the session of a transcript: it may, while the config folder is not known. */
  async liveness(filePath: string): Promise<LivenessAnswer> {
    return this.#open?.of(filePath).provider.readLiveness()(filePath) ?? { live: 'maybe-live', why: null };
  }

  /**
   * The sessions of all config folders. Throws before the first configuration and while the worker shuts down.
   */
  get current(): ConfigDirs {
    if (this.#isDraining) throw new Error('Failed to read the sessions: the worker is shutting down');
    if (this.#open === null) throw new Error('Failed to read the sessions: the config folder is not known');
    return this.#open;
  }

  async configure(configuration: WorkerConfiguration): Promise<void> {
    const number = ++this.#configureNumber;
    this.#livePollMs = configuration.livePollMs;
    const { configDir, extraConfigDirs } = configuration;
    const [clientVersion, extra, ...workspaceFolders] = await Promise.all([
      configuration.clientVersion ?? this.#deps.findClient(configuration),
      distinctConfigDirs([configDir, ...extraConfigDirs], this.#deps.files).then((all) => all.slice(1)),
      ...configuration.workspaceFolders.map((path) => this.#lookUp(path)),
    ]);
    if (number !== this.#configureNumber || this.#isDraining) return;
    this.#workspaceFolders = workspaceFolders;
    const known = this.#judgeFor(clientVersion) ? [] : this.#all;
    const before = this.#all;
    const keep = (dir: string): OpenConfigDir => {
      const setup = { configuration: { ...configuration, configDir: dir, extraConfigDirs: extra }, workspaceFolders };
      const open = known.find((each) => each.configDir === dir);
      open?.sessions.reconfigure(setup);
      return open ?? this.#openDir(setup);
    };
    const isKept = (open: OpenConfigDir): boolean =>
      known.includes(open) && (open.configDir === configDir || extra.includes(open.configDir));
    for (const open of before) if (!isKept(open)) this.#closeDir(open);
    this.#configuration = configuration;
    this.#open = new ConfigDirs(keep(configDir), extra.map(keep));
    for (const open of this.#open.all) {
      if (known.includes(open)) continue;
      open.sessions.prioritise(this.#focus);
      const shown = before.find((each) => each.configDir === open.configDir);
      // Nobody else knows that what was shown is to be judged for another client.
      if (shown?.sessions.isKnown === true) void open.sessions.scanAll();
    }
    const ignored = extraConfigDirs.filter((each) => !extra.includes(each));
    if (ignored.length > 0) {
      this.#deps.events.log('info', `Listed once, under another name: ${ignored.join(', ')}`);
    }
  }

  /** The known metadata of a session; null for a path that is not listed. */
  known(filePath: string): QuickMetadata | null {
    return this.#open?.of(filePath).sessions.known(filePath) ?? null;
  }

  /** Whether the project in a folder, whose sessions ran in `cwd`, belongs to the folders of the window. */
  isInWorkspace(projectFolder: string, cwd: string | null): boolean {
    return workspaceIndex({ name: basename(projectFolder), cwd }, this.#workspaceFolders, this.#deps.homeDir) >= 0;
  }

  // eslint-disable-next-line @typescript-eslint/require-await
  async prioritise(focus: SessionFocus): Promise<void> {
    this.#focus = focus;
    for (const { sessions } of this.#all) sessions.prioritise(focus);
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    await Promise.all(this.#all.map(({ sessions }) => sessions.drain()));
  }

  get #all(): readonly OpenConfigDir[] {
    return this.#open?.all ?? [];
  }

  #openDir(setup: ConstructorParameters<typeof ConfigDirSessions>[1]): OpenConfigDir {
    const { createAlarms, ...shared } = this.#deps;
    const { createProvider, events } = shared;
    const { configDir, cacheDir } = setup.configuration;
    const diagnostics = this.#diagnostics;
    const provider = createProvider(configDir, diagnostics);
    const sendAlarms = (snapshot: AlarmsSnapshot): void => {
      this.#alarms.set(configDir, snapshot);
      this.#sendAlarms();
    };
    const deps: ConfigDirSessionsDeps = {
      ...shared,
      provider,
      client: diagnostics.client,
      // Its entries go by the paths of transcripts, so that each folder has its own.
      cache: cacheDir === null ? null : this.#cacheIn(cacheDir),
      log: (level, message) => {
        events.log(level, message);
      },
      send: (update) => events.sessionsChanged(update),
      nextRevision: () => ++this.#revision,
      ...(createAlarms && { createAlarms: (context) => createAlarms(context, sendAlarms) }),
    };
    return { configDir, provider, sessions: new ConfigDirSessions(deps, setup) };
  }

  #closeDir({ configDir, sessions }: OpenConfigDir): void {
    sessions.close();
    if (this.#alarms.delete(configDir)) this.#sendAlarms();
  }

  #sendAlarms(): void {
    this.#deps.events.alarmsChanged?.(mergeAlarms(this.#alarms.values(), ++this.#revision));
  }

  /** True if the client is not the one of before, or a model has retired since. */
  #judgeFor(clientVersion: string | null): boolean {
    const diagnostics = diagnosticsFor(clientVersion ?? undefined);
    const { client, rules } = this.#diagnostics;
    const hasSameModels = String(diagnostics.rules.retiredModels) === String(rules.retiredModels);
    if (diagnostics.client.version === client.version && hasSameModels) return false;
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

// The entry of the worker thread: binds the channels to core. Receives messages from the extension; sends answers and
// events. It must never answer a call that its channel does not declare.
import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parentPort } from 'node:worker_threads';
import { createBirpc } from 'birpc';
import { SessionSearches } from '../core/conversation/search/searchSessions';
import { diagnosticsFor } from '../core/diagnose/verdict';
import { createEngine, type Engine, type SearchOptions } from '../core/engine';
import {
  diskClientFiles,
  findInstalledClient,
  type InstalledClientDeps,
  runProgram,
} from '../core/providers/claude/installedClient';
import { projectsFolderOf } from '../core/providers/claude/format/paths';
import { ClientSavings } from '../core/providers/claude/live/clientSavings';
import { RegistryMemory } from '../core/providers/claude/live/registry';
import { thisMachine, WATCHERS_TRUST_MS } from '../core/providers/claude/live/machine';
import { readRetention } from '../core/providers/claude/live/retention';
import { readExemption } from '../core/providers/claude/live/sweepExemption';
import { SessionAlarms } from '../core/sessions/alarms/sessionAlarms';
import { SessionChildren } from '../core/sessions/sessionChildren';
import { readQuickMetadata } from '../core/sessions/quickMetadata';
import { ENGINE_VERSION, openSessionCache } from '../core/sessions/sessionCache';
import { Sessions } from '../core/sessions/sessions';
import { SharedWalk } from '../core/sessions/sharedWalk';
import { nodeWriteFs } from '../core/storage/writeFs';
import { LiveTranscripts } from '../core/transcript/liveTranscripts';
import { loadScanner } from '../core/transcript/wasm/loadScanner';
import type { UsageService } from '../core/usage/usageService';
import { diskSessionFiles } from '../core/util/diskFiles';
import { createPacer, systemClock } from '../core/util/scheduling';
import { alarmsChannel } from '../protocol/channels/alarms';
import { childrenChannel } from '../protocol/channels/children';
import { conversationChannel } from '../protocol/channels/conversation';
import { exportsChannel } from '../protocol/channels/exports';
import { historyChannel } from '../protocol/channels/history';
import { type PreflightCalls, preflightChannel } from '../protocol/channels/preflight';
import { searchChannel } from '../protocol/channels/search';
import { sessionsChannel } from '../protocol/channels/sessions';
import { tasksChannel } from '../protocol/channels/tasks';
import { terminalsChannel } from '../protocol/channels/terminals';
import { usageChannel } from '../protocol/channels/usage';
import { workerChannel, type WorkerConfiguration } from '../protocol/channels/worker';
import { createEvents, RpcServer } from '../protocol/rpcServer';
import type { Reading } from './reading';
import type { Rewinding } from './rewinding';
import type { Terminals } from './terminals';

if (parentPort === null) throw new Error('Failed to start: this is the entry of a worker thread');
const port = parentPort;

const server = new RpcServer();
const rpc = createBirpc<object, object, false>(
  {},
  {
    post: (message: unknown) => {
      port.postMessage(message);
    },
    on: (listener) => {
      port.on('message', listener);
    },
    resolver: server.handler,
    proxify: false,
    // birpc's own timeout is off: an extension host that sleeps answers when it wakes.
    timeout: -1,
  },
);
const events = {
  ...createEvents(workerChannel, rpc),
  ...createEvents(sessionsChannel, rpc),
  ...createEvents(alarmsChannel, rpc),
  ...createEvents(conversationChannel, rpc),
  ...createEvents(searchChannel, rpc),
  ...createEvents(exportsChannel, rpc),
  ...createEvents(tasksChannel, rpc),
  ...createEvents(usageChannel, rpc),
};
const warn = (message: string): void => void events.log('warn', message);
const createScanner = loadScanner(fileURLToPath(new URL('scanner.wasm', import.meta.url)), warn);

/** Longest stretch of work between two turns of the event loop, in milliseconds. */
const MAX_WORK_MS = 10;

const transcripts: LiveTranscripts = new LiveTranscripts({
  createScanner,
  pacer: createPacer(MAX_WORK_MS),
  clock: systemClock,
  pollMs: () => sessions.livePollMs,
  isClosing: () => sessions.isDraining,
});
const clientDeps = ({
  clientExtensionFolder,
  cacheDir,
}: Pick<WorkerConfiguration, 'clientExtensionFolder' | 'cacheDir'>): InstalledClientDeps => ({
  searchPath: process.env['PATH'],
  platform: process.platform,
  extensionFolder: clientExtensionFolder,
  cacheDir,
  files: diskClientFiles,
  run: runProgram,
  write: { fs: nodeWriteFs, random: randomUUID },
  now: Date.now,
});
const windowId = randomUUID();
const machine = thisMachine(WATCHERS_TRUST_MS);
const registryMemory = new RegistryMemory();
let diagnostics = diagnosticsFor();
/** The latest one. Any will do: what depends on the config folder is given it. */
let engine: Engine | null = null;
// Titles and times that are already known need not be read again.
const searches = new SessionSearches((query, signal) => {
  const { engine, ...options } = searched();
  return engine.search(query, { ...options, signal });
}, events);

/** The sessions of all config folders. */
function searched(): SearchOptions & { readonly engine: Engine } {
  if (sessions.isDraining) throw new Error('Failed to search: the worker is shutting down');
  if (engine === null) throw new Error('Failed to search: the config folder is not known');
  const [main, ...extra] = sessions.configDirs;
  // A folder that is not there would be taken for a transcript that is missing.
  const found = extra.filter((each) => diskSessionFiles.stampNow(projectsFolderOf(each))?.isFolder === true);
  // Named in any case: without a name, an engine searches the folder that it was created for.
  const paths = main === undefined ? [] : [main, ...found];
  return {
    engine,
    paths,
    known: (filePath) => sessions.known(filePath),
    isInWorkspace: (projectFolder, cwd) => sessions.isInWorkspace(projectFolder, cwd),
  };
}

const sessions: Sessions = new Sessions({
  createProvider: (configDir, forClient) => {
    // Running searches read the sessions of other folders, or by the rules of another client.
    searches.cancelAll();
    diagnostics = forClient;
    engine = createEngine({ configDir, createScanner, transcripts, diagnostics, registryMemory });
    return engine;
  },
  files: diskSessionFiles,
  clock: systemClock,
  readQuickMetadata,
  readTranscriptEnd: async (...args) => (await loadReading()).readTranscriptEnd(...args),
  readOverview: async (...args) => (await loadReading()).readOverview(...args),
  homeDir: homedir(),
  openCache: (folder, forClient) =>
    openSessionCache({ folder, engineVersion: ENGINE_VERSION, diagnostics: forClient, warn }),
  findClient: (places) => findInstalledClient(clientDeps(places)),
  createWalk: (options) =>
    new SharedWalk({ ...options, windowId, files: diskSessionFiles, fs: nodeWriteFs, clock: systemClock, warn }),
  createAlarms: (context, send) => {
    const { configDir } = context;
    return new SessionAlarms({
      ...context,
      savings: new ClientSavings({ configDir, machine, memory: registryMemory, now: Date.now }),
      readRetention: (projectFolders) => readRetention({ configDir, projectFolders }),
      readExemption,
      send,
    });
  },
  events: {
    ...events,
    sessionsChanged: (update) => {
      // The token counts must keep up with the list beside them.
      void usage?.then(
        (loaded) => {
          loaded.sessionsChanged(
            update.projects.flatMap((each) => [...each.sessions.map(({ path }) => path), ...each.removed]),
          );
        },
        () => undefined,
      );
      return events.sessionsChanged(update);
    },
  },
});
const shared = {
  createScanner,
  transcripts,
  diagnostics: () => diagnostics,
  liveSessions: () => sessions.liveSessions(),
  liveness: (filePath: string) => sessions.liveness(filePath),
  isClosing: () => sessions.isDraining,
};

const configDirs = (): readonly [string, ...string[]] => {
  const [main, ...extra] = sessions.configDirs;
  if (main === undefined) throw new Error('Failed to find the config folder: it is not configured yet');
  return [main, ...extra];
};

let reading: Promise<Reading> | null = null;
const loadReading = (): Promise<Reading> =>
  (reading ??= import('./reading').then(({ createReading }) =>
    createReading({
      ...shared,
      configDir: () => sessions.configuration?.configDir ?? null,
      onChange: (head) => events.conversationChanged(head),
      planRepair: (session, scope) => sessions.current.planRepair(session, scope),
      events,
    }),
  ));
let usage: Promise<UsageService> | null = null;
const loadUsage = (): Promise<UsageService> =>
  (usage ??= import('./usage').then(({ createUsage }) =>
    createUsage({
      ...shared,
      engineVersion: ENGINE_VERSION,
      configDir: () => sessions.configuration?.configDir ?? null,
      extraConfigDirs: () => sessions.configDirs.slice(1),
      cacheDir: () => sessions.configuration?.cacheDir ?? null,
      isBusy: () => sessions.isScanning,
      events,
      warn,
    }),
  ));
let preflights: Promise<PreflightCalls> | null = null;
const loadPreflights = (): Promise<PreflightCalls> =>
  (preflights ??= import('./preflights').then(({ createPreflights }) =>
    createPreflights({ ...shared, look: (session) => sessions.current.lookClosely(session) }),
  ));
let rewinding: Promise<Rewinding> | null = null;
const loadRewinding = (): Promise<Rewinding> =>
  (rewinding ??= import('./rewinding').then(({ createRewinding }) =>
    createRewinding({
      ...shared,
      capabilities: () => {
        if (engine === null) throw new Error('Failed to find the sessions: the config folder is not known');
        return engine.capabilities;
      },
      configDirs,
    }),
  ));

let terminals: Promise<Terminals> | null = null;
const loadTerminals = (): Promise<Terminals> =>
  (terminals ??= import('./terminals').then(({ createTerminals }) =>
    createTerminals({
      ...shared,
      configuration: () => {
        if (sessions.configuration === null)
          throw new Error('Failed to find the config folder: it is not configured yet');
        return sessions.configuration;
      },
      configDirs,
      judge: (session) => sessions.current.judge(session),
      clientDeps,
      log: (level, message) => void events.log(level, message),
    }),
  ));

server.serve(workerChannel, {
  configure: (configuration) => sessions.configure(configuration),
  prioritise: (focus) => sessions.prioritise(focus),
  drain: async () => {
    searches.cancelAll();
    await Promise.all([
      sessions.drain(),
      reading?.then((loaded) => loaded.settled()),
      usage?.then((loaded) => loaded.close()),
      rewinding?.then((loaded) => loaded.settled()),
      terminals?.then((loaded) => loaded.settled()),
    ]);
    transcripts.close();
    // After the answer was sent. A thread that is terminated while it calls the file system can take the whole process along:
    // Node.js aborts if the call can no longer be made.
    setImmediate(() => process.exit());
  },
});
const children = new SessionChildren();
// Calls go directly to the sessions of the config folder that they are about.
server.serve(sessionsChannel, () => Promise.resolve(sessions.current));
server.serve(alarmsChannel, () => Promise.resolve(sessions.current));
server.serve(childrenChannel, () => Promise.resolve(children));
server.serve(searchChannel, {
  searchSessions: (...call) => searches.searchSessions(...call),
  filesChangedBy: async (transcriptPath) => searched().engine.filesChangedBy(transcriptPath),
  sessionsThatChanged: async (path, signal) => {
    const { engine: searching, ...options } = searched();
    return searching.sessionsThatChanged(path, { ...options, signal });
  },
});
server.serve(conversationChannel, async () => (await loadReading()).conversation);
server.serve(exportsChannel, async () => (await loadReading()).exports);
server.serve(tasksChannel, async () => (await loadReading()).tasks);
server.serve(usageChannel, loadUsage);
server.serve(preflightChannel, loadPreflights);
server.serve(historyChannel, loadRewinding);
server.serve(terminalsChannel, loadTerminals);

import { homedir } from 'node:os';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { type BirpcReturn, createBirpc } from 'birpc';
import { createEngine } from '../core/engine';
import { readEnds } from '../core/sessions/quickMetadata';
import { SessionBoard } from '../core/sessions/sessionBoard';
import { ENGINE_VERSION, openSessionCache } from '../core/sessions/sessionCache';
import { loadScanner } from '../core/transcript/wasm/loadScanner';
import type { UsageService } from '../core/usage/usageService';
import { diskCatalogFiles } from '../core/util/diskFiles';
import { systemClock } from '../core/util/scheduling';
import type { WorkerApi, WorkerEvents } from '../protocol/api/worker';
import type { Reading } from './reading';
import { readingCalls } from './readingCalls';
import type { Rewinding } from './rewinding';
import { rewindingCalls } from './rewindingCalls';
import { usageCalls } from './usageCalls';

if (parentPort === null) throw new Error('Failed to start: this is the entry of a worker thread');
const port = parentPort;

const board = new SessionBoard({
  createEngine: (configDir) => createEngine({ configDir, createScanner }),
  files: diskCatalogFiles,
  clock: systemClock,
  readEnds,
  readSessionEnd: async (...args) => (await loadReading()).readSessionEnd(...args),
  homeDir: homedir(),
  openCache: (folder) =>
    openSessionCache({ folder, engineVersion: ENGINE_VERSION, warn: (message) => void host.log('warn', message) }),
  events: {
    sessionsChanged: (update) => host.sessionsChanged(update),
    searchFound: (...found) => host.searchFound(...found),
    log: (level, message) => void host.log(level, message),
  },
});

let reading: Promise<Reading> | null = null;
/** `.js`: the bundle beside this one. */
const loadReading = (): Promise<Reading> =>
  (reading ??= import('./reading').then(({ createReading }) =>
    createReading({
      createScanner: (options) => createScanner(options),
      liveSessions: () => board.liveSessions(),
      pollMs: () => board.livePollMs,
      isClosing: () => board.isDraining,
      onChange: (head) => host.conversationChanged(head),
      events: {
        exportProgress: (...progress) => host.exportProgress(...progress),
        tasksChanged: (list) => host.tasksChanged(list),
      },
    }),
  ));
let usage: Promise<UsageService> | null = null;
const loadUsage = (): Promise<UsageService> =>
  (usage ??= import('./usage').then(({ createUsage }) =>
    createUsage({
      createScanner: (options) => createScanner(options),
      engineVersion: ENGINE_VERSION,
      configDir: () => board.configuration?.configDir ?? null,
      cacheDir: () => board.configuration?.cacheDir ?? null,
      liveSessions: () => board.liveSessions(),
      isBusy: () => board.isScanning,
      events: { usageChanged: (overview) => host.usageChanged(overview) },
      warn: (message) => void host.log('warn', message),
    }),
  ));
let rewinding: Promise<Rewinding> | null = null;
const loadRewinding = (): Promise<Rewinding> =>
  (rewinding ??= import('./rewinding').then(({ createRewinding }) =>
    createRewinding({
      createScanner: (options) => createScanner(options),
      configDir: () => {
        if (board.configuration === null) throw new Error('Failed to find the config folder: none was told yet');
        return board.configuration.configDir;
      },
      liveSessions: () => board.liveSessions(),
      isClosing: () => board.isDraining,
    }),
  ));
const drainBoard = board.drain.bind(board);
const lazyCalls = { ...readingCalls(loadReading), ...usageCalls(loadUsage), ...rewindingCalls(loadRewinding) };
const api: WorkerApi = Object.assign(board, lazyCalls, {
  drain: async () => {
    await Promise.all([
      drainBoard(),
      reading?.then((loaded) => loaded.settled()),
      usage?.then((loaded) => loaded.close()),
      rewinding?.then((loaded) => loaded.settled()),
    ]);
  },
});

const host: BirpcReturn<WorkerEvents, WorkerApi> = createBirpc(api, {
  post: (message: unknown) => {
    port.postMessage(message);
  },
  on: (listener) => {
    port.on('message', listener);
  },
  bind: 'functions',
  eventNames: ['log'],
  // A host that sleeps answers when it wakes.
  timeout: -1,
});

const createScanner = loadScanner(join(__dirname, 'scanner.wasm'), (warning) => void host.log('warn', warning));

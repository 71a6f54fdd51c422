import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import type { BirpcReturn } from 'birpc';
import { createBirpc } from 'birpc';
import { diskCatalogFiles } from '../core/catalog/catalogFiles';
import { systemClock } from '../core/catalog/clock';
import { readEnds } from '../core/catalog/readEnds';
import { SessionBoard } from '../core/catalog/sessionBoard';
import { ENGINE_VERSION } from '../core/catalog/sessionCache/engineVersion';
import { openSessionCache } from '../core/catalog/sessionCache/openSessionCache';
import { createEngine } from '../core/engine';
import { createConversationExports } from '../core/export/conversationExports';
import { Conversation, type ConversationParts } from '../core/read/conversation';
import { Conversations } from '../core/read/conversations';
import { loadScanner } from '../core/scan/wasm/loadScanner';
import { createPacer } from '../core/util/pacer';
import { nodeWriteFs } from '../core/write/writeFs';
import type { WorkerApi, WorkerEvents } from '../shared/api/worker';
import { conversationCalls } from './conversationCalls';

if (parentPort === null) throw new Error('Failed to start: this is the entry of a worker thread');
const port = parentPort;

/** Longest work between two turns of the event loop, in milliseconds. */
const MAX_WORK_MS = 10;

const board = new SessionBoard({
  createEngine: (configDir) => createEngine({ configDir, createScanner }),
  files: diskCatalogFiles,
  clock: systemClock,
  readEnds,
  homeDir: homedir(),
  openCache: (folder) =>
    openSessionCache({ folder, engineVersion: ENGINE_VERSION, warn: (message) => void host.log('warn', message) }),
  events: {
    sessionsChanged: (update) => host.sessionsChanged(update),
    searchFound: (...found) => host.searchFound(...found),
    log: (level, message) => void host.log(level, message),
  },
});

const reading: Pick<ConversationParts, 'createScanner' | 'pacer'> = {
  createScanner: (options) => createScanner(options),
  pacer: createPacer(MAX_WORK_MS),
};
const conversations = new Conversations({
  ...reading,
  clock: systemClock,
  liveSessions: () => board.liveSessions(),
  pollMs: () => board.livePollMs,
  isClosing: () => board.isDraining,
  onChange: (head) => host.conversationChanged(head),
});
const exports = createConversationExports({
  open: (filePath) => new Conversation({ ...reading, filePath, isLive: () => false }),
  write: { fs: nodeWriteFs, random: randomUUID },
  events: { exportProgress: (...progress) => host.exportProgress(...progress) },
  isClosing: () => board.isDraining,
});
const drainBoard = board.drain.bind(board);
const api: WorkerApi = Object.assign(board, conversationCalls(conversations), exports, {
  drain: async () => {
    await Promise.all([drainBoard(), exports.settled()]);
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

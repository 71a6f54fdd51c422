import { homedir } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { createBirpc } from 'birpc';
import { diskCatalogFiles } from '../core/catalog/catalogFiles';
import { systemClock } from '../core/catalog/clock';
import { SessionBoard } from '../core/catalog/sessionBoard';
import { createEngine } from '../core/engine';
import type { WorkerApi, WorkerEvents } from '../shared/api/worker';

if (parentPort === null) throw new Error('Failed to start: this is the entry of a worker thread');
const port = parentPort;

const board = new SessionBoard({
  createEngine: (configDir) => createEngine({ configDir }),
  files: diskCatalogFiles,
  clock: systemClock,
  homeDir: homedir(),
  events: {
    sessionsChanged: (snapshot) => void host.sessionsChanged(snapshot),
    log: (level, message) => void host.log(level, message),
  },
});

const host = createBirpc<WorkerEvents, WorkerApi>(board, {
  post: (message: unknown) => {
    port.postMessage(message);
  },
  on: (listener) => {
    port.on('message', listener);
  },
  bind: 'functions',
  eventNames: ['sessionsChanged', 'log'],
});

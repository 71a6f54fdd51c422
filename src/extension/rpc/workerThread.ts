import { Worker } from 'node:worker_threads';

/** The parts of a running worker thread that its client needs. */
export interface WorkerThread {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once, if the thread ends without a request. */
  onDeath(listener: (reason: string) => void): void;
  terminate(): void;
}

/** Starts the bundled worker. `entryPath` is absolute. */
export function startWorkerThread(entryPath: string): WorkerThread {
  const worker = new Worker(entryPath, { name: 'rethread' });
  let reason: string | null = null;
  let isTerminated = false;
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
      worker.once('exit', (exitCode) => {
        if (!isTerminated) listener(reason ?? `exit code ${exitCode}`);
      });
    },
    terminate: () => {
      isTerminated = true;
      void worker.terminate();
    },
  };
}

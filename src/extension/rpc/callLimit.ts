import { WorkerError } from './workerError';

const MINUTE_MS = 60_000;

/** How long a call may take. A transcript of some gigabytes takes minutes; a lost answer would take for ever. */
export const CALL_TIMEOUTS_MS = {
  configure: 10_000,
  /** VS Code ends the extension host 5 s after it has told the extensions to stop. */
  drain: 4000,
  details: 2 * MINUTE_MS,
  scanSession: 10 * MINUTE_MS,
  planRepair: 10 * MINUTE_MS,
  repair: 20 * MINUTE_MS,
  undoRepair: 20 * MINUTE_MS,
  openConversation: 10 * MINUTE_MS,
  conversation: 2 * MINUTE_MS,
  watchUsage: 2 * MINUTE_MS,
  sessionUsage: 10 * MINUTE_MS,
  /** Waits until everything is counted. */
  exportUsage: 20 * MINUTE_MS,
  fork: 10 * MINUTE_MS,
  checkpoints: 10 * MINUTE_MS,
  planRewind: 10 * MINUTE_MS,
  rewind: 20 * MINUTE_MS,
  undoRewind: 20 * MINUTE_MS,
  rewindState: 2 * MINUTE_MS,
  hook: 2 * MINUTE_MS,
  pruneCheckpoints: 10 * MINUTE_MS,
} as const;

/** How a call ends without an answer: after a time in milliseconds, or when its caller gives up. */
export type CallLimit = number | AbortSignal;

/** The work's own end, or a rejection when the limit is reached first; the work itself goes on. */
export function withLimit<T>(work: Promise<T>, limit: CallLimit): Promise<T> {
  return new Promise((resolve, reject) => {
    const lift = watchLimit(limit, reject);
    void work.then(resolve, reject).finally(lift);
  });
}

function watchLimit(limit: CallLimit, reject: (reason: unknown) => void): () => void {
  if (typeof limit === 'number') {
    const timer = setTimeout(() => {
      reject(new WorkerError('timeout', `No answer within ${limit} ms`));
    }, limit);
    return () => {
      clearTimeout(timer);
    };
  }
  const abort = (): void => {
    reject(limit.reason);
  };
  if (limit.aborted) abort();
  limit.addEventListener('abort', abort, { once: true });
  return () => {
    limit.removeEventListener('abort', abort);
  };
}

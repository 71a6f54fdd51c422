/**
 * `worker-died`: the thread ended while it was busy with the call; another has been started.
 * `worker-unavailable`: it died too often in a row. `timeout`: no answer in time; the work may still go on.
 */
export type WorkerErrorCode = 'worker-died' | 'worker-unavailable' | 'timeout';

/** A call to the worker thread that got no answer. */
export class WorkerError extends Error {
  readonly code: WorkerErrorCode;

  constructor(code: WorkerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WorkerError';
    this.code = code;
  }
}

/** The thread ended over the call; another one is about to take its place. */
export function isWorkerDeath(error: unknown): boolean {
  return error instanceof WorkerError && error.code === 'worker-died';
}

/** What a call answered; null when the thread ended over it, so that what it was to do may be half done. */
export async function unlessInterrupted<Answer>(call: Promise<Answer>): Promise<Answer | null> {
  try {
    return await call;
  } catch (error) {
    if (isWorkerDeath(error)) return null;
    throw error;
  }
}

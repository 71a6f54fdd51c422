/**
 * `worker-died`: the thread ended during the call and was restarted. `worker-unavailable`: it died too often in a row.
 * `timeout`: no answer in time; the work may still continue.
 */
export type WorkerErrorCode = 'worker-died' | 'worker-unavailable' | 'timeout';

/** A call to the worker thread that was not answered. */
export class WorkerError extends Error {
  readonly code: WorkerErrorCode;

  constructor(code: WorkerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WorkerError';
    this.code = code;
  }
}

/** The thread ended during the call; another one will replace it. */
export function isWorkerDeath(error: unknown): boolean {
  return error instanceof WorkerError && error.code === 'worker-died';
}

/** The answer of a call; null if the thread ended during it, so that the work may be half done. */
export async function unlessInterrupted<Answer>(call: Promise<Answer>): Promise<Answer | null> {
  try {
    return await call;
  } catch (error) {
    if (isWorkerDeath(error)) return null;
    throw error;
  }
}
